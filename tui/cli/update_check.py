"""Runs `memdeck update-check`: asks the package index for the newest version, if the settings allow it."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

from engine import __version__
from engine.errors import MemdeckError, Refused
from engine.state.folder import config_home
from tui.cli.output import Answer
from tui.cli.settings import Settings, command

_SECONDS = 30
_UPGRADE = "pipx upgrade memdeck, uv tool upgrade memdeck or pip install --upgrade memdeck"
# Isolated: no folder of the agent's and no variable may bring in another pip.
_ASK = [sys.executable, "-I", "-m", "pip", "index", "versions", "--disable-pip-version-check", "memdeck"]


@command("update-check")
def update_check_command(settings: Settings) -> Answer:
    from tui.settings.file import read_settings, settings_path

    path = settings_path(config_home(os.environ))
    # No workspace is opened: where the current folder is the home, the settings lie inside it all the same.
    if not read_settings(path, Path(settings.workspace or os.devnull).absolute()).settings.update_check:
        raise Refused("update-check is off", where=str(path), hint="write `update_check: on` there")
    named = re.search(r"^memdeck \((\d+(?:\.\d+)*)\)", answer_of_index(), re.MULTILINE)
    if named is None:
        raise MemdeckError("the package index names no version of memdeck", hint=f"try {_UPGRADE}")
    there, installed = (tuple(map(int, version.split("."))) for version in (named[1], __version__))
    newest, newer = named[1], there > installed
    text = f"memdeck {newest} is there: {_UPGRADE}" if newer else f"memdeck {__version__} is the newest"
    return Answer({"installed": __version__, "newest": newest, "newer": newer}, [text])


def answer_of_index() -> str:
    """Returns the output of `pip index versions`, since pip knows the operator's index, proxy and certificates."""
    if importlib.util.find_spec("pip") is None:
        raise MemdeckError("pip is not installed beside memdeck", hint=f"try {_UPGRADE}")
    try:
        done = subprocess.run(_ASK, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except subprocess.TimeoutExpired as error:
        raise MemdeckError(f"the package index gave no answer in {_SECONDS} s", hint="try later") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise MemdeckError(f"the package index cannot be asked: {last}", hint=f"try {_UPGRADE}") from error
    return done.stdout
