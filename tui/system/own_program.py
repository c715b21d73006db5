"""Tells how another program starts this very memdeck: the command, and the environment that it needs."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from engine.workspace.system_calls import find_program

CARRIED = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")
"""A scheduler starts with an empty environment: where these are set, the dry run must find the same folders."""


def memdeck_program(argv0: str, workspace: Path) -> tuple[str, ...]:
    """Gives the command that starts this very memdeck: the console script's path, or this Python with its module and
    its safe path, so that nothing in the folder it is started in is imported."""
    script = find_program(argv0, workspace, os.environ) if os.sep not in argv0 else argv0
    if script is not None and Path(script).name == "memdeck" and os.access(script, os.X_OK):
        return (str(Path(script).absolute()),)
    return (sys.executable, "-P", "-m", "tui.cli")


def carried_environment(env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, env[name]) for name in CARRIED if env.get(name))


def own_words(env: Mapping[str, str], folder: Path) -> list[str]:
    """The words with which a program that is started in a folder, and may lack where the state is, starts memdeck."""
    carried = [f"{name}={value}" for name, value in carried_environment(env)]
    return [*(["env", *carried] if carried else []), *memdeck_program(sys.argv[0], folder)]
