"""Begins a repository in a workspace that has none, by git without a template (D22); finds its owner."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.history.git import Git
from engine.history.git_hazards import obstacle
from engine.history.git_locks import git_at_work
from engine.history.repository import Repository
from engine.workspace.system_calls import fsync_folder, fsync_tree


def as_its_owner(repository: Repository, scratch: Path) -> Repository:
    """Gives the repository with writes made as its owner, if memdeck runs as root and the owner can enter it."""
    git = repository.git
    if (owner := folder_owner(git.folder)) is None:
        return repository
    theirs = msgspec.structs.replace(git, owner=owner)
    try:
        code, _, _ = theirs.attempt("rev-parse", "--git-dir", as_owner=True)
    except MemdeckError:
        return repository
    if code != 0:  # a folder that its owner cannot reach: nobody of that name works in it
        return repository
    objects = scratch / "objects"
    objects.mkdir()
    return Repository(msgspec.structs.replace(theirs, objects=objects), repository.prefix)


def folder_owner(folder: Path) -> tuple[int, int] | None:
    """Gives the user and group of a git folder where memdeck runs as root and root does not own it; None otherwise."""
    facts = folder.stat()
    return (facts.st_uid, facts.st_gid) if os.geteuid() == 0 and facts.st_uid != 0 else None


def hand_over(git: Git, new: str, old: str) -> None:
    """Copies the objects that the commit `new` adds to `old` into the repository, if they were written elsewhere."""
    if git.objects is None:
        return
    wanted = f"{new}\n^{old}\n" if old else f"{new}\n"
    pack = git.run("pack-objects", "--revs", "--stdout", "-q", stdin=wanted.encode())
    git.run("unpack-objects", "-q", stdin=pack, as_owner=True)


BRANCH = "main"  # the branch that a new repository begins with (autopoiesis §3.3)


def may_begin(workspace: Path) -> bool:
    """Tells whether a repository can be begun: no `.git` is there or above. A `.git` folder with only hooks, or with
    an empty HEAD or no objects after an interruption, does not count."""
    own = workspace / ".git"
    if os.path.lexists(own) and (own.is_symlink() or not own.is_dir() or _is_begun(own)):
        return False
    return not any(os.path.lexists(folder / ".git") for folder in workspace.parents)


def begin_repository(workspace: Path, env: Mapping[str, str]) -> None:
    """Makes the repository where `may_begin` allows it; `GitFailed` where git fails. Files in `.git` stay."""
    if not may_begin(workspace):
        return
    folder = workspace / ".git"
    if folder.is_dir() and obstacle(folder, workspace, BRANCH, env):
        return
    if os.path.lexists(head := folder / "HEAD") and not head.stat().st_size:
        head.unlink()  # git leaves an empty one as it is
    if (lock := folder / "config.lock").is_file() and git_at_work((folder, workspace)) is None:
        lock.unlink()  # of a git that died before there was a repository, where no other can be at work
    git = Git(folder, workspace, dict(env), owner=folder_owner(folder if folder.is_dir() else workspace))
    git.run("init", "--quiet", "--template=", f"--initial-branch={BRANCH}", as_owner=True)
    fsync_tree(folder)  # git fsyncs neither HEAD nor its settings
    fsync_folder(workspace)


def _is_begun(folder: Path) -> bool:
    """Tells whether a git folder is complete, or has a HEAD that is no regular file."""
    if (head := folder / "HEAD").is_symlink() or not head.is_file():
        return os.path.lexists(head)
    return bool(head.stat().st_size) and all((folder / name).is_dir() for name in ("objects", "refs"))
