"""Holds git's lock on the index while the branch moves, and updates the index for the new commit (decision D22).
Without it the old index would stay, and the next `git commit` of anybody would undo this commit."""

import fcntl
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import MemdeckError
from engine.history.git import Git, GitFailed, read_regular
from engine.history.trees import Folders, PathEntry, entry_at
from engine.workspace.system_calls import fsync_folder

WAIT_SECONDS = 1.0  # seconds for which a git at work in the repository is waited for
LOCK = "index.lock"
OWN = "index.memdeck-"  # the process id and a number follow
_RETRY_SECONDS = 0.05  # seconds between two tries for the index's lock
_LARGEST = 512 << 20
"""The most bytes of an index; one of a million files has a fifth of it. Without it a sparse file could fill memory."""
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MOST_NAMES = 1_000  # names that are tried for an index of ours beside the real one
_FEW = 64  # up to so many paths are asked for by name


class IndexLocked(MemdeckError, title="Git"):
    """Another git holds the index."""


class HeldIndex:
    """The index while memdeck holds its lock. Nobody sees the new content before `replace`."""

    def __init__(self, folder: Path, own: Path, fd: int) -> None:
        self._folder, self._own, self._fd, self._stays = folder, own, fd, False

    def keep(self) -> None:
        """Keeps the lock after this process ends, until `recover`: a git with the old index would undo the commit."""
        self._stays = True

    def let_go(self) -> None:
        """Lets `release` remove the lock, since the branch has not moved."""
        self._stays = False

    def write(self, data: bytes) -> None:
        """Writes the next index to disk beside the present one."""
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
        with suppress(OSError):
            # Entries as young as the index are compared again by the next git: they stay so, since we compared none.
            old = (self._folder / "index").lstat()
            os.utime(self._fd, ns=(old.st_mtime_ns, old.st_mtime_ns))
        os.fsync(self._fd)

    def replace(self) -> None:
        """Replaces the index by what was written, and syncs the folder."""
        (self._folder / LOCK).replace(self._folder / "index")
        fsync_folder(self._folder)
        self.let_go()

    def release(self) -> None:
        """Removes the lock, unless the index must still be updated for the branch."""
        if not self._stays:
            lock = self._folder / LOCK
            if _same(lock, self._own):
                lock.unlink()
            self._own.unlink(missing_ok=True)


@contextmanager
def held_index(folder: Path, owner: tuple[int, int] | None) -> Iterator[HeldIndex]:
    """Holds the index lock during a block; `IndexLocked` where another git holds it. The lock is a hard link to a
    file with a kernel lock, which tells a lock that a dead memdeck left. `owner` gets the file."""
    own, fd = _adopted(folder) or _made(folder, owner)
    held = HeldIndex(folder, own, fd)
    try:
        _link(own, folder / LOCK, WAIT_SECONDS)
        yield held
    finally:
        try:
            held.release()
        finally:
            os.close(fd)


def clear_dead(folder: Path) -> tuple[str, ...]:
    """Removes the files and locks that killed memdecks left in the git folder; gives their names."""
    gone = []
    for own, fd in _dead(folder):
        try:
            names = [own.name]
            if _same(folder / LOCK, own):
                (folder / LOCK).unlink()
                names.append(LOCK)
            own.unlink()
            gone += names
        finally:
            os.close(fd)
    return tuple(gone)


def dead_files(folder: Path) -> tuple[str, ...]:
    """Gives the names of the files that `clear_dead` would remove."""
    dead = list(_dead(folder))
    for _, fd in dead:
        os.close(fd)
    return tuple(own.name for own, _ in dead)


def _made(folder: Path, owner: tuple[int, int] | None) -> tuple[Path, int]:
    """Makes a new file with the kernel's lock on it, and with the mode and owner of the index."""
    for number in range(_MOST_NAMES):
        own = folder / f"{OWN}{os.getpid()}-{number}"
        with suppress(FileExistsError):
            fd = os.open(own, _OPEN | os.O_CREAT | os.O_EXCL, 0o666)
            _dress(fd, folder / "index", owner)
            _take(fd)
            return own, fd
    raise GitFailed(f"{folder} is full of files called {OWN}…", where="git")


def _dress(fd: int, index: Path, owner: tuple[int, int] | None) -> None:
    with suppress(OSError):
        facts = index.lstat()
        if stat.S_ISREG(facts.st_mode):
            os.fchmod(fd, stat.S_IMODE(facts.st_mode))
    if owner is not None:
        os.fchown(fd, *owner)


