"""A folder that the operator names for an export: files are only added below it, and no link is followed."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Self

from engine.errors import Conflict, MemdeckError, Refused
from engine.workspace.paths import FileMissing, WorkspaceRoot, os_reason, relative_path
from engine.workspace.system_calls import write_all

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class ExportFolder:
    """Opens the folder, made where it is missing. What the operator names may be a link; below it none is followed."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            hint = "name a folder that can be written"
            raise Refused(f"no such folder can be made: {os_reason(error)}", where=str(folder), hint=hint) from error
        self._root = WorkspaceRoot.open(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._root.close()

    @property
    def path(self) -> str:
        """The real path of the folder."""
        return self._root.identity.path

    def read(self, path: str, most: int) -> bytes | None:
        """The bytes of a file that is there; None for none. `Refused` for a link, a folder or a larger file."""
        try:
            return self._root.read(path, most)
        except FileMissing:
            return None

    def write(self, path: str, data: bytes) -> None:
        """Adds a file, readable by its owner alone; `Conflict` where something is there by now."""
        try:
            folder = self._parent(path)
            try:
                _add(folder, relative_path(path).rpartition("/")[2], data)
            finally:
                os.close(folder)
        except FileExistsError as error:
            raise Conflict("something was put there meanwhile", where=f"{self.path}/{path}") from error
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise Refused("a link or a file in place of a folder", where=f"{self.path}/{path}") from error
            raise MemdeckError(f"it cannot be written: {os_reason(error)}", where=f"{self.path}/{path}") from error

    def _parent(self, path: str) -> int:
        here = os.open(".", _FOLDER, dir_fd=self._root.fd)
        for name in relative_path(path).split("/")[:-1]:
            try:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=here)
                below = os.open(name, _FOLDER, dir_fd=here)
            finally:
                os.close(here)
            here = below
        return here


def _add(folder: int, name: str, data: bytes) -> None:
    """Writes a file under a name of its own and links it to its name, which fails where there is one: never half."""
    fresh = f".memdeck-{os.getpid()}.new"
    with suppress(FileNotFoundError):
        os.unlink(fresh, dir_fd=folder)  # of a process of this number that was killed
    _write(folder, fresh, data)
    try:
        os.link(fresh, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _write(folder, name, data)
    finally:
        os.unlink(fresh, dir_fd=folder)
    os.fsync(folder)


def _write(folder: int, name: str, data: bytes) -> None:
    fd = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
