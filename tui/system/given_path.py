"""Reads a path as it was typed: in the console it stands for the folder in which that was started."""

import os
from pathlib import Path

from engine.errors import UsageError

STARTED_IN = "MEMDECK_STARTED_IN"
"""The variable by which the console tells its commands, which run in `/`, the folder in which it was started."""


def given_path(text: str) -> Path:
    """The whole path; `UsageError` for a home that is not there, and for a name alone where nobody knows the folder."""
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"no such folder: {error}", where=text) from error
    folder = Path(os.environ.get(STARTED_IN) or Path.cwd())
    if not path.is_absolute() and folder == Path("/"):
        raise UsageError("a name alone would lie in /", where=text, hint=f"give the whole path, like ~/{path.name}")
    return folder / path


def absolute_path(text: str) -> Path:
    """The whole path of a name below the folder that this runs in, `~` read as the home folder."""
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:  # `~somebody` who does not exist here: then it is a name like any other
        return Path(text).absolute()
