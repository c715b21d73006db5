"""Moves the branch by compare-and-swap. What a git of ours that was killed left locked is known by its intent."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.history.git import GitFailed
from engine.history.intents import Begun, Intent, intended
from engine.history.locks import lock_paths
from engine.history.refs import common_folder, settle_ref, sync_ref
from engine.history.repository import Repository
from engine.text.safe_text import visible_line

_RETRY_SECONDS = 0.05
"""Seconds that another git gets to give its lock back before the branch is called locked."""


def move_branch(
    repository: Repository, new: str, old: str, subject: str, identity: Mapping[str, str], scratch: Path
) -> str:
    """Moves the branch from `old` to `new`; why not, where somebody moved it first or holds its lock; empty if moved.
    The branch goes by its own name: HEAD, and what a ref file says, could be rewritten to lead anywhere. An intent in
    `scratch` is on disk before git begins, so that the next commit and `recover` know the locks that it leaves."""
    branch = repository.branch()
    if branch is None:
        raise GitFailed("HEAD names no branch of its own", where="git update-ref")
    folder = repository.git.folder
    intent = Intent(str(common_folder(repository.git)), branch, new, head=os.path.realpath(folder))
    with intended(scratch, intent) as begun:
        try:
            return _moved(repository, begun, old, subject, identity)
        finally:
            settle_ref(repository.git, begun)


def _moved(repository: Repository, begun: Begun, old: str, subject: str, identity: Mapping[str, str]) -> str:
    branch, new = begun.intent.ref, begun.intent.commit
    # Git inherits the intent's lock: while it lives, even after us, nobody takes its locks for left over.
    git = msgspec.structs.replace(repository.git, kept=(begun.fd,))
    command = ("update-ref", "--no-deref", "-m", subject, branch, new, old or "0" * len(new))
    code, _, err = git.attempt(*command, more=identity, as_owner=True)
    now = new if code == 0 else repository.head()
    if now == new:  # it can fail after it moved the branch: HEAD's log cannot be written, or it is killed
        sync_ref(Path(begun.intent.git), branch)
        return ""
    if now != old:
        return "the branch kept changing"
    said = visible_line(" ".join(err.decode("utf-8", "replace").split()))
    if code > 0 and "lock" not in said:
        raise GitFailed(said or f"ended with {code}", where="git update-ref")
    time.sleep(_RETRY_SECONDS)
    held = next((lock for lock in lock_paths(git.folder, branch)[1:] if os.path.lexists(lock)), None)
    if held is not None:
        return f"{visible_line(str(held))}: the branch is locked by another git"
    return said or f"git update-ref ended with {code}"