def _adopted(folder: Path) -> tuple[Path, int] | None:
    """Takes over the lock of a memdeck that died, so that no other git gets it in between; None if there is none."""
    found = None
    for own, fd in _dead(folder):
        if found is None and _same(folder / LOCK, own):
            found = own, fd
            continue
        try:
            own.unlink(missing_ok=True)
        finally:
            os.close(fd)
    return found


def _dead(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yields the files of memdecks that are no longer running, each opened and locked; the caller closes it."""
    for own in sorted(folder.glob(f"{OWN}[0-9]*")):
        try:
            fd = os.open(own, _OPEN)
        except OSError:
            continue
        if stat.S_ISREG(os.fstat(fd).st_mode) and _take(fd):
            yield own, fd
        else:
            os.close(fd)


def _take(fd: int) -> bool:
    """Takes the kernel's lock on a file; False where a running process has it or the file system has no locks."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _link(own: Path, lock: Path, wait: float) -> None:
    deadline = time.monotonic() + wait
    # A link fails where the lock is there; a rename would replace it.
    while not _same(lock, own):
        try:
            os.link(own, lock, follow_symlinks=False)
        except FileExistsError:
            if time.monotonic() > deadline:
                raise IndexLocked("the index is locked by another git", where=str(lock)) from None
            time.sleep(_RETRY_SECONDS)


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samestat(one.lstat(), other.lstat())
    except OSError:
        return False


def updated_index(git: Git, before: Folders, lines: bytes, scratch: Path) -> bytes:
    """Gives the bytes of the index with memdeck's blobs, by `lines` for `update-index --index-info`. Paths that
    somebody staged (other than `before`) stay. Git runs on an empty worktree, which has no file to filter."""
    copy = scratch / "real-index"
    copy.unlink(missing_ok=True)
    try:
        index = read_regular(git.folder / "index", _LARGEST + 1)
    except FileNotFoundError:
        git.run("read-tree", "--empty", index=copy)
    else:
        if len(index) > _LARGEST:
            raise GitFailed(f"the index is larger than {_LARGEST >> 20} MiB", where="git")
        copy.write_bytes(index)
    ours = [row for row in lines.split(b"\0") if row]
    # By their names where they are few: a listing of all is most of the time that a commit of one note takes.
    named = [os.fsdecode(_path(row)) for row in ours] if len(ours) <= _FEW else []
    now = _staged(git.run("ls-files", "--stage", "-z", "--", *named, index=copy))
    # An entry that differs from the commit was staged by somebody: it stays theirs (decision D22).
    fresh = [row for row in ours if _committed(before, _path(row)) == now.get(_path(row))]
    nothing = scratch / "no-files"
    nothing.mkdir(exist_ok=True)
    data = b"".join(row + b"\0" for row in fresh)
    there = {"GIT_WORK_TREE": str(nothing)}
    git.run("-C", str(nothing), "update-index", "-z", "--index-info", stdin=data, index=copy, more=there)
    return copy.read_bytes()


def index_lines(entries: Sequence[PathEntry], id_length: int) -> bytes:
    """Gives the input for `update-index --index-info`, removals first, so that a folder can replace a file."""
    gone = [b"0 %s\t%s\0" % (b"0" * id_length, os.fsencode(entry.path)) for entry in entries if entry.blob is None]
    there = [
        f"{entry.mode} {entry.blob}\t".encode() + os.fsencode(entry.path) + b"\0" for entry in entries if entry.blob
    ]
    return b"".join(gone + there)


def _path(row: bytes) -> bytes:
    return row.partition(b"\t")[2]


def _committed(folders: Folders, path: bytes) -> tuple[bytes, ...] | None:
    entry = entry_at(folders, os.fsdecode(path))
    return None if entry is None else (entry.file_mode.encode(), entry.id.encode())


def _staged(listing: bytes) -> dict[bytes, tuple[bytes, ...]]:
    """Gives the mode and blob of each path in an index. An entry of an unfinished merge has its stage too."""
    blobs: dict[bytes, tuple[bytes, ...]] = {}
    for row in listing.split(b"\0"):
        facts, _, path = row.partition(b"\t")
        cells = facts.split(b" ")
        if len(cells) == 3:
            mode, blob, stage = cells
            blobs[path] = (mode, blob) + ((stage,) if stage != b"0" else ())
    return blobs
