"""Finds programs of the system, and none that an agent could have put there: its workspace is never searched."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path


def find_program(name: str, workspace: Path, env: Mapping[str, str]) -> str | None:
    """Gives the absolute path of a program; None where there is none outside the workspace. `name` is a plain name,
    looked for in `search_path`, or an absolute path. A candidate that lies in the workspace, also by way of a link, is
    passed over."""
    inside = os.path.realpath(workspace)
    candidates = [name] if os.path.isabs(name) else []  # noqa: PTH117
    if os.sep not in name:  # one with a slash would be taken from the working folder
        candidates = [f"{folder}/{name}" for folder in search_path(workspace, env).split(os.pathsep) if folder]
    return next((path for path in candidates if _runs(path) and not _within(os.path.realpath(path), inside)), None)


def search_path(workspace: Path, env: Mapping[str, str]) -> str:
    """Gives PATH without the entries that are empty, relative or inside the workspace, also by way of a link. An empty
    or relative entry means the folder that a program happens to run in."""
    inside, folders = os.path.realpath(workspace), env.get("PATH", os.defpath).split(os.pathsep)
    kept = (one for one in folders if os.path.isabs(one) and not _within(os.path.realpath(one), inside))  # noqa: PTH117
    return os.pathsep.join(kept)


def _runs(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
