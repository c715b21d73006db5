"""Writing memdeck's own records so that a crash leaves the old bytes or the new, never a mixture."""

import os
from pathlib import Path


def fsync_folder(folder: Path) -> None:
    """Makes names created, renamed or removed in `folder` survive a power loss."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_fsynced(fd: int, data: bytes) -> None:
    """All of `data` to `fd`, then to the disk."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.fsync(fd)


def write_atomic(path: Path, data: bytes) -> None:
    """Gives `path` these bytes, readable by its owner alone; file and folder are fsynced."""
    beside = path.with_name(f".{path.name}.new")
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        write_fsynced(fd, data)
    finally:
        os.close(fd)
    beside.replace(path)
    fsync_folder(path.parent)
