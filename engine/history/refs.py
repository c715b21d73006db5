"""Makes a ref once, and moves a branch only from the commit that was read. Clears the locks that killed gits of
memdeck left (decision D22)."""

import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.history.git import TIMEOUT, Git, GitFailed, read_regular
from engine.history.git_locks import LOCK_BYTES, Begun, Intent, git_at_work, holders, intended, lock_paths
from engine.history.repository import Repository
from engine.text.safe_text import visible_line
from engine.workspace.system_calls import fsync_folder

_NANO = 1_000_000_000  # nanoseconds in a second
_LATEST = int(TIMEOUT + 5) * _NANO  # nanoseconds after its intent until which a git of ours may have made its lock


def make_ref(git: Git, begun: Begun, *options: str) -> None:
    """Makes the intended ref; `GitFailed` where it exists or another git holds its lock."""
    intent = begun.intent
    # Git inherits the intent's lock: while it lives, even after us, nobody takes its lock for left over.
    kept = msgspec.structs.replace(git, kept=(begun.fd,))
    command = ("update-ref", "--no-deref", *options, intent.ref, intent.commit, "0" * len(intent.commit))
    code, _, err = kept.attempt(*command, as_owner=True)
    if code == 0:
        sync_ref(Path(intent.git), intent.ref)
        return
    said = visible_line(" ".join(err.decode("utf-8", "replace").split()))
    if ".lock" in said and "File exists" in said:
        lock = visible_line(str(ref_lock(begun)))
        raise GitFailed("another git has the ref locked", where=lock, hint="wait until that git ends; memdeck doctor")
    raise GitFailed(said.removeprefix("fatal: ") or f"ended with {code}", where="git update-ref")


def common_folder(git: Git) -> Path:
    """Gives the git folder that all worktrees share, with links resolved."""
    linked = os.path.lexists(git.folder / "commondir")
    common = git.line("rev-parse", "--path-format=absolute", "--git-common-dir") if linked else ""
    return Path(os.path.realpath(common or git.folder))


def sync_ref(common: Path, ref: str) -> None:
    """Syncs the folders of a ref's file, because git syncs only the file."""
    for folder in (common / ref).parents:
        with suppress(FileNotFoundError, NotADirectoryError):  # it lies in a table of refs
            fsync_folder(folder)
        if folder == common:
            return


def ref_lock(begun: Begun) -> Path:
    return Path(begun.intent.git) / f"{begun.intent.ref}.lock"


def clear_ref_lock(git: Git, begun: Begun) -> str:
    """Removes the locks that a git of memdeck left on the intended ref and on HEAD; gives what prevents it, else
    empty. Such a lock has the intent's time and commit, and no process has it open."""
    head = (Path(begun.intent.head) / "HEAD.lock",) if begun.intent.head else ()
    return next(filter(None, (_clear(git, begun, lock) for lock in (ref_lock(begun), *head))), "")


def _clear(git: Git, begun: Begun, lock: Path) -> str:
    try:
        facts = lock.lstat()
        if not _is_ours(lock, facts, begun):
            return ""
    except OSError:
        return ""  # there is none, or none that can be read
    # Git may hold a lock without having it open.
    holder = next(iter(holders(facts)), None) or git_at_work((git.folder, git.top))
    if holder is not None:
        return f"{visible_line(str(lock))}: process {holder} may have it"
    lock.unlink(missing_ok=True)
    fsync_folder(lock.parent)  # before the intent goes, which tells whose it was
    return ""


def _is_ours(lock: Path, facts: os.stat_result, begun: Begun) -> bool:
    """Tells whether the lock has the time and content of memdeck's git, and no link in its path."""
    if not stat.S_ISREG(facts.st_mode) or os.path.realpath(lock) != str(lock):
        return False
    if not begun.made <= facts.st_mtime_ns <= begun.made + _LATEST:
        return False
    return f"{begun.intent.commit}\n".encode().startswith(read_regular(lock, LOCK_BYTES))


def settle_ref(git: Git, begun: Begun) -> None:
    """Removes the intent once its locks are gone; otherwise the next commit or `recover` does."""
    with suppress(OSError):
        if not clear_ref_lock(git, begun):
            begun.done()


_RETRY_SECONDS = 0.05  # seconds that another git gets to give its lock back before the branch is called locked


def move_branch(
    repository: Repository, new: str, old: str, subject: str, identity: Mapping[str, str], scratch: Path
) -> str:
    """Moves the branch from `old` to `new`; gives the reason if it could not, empty if it did. HEAD and ref files
    can lead elsewhere, so the branch itself is named. An intent in `scratch` lets later calls recognise its locks."""
    if (branch := repository.branch()) is None:
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
