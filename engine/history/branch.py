"""Moves the branch by compare-and-swap, and clears away what a git of ours that was killed left locked."""

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from engine.history.git import GitFailed, GitTooSlow, read_regular
from engine.history.locks import LOCK_BYTES, lock_paths
from engine.history.repository import Repository
from engine.text.safe_text import visible_line

_RETRY_SECONDS = 0.05
"""Seconds that another git gets to give its lock back before the branch is called locked."""
_ORPHAN_SECONDS = 0.5
"""A git whose parent was killed may still be at work: moving a branch takes it some milliseconds."""


def move_branch(repository: Repository, new: str, old: str, subject: str, identity: Mapping[str, str]) -> str:
    """Moves the branch from `old` to `new`; why not, where somebody moved it first or holds its lock; empty if moved.

    The branch goes by its own name: HEAD, and what a ref file says, could be rewritten to lead anywhere.
    """
    branch = repository.branch()
    if branch is None:
        raise GitFailed("HEAD names no branch of its own", where="git update-ref")
    git = repository.git
    locks = lock_paths(git.folder, branch)[1:]
    _clear_cut_off(locks[-1], new)
    free = {lock for lock in locks if not os.path.lexists(lock)}
    command = ("update-ref", "--no-deref", "-m", subject, branch, new, old or "0" * len(new))
    try:
        code, _, err = git.attempt(*command, more=identity, as_owner=True)
    except GitTooSlow:
        _clear_own(free, new)
        raise
    if code < 0:  # killed: what it had locked a moment ago nobody gives back
        _clear_own(free, new)
    now = new if code == 0 else repository.head()
    if now == new:  # it can fail after it moved the branch: HEAD's log cannot be written, or it is killed
        return ""
    if now != old:
        return "the branch kept changing"
    said = visible_line(" ".join(err.decode("utf-8", "replace").split()))
    if code > 0 and "lock" not in said:
        raise GitFailed(said or f"ended with {code}", where="git update-ref")
    time.sleep(_RETRY_SECONDS)
    held = next((lock for lock in locks if os.path.lexists(lock)), None)
    if held is not None:
        return f"{visible_line(str(held))}: the branch is locked by another git"
    return said or f"git update-ref ended with {code}"


def _clear_cut_off(lock: Path, new: str) -> None:
    """Removes the branch's lock where an earlier try at this very commit was killed with it: it names the commit."""
    if _holds(lock, new):
        time.sleep(_ORPHAN_SECONDS)
        if _holds(lock, new):
            lock.unlink(missing_ok=True)


def _clear_own(locks: Iterable[Path], new: str) -> None:
    """Removes the locks that our own git made just now and left as it died: they are empty or name our commit."""
    for lock in locks:
        if _holds(lock, new) or _holds(lock, ""):
            lock.unlink(missing_ok=True)


def _holds(lock: Path, text: str) -> bool:
    try:
        return read_regular(lock, LOCK_BYTES).decode("ascii", "replace").strip() == text
    except OSError:
        return False
