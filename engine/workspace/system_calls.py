"""Calls to the system that stores of every kind share: a whole write, a durable name, whether a process is alive."""

import os
from contextlib import suppress
from pathlib import Path


def write_all(fd: int, data: bytes) -> None:
    """Writes every byte, however short the single writes are. An error of the system names the file where it can."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError as error:
        with suppress(OSError):  # a full disk says nothing of where; only Linux tells a descriptor's name
            error.filename = str(Path(f"/proc/self/fd/{fd}").readlink())
        raise


def fsync_folder(folder: Path) -> None:
    """Makes the folder's own entries durable."""
    _fsync(folder, os.O_DIRECTORY)


def fsync_tree(folder: Path) -> None:
    """Makes a folder durable with all files and folders below it; what is neither is left."""
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
    """Tells whether there is a process of that number, whoever owns it."""
    try:
        # Signal 0 is not sent: only whether it could be is told.
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
