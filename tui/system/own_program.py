"""Tells other programs how to start this memdeck: the command, and the environment that it needs."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from engine.workspace.system_calls import find_program

CARRIED = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")
"""Variables that a scheduler's empty environment lacks; they lead to the operator's folders."""


def memdeck_program(argv0: str, workspace: Path) -> tuple[str, ...]:
    """Returns the console script, or this Python with its safe path, which imports nothing of the current folder."""
    script = find_program(argv0, workspace, os.environ) if os.sep not in argv0 else argv0
    if script is not None and Path(script).name == "memdeck" and os.access(script, os.X_OK):
        return (str(Path(script).absolute()),)
    return (sys.executable, "-P", "-m", "tui.cli")


def carried_environment(env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, env[name]) for name in CARRIED if env.get(name))


def own_words(env: Mapping[str, str], folder: Path) -> list[str]:
    """Returns the words that start memdeck from any folder, with the variables for its state."""
    carried = [f"{name}={value}" for name, value in carried_environment(env)]
    return [*(["env", *carried] if carried else []), *memdeck_program(sys.argv[0], folder)]
