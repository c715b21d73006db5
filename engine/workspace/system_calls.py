"""Shared system calls: whole writes, durable names, cached files, processes, paths of programs."""

import hashlib
import os
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path


def write_all(fd: int, data: bytes) -> None:
    """Writes every byte, repeating short writes. Names the file in an error where possible."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError as error:
        with suppress(OSError):  # a full disk says nothing of where; only Linux tells a descriptor's name
            error.filename = str(Path(f"/proc/self/fd/{fd}").readlink())
        raise


def fsync_folder(folder: Path) -> None:
    """Makes a folder's entries durable."""
    _fsync(folder, os.O_DIRECTORY)


def fsync_tree(folder: Path) -> None:
    """Makes a folder, its files and its subfolders durable."""
    for parent, _, names in os.walk(folder):
        for path in (Path(parent) / name for name in names):
            if path.is_file() and not path.is_symlink():
                _fsync(path)
        fsync_folder(Path(parent))


def _fsync(path: Path, flags: int = os.O_NOFOLLOW) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def is_running(pid: int) -> bool:
    """Tells whether a process with this number exists, whoever owns it."""
    try:
        # Signal 0 is not sent: only whether it could be is told.
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Yields a temporary name that is removed after an error, which then names `path`."""
    fresh = temporary(path)
    try:
        yield fresh
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        error.filename, error.filename2 = str(path), None
        raise


def temporary(path: Path) -> Path:
    """Returns a name beside `path` that no other process or thread uses; a crash may leave it behind."""
    return path.parent / f".{path.name}.{os.getpid()}-{threading.get_ident()}.new"


_DIGEST_SIZE = 32  # bytes of the sha256 in front: a cache that was altered or cut off is made anew


def read_cached(file: Path) -> bytes:
    """Returns cached bytes; none if the file is missing, cut off or altered."""
    try:
        data = file.read_bytes()
    except OSError:
        return b""
    body = data[_DIGEST_SIZE:]
    return body if hashlib.sha256(body).digest() == data[:_DIGEST_SIZE] else b""


UNWRITTEN: set[Path] = set()
"""Folders of which this process only reads, as `--read-only` asks."""


def write_cached(file: Path, body: bytes) -> None:
    """Caches bytes atomically, without fsync: after a crash they are simply made again."""
    if file.parent in UNWRITTEN:
        return
    with beside(file) as fresh:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(fresh, flags, 0o600), "wb") as out:
            out.write(hashlib.sha256(body).digest())
            out.write(body)
        fresh.replace(file)


def find_program(name: str, workspace: Path, env: Mapping[str, str]) -> str | None:
    """Returns the absolute path of a program outside the workspace, following links; else None. `name`: a plain name,
    searched in `search_path`, or an absolute path."""
    inside = os.path.realpath(workspace)
    candidates = [name] if os.path.isabs(name) else []  # noqa: PTH117
    if os.sep not in name:  # one with a slash would be taken from the working folder
        candidates = [f"{folder}/{name}" for folder in search_path(workspace, env).split(os.pathsep) if folder]
    return next((path for path in candidates if _runs(path) and not _within(os.path.realpath(path), inside)), None)


def search_path(workspace: Path, env: Mapping[str, str]) -> str:
    """Returns PATH without workspace, empty and relative entries, which would depend on the working folder."""
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
