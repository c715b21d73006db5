"""The file `memory.db` as SQLite may touch it: one regular file at the root of the workspace, and nothing beside it.

The agent can write there, so nothing about the file is believed. It is opened through the workspace's own descriptor,
never through a link and never where it has a second name. No journal, log or shared memory lies beside it: a journal
planted there could have SQLite delete a file of the attacker's choice, and shared memory cut short would end the
process. What commits do instead: pages change only at the end of a transaction, in one go, and a seal in the
operator's state folder says how the file looked after it. A file that looks otherwise was changed by something else, or
by a process that died while writing, and is made anew from the notes (decision D14).

Locks are held on the seal: readers share it, a writer has it alone while pages change. A second file keeps writers
apart. No lock is waited for here: who waited for the writers' turn with a share of the seal in hand would keep the
writer whose turn it is from its commit. SQLite lets go of everything and tries again, as `Vault.wait` tells it to.
"""

import fcntl
import os
import stat
import time
from pathlib import Path
from typing import Any

import apsw
import msgspec

from engine.search.values import NAME
from engine.workspace.paths import Root

VFS = "memdeck-index"
_SECTOR = 4096
_RETRY = 0.005


class NotOurs(Exception):
    """The file is not as we left it; `str` says why in half a sentence."""


class _Seal(msgspec.Struct, array_like=True, frozen=True):
    """How the file looked when the last commit had ended."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


def seal_of(facts: os.stat_result) -> _Seal:
    return _Seal(facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


class Vault:
    """Where one workspace's index lies, and the two lock files that guard it in the operator's state folder."""

    def __init__(self, root: Root, state: Path) -> None:
        self.root = root
        self.state = state
        self.opened: os.stat_result | None = None
        """The file that was opened last."""
        self.patience = 2.0
        """Seconds to wait for a lock."""
        self.problem = ""
        """Why the file was last found not to be ours."""

    def wait(self, tries: int) -> bool:
        """SQLite's busy handler: whether to try once more for a lock that another has."""
        if tries * _RETRY >= self.patience:
            return False
        time.sleep(_RETRY)
        return True

    def open_seal(self) -> int:
        return _open_private(self.state / "index.seal")

    def open_turn(self) -> int:
        return _open_private(self.state / "index.turn")

    def open_file(self, *, create: bool) -> int:
        """A descriptor of the file; `NotOurs` where something else is in its place, `OSError` where there is none."""
        self.opened = None
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        try:
            facts = os.stat(NAME, dir_fd=self.root.fd, follow_symlinks=False)
            _check(facts)
        except FileNotFoundError:
            if not create:
                raise
        fd = os.open(NAME, flags, 0o600, dir_fd=self.root.fd)
        try:
            _check(os.fstat(fd))
        except NotOurs:
            os.close(fd)
            raise
        return fd

    def is_sealed(self, fd: int, seal: int) -> bool:
        """Whether the file, and its name, are as the last commit left them."""
        try:
            named = os.stat(NAME, dir_fd=self.root.fd, follow_symlinks=False)
        except OSError:
            return False
        return read_seal(seal) == seal_of(os.fstat(fd)) == seal_of(named)

    def is_named(self) -> bool:
        """Whether the name still leads to the file that was opened last."""
        try:
            named = os.stat(NAME, dir_fd=self.root.fd, follow_symlinks=False)
        except OSError:
            return False
        return self.opened is not None and os.path.samestat(named, self.opened)

    def discard(self) -> None:
        """Takes the file's name away; whoever has it open keeps reading what he had. A link goes, not its target.

        Where another process has put a new file in the place of the one that we opened, that one stays.
        """
        if self.opened is not None and not self.is_named():
            return
        try:
            os.unlink(NAME, dir_fd=self.root.fd)
        except FileNotFoundError:
            return


