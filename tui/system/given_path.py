"""Reads a typed path relative to the folder in which the console was started."""

import os
from pathlib import Path

from engine.errors import UsageError

STARTED_IN = "MEMDECK_STARTED_IN"
"""The variable that tells commands of the console, which run in `/`, where it was started."""


def given_path(text: str) -> Path:
    """Returns the absolute path. Raises `UsageError` for an unknown home, or a relative path below no known folder."""
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"no such folder: {error}", where=text) from error
    folder = Path(os.environ.get(STARTED_IN) or Path.cwd())
    if not path.is_absolute() and folder == Path("/"):
        raise UsageError("a name alone would lie in /", where=text, hint=f"give the whole path, like ~/{path.name}")
    return folder / path


def absolute_path(text: str) -> Path:
    """Returns the absolute path of a name below the current folder; `~` is the home folder."""
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:  # `~somebody` who does not exist here: then it is a name like any other
        return Path(text).absolute()
