"""Changes files of a workspace: through folder descriptors, without following links, and never over a file. The
kernel exchanges and refuses to replace in one step where it can (decision A10); elsewhere hard links do."""

import ctypes
import errno
import functools
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from engine.errors import Refused
from engine.state.private_files import step
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import MAX_KEPT, read_to_end
from engine.workspace.system_calls import write_all

# Flags as the kernels define them: RENAME_NOREPLACE and RENAME_EXCHANGE of Linux; RENAME_SWAP and RENAME_EXCL of macOS.
_NOREPLACE, _EXCHANGE = 1, 2
_MAC_EXCHANGE, _MAC_NOREPLACE = 2, 4  # flags of `renamex_np`, which has both under other numbers than Linux
_SYSCALLS = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "armv7l": 382, "i686": 353, "ppc64le": 357, "s390x": 347}
"""Numbers of the `renameat2` system call by machine, for C libraries without the function."""
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
"""Errors of kernels and file systems that cannot exchange, or refuse to replace (decision A10)."""
# File systems without hard links, such as FAT, answer EPERM.
_NO_LINKS = _UNSUPPORTED | {errno.EPERM, errno.EMLINK}
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class FolderEntry(NamedTuple):
    """A name in an opened folder."""

    folder: int
    name: str


class EntryFacts(NamedTuple):
    """An entry's sha256 and metadata; the sha256 is None for no regular file or a too large one."""

    sha256: str | None
    facts: os.stat_result

    @property
    def inode(self) -> tuple[int, int]:
        return self.facts.st_dev, self.facts.st_ino


@contextmanager
def _named(spot: FolderEntry) -> Iterator[None]:
    """Puts the full path into an error of the system, where Linux tells the path of a descriptor."""
    try:
        yield
    except OSError as error:
        with suppress(OSError):
            error.filename = str(Path(f"/proc/self/fd/{spot.folder}").readlink() / spot.name)
        raise


def facts(spot: FolderEntry) -> os.stat_result | None:
    """Reads the metadata of an entry, links not followed; None for nothing."""
    try:
        return os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def look(spot: FolderEntry) -> EntryFacts | None:
    """Reads an entry, with the hash of a regular file; None for nothing."""
    seen = facts(spot)
    if seen is None or not stat.S_ISREG(seen.st_mode):
        return seen and EntryFacts(None, seen)
    try:
        fd = os.open(spot.name, _READ, dir_fd=spot.folder)
    except FileNotFoundError:
        return None
    try:
        opened = os.fstat(fd)
        return EntryFacts(_hashed(fd, opened), opened)
    finally:
        os.close(fd)


def _hashed(fd: int, opened: os.stat_result) -> str | None:
    if not stat.S_ISREG(opened.st_mode):
        return None
    try:
        return sha256_hex(read_to_end(fd, opened.st_size, MAX_KEPT))
    except Refused:
        return None


def stage(
    spot: FolderEntry, data: bytes, like: os.stat_result | None, folder: int | None, *, program: bool = False
) -> tuple[int, int]:
    """Writes and syncs a new file at a place that only memdeck uses; gives its device and inode. It gets the mode
    and owner of `like`, the file to replace, or else of `folder`. `program`: it is executable."""
    step("stage-write")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with _named(spot):
        # Private until it is dressed: the file it replaces may be readable by fewer than the umask allows.
        fd = os.open(spot.name, flags, 0o600, dir_fd=spot.folder)
    try:
        write_all(fd, data)
        _dress(fd, like, folder, 0o777 if program else 0o666)
        step("stage-fsync")
        os.fsync(fd)
        made = os.fstat(fd)
        return made.st_dev, made.st_ino
    finally:
        os.close(fd)


def _dress(fd: int, like: os.stat_result | None, folder: int | None, mode: int) -> None:
    """Sets mode and owner to those of the replaced file, so that an agent under another user keeps its access."""
    if like is not None:
        _own(fd, like.st_uid, like.st_gid)
        # After the owner: `chown` takes away set-user bits.
        os.fchmod(fd, stat.S_IMODE(like.st_mode))
        return
    os.fchmod(fd, mode & ~umask())
    if folder is not None:
        _own_like_folder(fd, os.fstat(folder))


def _own_like_folder(fd: int, folder: os.stat_result) -> None:
    """Gives a file that root makes the folder's owner, and the group of a set-group folder."""
    user = folder.st_uid if os.geteuid() == 0 else -1
    group = folder.st_gid if os.geteuid() == 0 or folder.st_mode & stat.S_ISGID else -1
    _own(fd, user, group)


