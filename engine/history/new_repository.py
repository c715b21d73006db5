"""Begins a repository in a workspace that has none, by git itself and without any template (decision D22)."""

import os
from collections.abc import Mapping
from pathlib import Path

from engine.history.git import Git
from engine.history.git_hazards import obstacle
from engine.history.owner import folder_owner
from engine.workspace.system_calls import fsync_folder, fsync_tree

BRANCH = "main"
"""The branch that a new repository begins with (autopoiesis §3.3)."""


def may_begin(workspace: Path) -> bool:
    """Tells whether a repository can be begun: none is there or above, nor anything else called `.git`. A `.git` folder
    that holds nothing but our hooks, or an earlier try, is none yet: a power cut leaves HEAD empty."""
    own = workspace / ".git"
    if os.path.lexists(own) and (own.is_symlink() or not own.is_dir() or not _is_headless(own)):
        return False
    return not any(os.path.lexists(folder / ".git") for folder in workspace.parents)


def begin_repository(workspace: Path, env: Mapping[str, str]) -> None:
    """Makes the repository where one can be begun; `GitFailed` where git cannot. What stands in `.git` stays."""
    if not may_begin(workspace):
        return
    folder = workspace / ".git"
    if folder.is_dir() and obstacle(folder, workspace, BRANCH, env):
        return
    (folder / "HEAD").unlink(missing_ok=True)  # git takes an empty one for a repository, and leaves it
    owner = folder_owner(folder if folder.is_dir() else workspace)
    git = Git(folder, workspace, dict(env), owner=owner)
    git.run("init", "--quiet", "--template=", f"--initial-branch={BRANCH}", as_owner=True)
    fsync_tree(folder)  # git fsyncs neither HEAD nor its settings
    fsync_folder(workspace)


def _is_headless(folder: Path) -> bool:
    head = folder / "HEAD"
    return not os.path.lexists(head) or (head.is_file() and not head.is_symlink() and not head.stat().st_size)