def _open_private(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _check(facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise NotOurs("is no regular file")
    if facts.st_nlink > 1:
        raise NotOurs("has a second name elsewhere")


def read_seal(fd: int) -> _Seal | None:
    try:
        return msgspec.json.decode(os.pread(fd, 512, 0), type=_Seal)
    except msgspec.DecodeError:
        return None


def write_seal(fd: int, facts: os.stat_result | None) -> None:
    """Seals the file as it is now; None breaks the seal, which a commit does before it changes the first byte."""
    data = b"" if facts is None else msgspec.json.encode(seal_of(facts))
    os.ftruncate(fd, 0)
    os.pwrite(fd, data, 0)


class SealedFile(apsw.VFSFile):
    """The open file. SQLite's locks are taken on the seal; the seal is checked at every first lock."""

    def __init__(self, vault: Vault, *, create: bool) -> None:
        self._vault = vault
        self._held = apsw.SQLITE_LOCK_NONE
        self._changed = False
        self._failed = False
        self._fd = vault.open_file(create=create)
        vault.opened = os.fstat(self._fd)
        self._seal = vault.open_seal()
        self._turn = vault.open_turn()

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  (SQLite's own names)
        return os.pread(self._fd, amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._break_seal()
        view = memoryview(data)
        while view:
            done = os.pwrite(self._fd, view, offset)
            view, offset = view[done:], offset + done
        self._failed = False

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._break_seal()
        os.ftruncate(self._fd, newsize)
        self._failed = False

    def xSync(self, flags: int) -> None:  # noqa: N802
        os.fsync(self._fd)

    def xFileSize(self) -> int:  # noqa: N802
        return os.fstat(self._fd).st_size

    def xSectorSize(self) -> int:  # noqa: N802
        return _SECTOR

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return 0

    def xFileControl(self, op: int, ptr: int) -> bool:  # noqa: N802
        return False

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xLock(self, level: int) -> None:  # noqa: N802
        if level <= self._held:
            return
        if self._held == apsw.SQLITE_LOCK_NONE:
            self._take(self._seal, fcntl.LOCK_SH)
            self._held = apsw.SQLITE_LOCK_SHARED
            self._verify()
        if level >= apsw.SQLITE_LOCK_RESERVED > self._held:
            self._take(self._turn, fcntl.LOCK_EX)
            self._held = apsw.SQLITE_LOCK_RESERVED
        if level == apsw.SQLITE_LOCK_EXCLUSIVE:
            self._take(self._seal, fcntl.LOCK_EX)
            self._held = level

    def xUnlock(self, level: int) -> None:  # noqa: N802
        if level >= self._held:
            return
        if self._changed and not self._failed:
            write_seal(self._seal, os.fstat(self._fd))
        self._changed = False
        fcntl.flock(self._seal, fcntl.LOCK_SH if level == apsw.SQLITE_LOCK_SHARED else fcntl.LOCK_UN)
        if self._held >= apsw.SQLITE_LOCK_RESERVED:
            fcntl.flock(self._turn, fcntl.LOCK_UN)
        self._held = level

    def xClose(self) -> None:  # noqa: N802
        for fd in (self._fd, self._seal, self._turn):
            os.close(fd)

    def _break_seal(self) -> None:
        """Before the first byte of a commit changes: if we die on the way, the file is not ours any more."""
        self._failed = True
        if not self._changed:
            self._changed = True
            write_seal(self._seal, None)

    def _verify(self) -> None:
        """Lets nothing be read that we did not write. An empty file holds nothing that could be wrong."""
        if self._vault.is_sealed(self._fd, self._seal) or os.fstat(self._fd).st_size == 0:
            return
        self._vault.problem = "was changed by something else, or by a process that died while writing"
        raise apsw.CorruptError(self._vault.problem)

    @staticmethod
    def _take(fd: int, kind: int) -> None:
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise apsw.BusyError("another process has the index") from error


class SealedVFS(apsw.VFS):
    """Hands out the one file of one vault. Everything else that SQLite might ask for does not exist."""

    def __init__(self, vault: Vault) -> None:
        self.name = f"{VFS}-{id(vault):x}"
        self._vault = vault
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> SealedFile:  # noqa: N802
        if not flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            raise apsw.CantOpenError("an index has no other files")
        return SealedFile(self._vault, create=bool(flags[0] & apsw.SQLITE_OPEN_CREATE))

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        return False

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        return None

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name
