"""Finds programs of the system; none that an agent could have put there."""

import os
import shutil
from pathlib import Path


def find_tool(name: str, workspace: Path) -> str | None:
    """The program's absolute path, None where there is none outside the workspace.

    Relative parts of PATH, and those inside the workspace, are left out: an agent can write there.
    """
    inside = os.path.realpath(workspace)
    folders = [
        folder
        for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)
        if os.path.isabs(folder) and not _within(os.path.realpath(folder), inside)  # noqa: PTH117
    ]
    found = shutil.which(name, path=os.pathsep.join(folders))
    return None if found is None or _within(os.path.realpath(found), inside) else found


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