def _own(fd: int, user: int, group: int) -> None:
    made = os.fstat(fd)
    # One by one: a process that may not give the user away may still give the group.
    for wanted_user, wanted_group in ((user, -1), (-1, group)):
        if (wanted_user, wanted_group) in ((made.st_uid, -1), (-1, made.st_gid), (-1, -1)):
            continue
        with suppress(PermissionError):  # only root may give files away
            os.fchown(fd, wanted_user, wanted_group)


@functools.cache
def umask() -> int:
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        mask = os.umask(0o077)  # elsewhere it can be read only by setting it for a moment
        os.umask(mask)
        return mask
    return next((int(line.split()[1], 8) for line in status.splitlines() if line.startswith("Umask:")), 0o022)


def rename_noreplace(source: FolderEntry, target: FolderEntry) -> None:
    """Renames a file; `FileExistsError` where the target exists. Programs that have it open keep writing to it."""
    step("rename")
    try:
        if _rename(source, target, _NOREPLACE):
            return
        os.link(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder, follow_symlinks=False)
    except FileExistsError:
        if not _same_file(source, target):  # else a rename by link, or on the disk, was cut off half-way: finish it
            raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _rename_by_look(source, target)
        return
    step("unlink")
    os.unlink(source.name, dir_fd=source.folder)


def _rename_by_look(source: FolderEntry, target: FolderEntry) -> None:
    """Renames where neither the kernel nor hard links can refuse to replace: a file that appears meanwhile is lost."""
    if facts(target) is not None:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target.name)
    os.rename(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)


def displace(new: FolderEntry, target: FolderEntry, keep: FolderEntry) -> None:
    """Replaces `target` by `new` and keeps its inode at `keep`, without a moment when the target is missing. The
    caller checks what was displaced. Where hard links do not work, `keep` stays empty."""
    step("exchange")
    if _rename(new, target, _EXCHANGE):
        # After an exchange `new` is the name of what was displaced.
        rename_noreplace(new, keep)
        return
    step("link-aside")
    try:
        os.link(target.name, keep.name, src_dir_fd=target.folder, dst_dir_fd=keep.folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS and not _same_file(target, keep):
            raise
    step("replace")
    # `keep` is a second name of the old file by now: replacing takes only its first one away.
    os.replace(new.name, target.name, src_dir_fd=new.folder, dst_dir_fd=target.folder)


def _same_file(one: FolderEntry, other: FolderEntry) -> bool:
    first, second = facts(one), facts(other)
    return bool(first and second and os.path.samestat(first, second))


def drop(spot: FolderEntry) -> None:
    """Removes a staged file that nobody saw, or one of several names of a file."""
    step("unlink")
    with suppress(FileNotFoundError):
        os.unlink(spot.name, dir_fd=spot.folder)


def make_folder(parent: int, name: str, mode: int = 0o777) -> bool:
    """Makes a folder and syncs its parent; False where it exists."""
    step("mkdir")
    try:
        with _named(FolderEntry(parent, name)):
            os.mkdir(name, mode, dir_fd=parent)
    except FileExistsError:
        return False
    fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        _own_like_folder(fd, os.fstat(parent))
    finally:
        os.close(fd)
    sync(parent)
    return True


def remove_folder(parent: int, name: str) -> bool:
    """Removes an empty folder; False where it is not empty or gone."""
    step("rmdir")
    try:
        os.rmdir(name, dir_fd=parent)
    except OSError as error:
        # On a read-only file system a folder that is not there is answered with EROFS.
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
            return False
        if facts(FolderEntry(parent, name)) is None:
            return False
        raise
    sync(parent)
    return True


def sync(folder: int) -> None:
    step("folder-fsync")
    os.fsync(folder)


def _rename(source: FolderEntry, target: FolderEntry, flag: int) -> bool:
    """Renames with a flag; False where the kernel or the file system does not know it."""
    if (call := _renamer()) is None:
        return False
    if call(source, target, flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), source.name, None, target.name)


@functools.cache
def _renamer() -> Callable[[FolderEntry, FolderEntry, int], int] | None:
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        flags = {_NOREPLACE: _MAC_NOREPLACE, _EXCHANGE: _MAC_EXCHANGE}
        call, number = getattr(libc, "renameatx_np", None), None
    else:
        flags = {_NOREPLACE: _NOREPLACE, _EXCHANGE: _EXCHANGE}
        call, number = getattr(libc, "renameat2", None), _SYSCALLS.get(platform.machine())
    # Old C libraries lack the function; the kernel may have the call all the same.
    if call is None and number is not None:
        call = functools.partial(libc.syscall, ctypes.c_long(number))
    if call is None:
        return None

    def renamer(source: FolderEntry, target: FolderEntry, flag: int) -> int:
        return int(
            call(
                ctypes.c_int(source.folder),
                os.fsencode(source.name),
                ctypes.c_int(target.folder),
                os.fsencode(target.name),
                ctypes.c_uint(flags[flag]),
            )
        )

    return renamer
