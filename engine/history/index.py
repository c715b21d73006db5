"""Brings the repository's real index up to date for our paths, under its own lock (decision D22)."""

import os
import time
from pathlib import Path

from engine.errors import MemdeckError
from engine.history.git import Git, read_regular

_WAIT_SECONDS = 1.0
_RETRY_SECONDS = 0.05
_NOTE = "git status may show our paths as changed"
_LOCK = "index.lock"
_OWN = "index.memdeck-"
_LARGEST = 512 << 20
"""Bytes; a million files need a fifth of it. A sparse file in the index's place costs its writer nothing."""


def refresh_index(git: Git, old: str, lines: bytes, scratch: Path) -> str:
    """Enters our new blobs, as `update-index --index-info` takes them, so that `git status` is clean for our paths.

    A path that somebody staged (its entry is not the one of the commit `old`) is left as it is. Returns what went
    wrong, which never undoes the commit; empty for nothing.
    """
    own = git.folder / f"{_OWN}{os.getpid()}"
    try:
        _clear_dead(git.folder)
        if not _take_lock(git.folder, own):
            return f"the index is locked by another git: {_NOTE}"
        try:
            _fill(own, _updated(git, old, lines, scratch / "real-index"))
            (git.folder / _LOCK).replace(git.folder / "index")
        except BaseException:
            (git.folder / _LOCK).unlink(missing_ok=True)
            raise
        finally:
            own.unlink(missing_ok=True)
    except (OSError, MemdeckError) as error:
        return f"the index was not refreshed ({error}): {_NOTE}"
    return ""


def _take_lock(folder: Path, own: Path) -> bool:
    """Git's own lock: whoever creates `index.lock` may replace the index. False where another keeps it.

    It is made as a second name of `own`: after a crash that tells whose it was, so that nobody has to remove it.
    """
    os.close(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666))
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            os.link(own, folder / _LOCK, follow_symlinks=False)
            return True
        except FileExistsError:
            if time.monotonic() > deadline:
                own.unlink(missing_ok=True)
                return False
            time.sleep(_RETRY_SECONDS)


def _clear_dead(folder: Path) -> None:
    """Takes away the lock of a memdeck that died holding it."""
    for own in folder.glob(f"{_OWN}[0-9]*"):
        pid = own.name.removeprefix(_OWN)
        if pid.isdecimal() and not _is_running(int(pid)):
            lock = folder / _LOCK
            if lock.exists() and lock.samefile(own):
                lock.unlink()
            own.unlink()


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return pid != os.getpid()


def _fill(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def _updated(git: Git, old: str, lines: bytes, copy: Path) -> bytes:
    """The bytes of the real index with our paths entered, worked out on a private copy."""
    copy.unlink(missing_ok=True)
    try:
        index = read_regular(git.folder / "index", _LARGEST + 1)
    except FileNotFoundError:
        git.run("read-tree", "--empty", index=copy)
    else:
        if len(index) > _LARGEST:
            raise MemdeckError(f"it is larger than {_LARGEST >> 20} MiB")
        copy.write_bytes(index)
    before = _entries(git.run("ls-tree", "-r", "-z", "--full-tree", old)) if old else {}
    now = _entries(git.run("ls-files", "--stage", "-z", index=copy), staged=True)
    ours = [row for row in lines.split(b"\0") if row]
    fresh = [row for row in ours if before.get(_path(row)) == now.get(_path(row))]
    git.run("update-index", "-z", "--index-info", stdin=b"".join(row + b"\0" for row in fresh), index=copy)
    return copy.read_bytes()


def _path(row: bytes) -> bytes:
    return row.partition(b"\t")[2]


def _entries(listing: bytes, *, staged: bool = False) -> dict[bytes, tuple[bytes, ...]]:
    """Mode and blob of each path. An entry of an unfinished merge has a stage, and equals nothing."""
    found: dict[bytes, tuple[bytes, ...]] = {}
    for row in listing.split(b"\0"):
        facts, _, path = row.partition(b"\t")
        cells = facts.split(b" ")
        if len(cells) == 3:
            mode, second, third = cells
            found[path] = (mode, second) + ((third,) if third != b"0" else ()) if staged else (mode, third)
    return found
