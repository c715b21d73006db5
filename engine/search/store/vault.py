"""Lets SQLite use `memory.db`: one regular file at the root of the workspace, and nothing beside it, since the agent
can write there. It is opened through the workspace's own descriptor, never through a link. A journal planted beside it
could have SQLite delete any file, and shared memory cut short would end the process: so pages change only at the end of
a transaction, what they overwrite is in a journal in the operator's state folder, and a seal tells how the file looked
afterwards. A process that dies while writing is rolled back; any other file is made anew (decision D14). Locks are held
on the seal: readers share it, a writer has it alone while pages change, and a second file keeps writers apart. No lock
is waited for with a share of the seal in hand: `Vault.wait` has SQLite release all and retry."""

import fcntl
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import apsw

from engine.search.store.seal import PageSum, break_seal, read_seal, write_seal
from engine.search.values import NAME
from engine.workspace.paths import WorkspaceRoot

VFS = "memdeck-index"
_SECTOR = 4096  # bytes that a disk is taken to write at once: SQLite asks for it
_RETRY = 0.005  # seconds between two tries for a lock


class NotOurs(Exception):
    """The file is not as we left it. `str` is the reason, in half a sentence."""


class Vault:
    """The location of one workspace's index, and of its two lock files in the operator's state folder."""

    def __init__(self, root: WorkspaceRoot, state: Path) -> None:
        self.root = root
        self.state = state
        self.opened: os.stat_result | None = None  # the file that was opened last
        self.patience = 2.0  # seconds to wait for a lock
        self.problem = ""  # the reason why the file was last found not to be ours

    def wait(self, tries: int) -> bool:
        """SQLite's busy handler: tells whether to wait once more for a lock that another process holds."""
        if tries * _RETRY >= self.patience:
            return False
        time.sleep(_RETRY)
        return True

    @property
    def journal(self) -> Path:
        """The file with the bytes that a commit overwrites, until it ends: out of the agent's reach."""
        return self.state / "index.journal"

    def is_made(self) -> bool:
        """Tells whether the files are there that opening would create."""
        return self._named() is not None and all((self.state / name).exists() for name in ("index.seal", "index.turn"))

    def has_journal(self) -> bool:
        """Tells whether a commit is running, or was never finished."""
        try:
            return self.journal.stat(follow_symlinks=False).st_size > 0
        except FileNotFoundError:
            return False

    def open_journal(self, flags: list[int]) -> apsw.VFSFile:
        os.close(_open_private(self.journal))
        return apsw.VFSFile("", str(self.journal), flags)

    def open_file(self, *, create: bool) -> int:
        """Returns a descriptor of the file. Raises `NotOurs` if it is something else, `OSError` if there is none."""
        self.opened = None
        # Without blocking, since a FIFO in its place would wait for a writer.
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        try:
            _check(os.stat(NAME, dir_fd=self.root.fd, follow_symlinks=False))
        except FileNotFoundError:
            if not create:
                raise
        fd = os.open(NAME, flags, 0o600, dir_fd=self.root.fd)
        try:
            # Looked at twice: opening a device can already do something, and between look and open the file may be
            # exchanged.
            _check(os.fstat(fd))
            if create:
                _own_like(self.root.fd, fd)
        except (NotOurs, OSError):
            os.close(fd)
            raise
        return fd

    def is_sealed(self, fd: int, seal: int) -> bool:
        """Tells whether the file, and its name, are as the last commit left them."""
        named, held = self._named(), read_seal(seal)
        # The name as well as the descriptor: a renamed file may still be open here.
        return named is not None and held is not None and held.fits(os.fstat(fd)) and held.fits(named)

    def is_named(self) -> bool:
        """Tells whether the name still leads to the file opened last."""
        named = self._named()
        return named is not None and self.opened is not None and os.path.samestat(named, self.opened)

    def _named(self) -> os.stat_result | None:
        try:
            return os.stat(NAME, dir_fd=self.root.fd, follow_symlinks=False)
        except OSError:
            return None

    def discard(self) -> None:
        """Deletes the file's name; a process that has it open keeps reading. For a link, the target stays. If another
        process has replaced the file that we opened, the new one stays."""
        if self.opened is not None and not self.is_named():
            return
        with suppress(FileNotFoundError):
            os.unlink(NAME, dir_fd=self.root.fd)


def _open_private(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _own_like(folder: int, fd: int) -> None:
    """Gives an empty file made by root to the owner of the folder, whose git could not read it otherwise."""
    wanted, made = os.fstat(folder), os.fstat(fd)
    if os.geteuid() == 0 and made.st_size == 0 and (made.st_uid, made.st_gid) != (wanted.st_uid, wanted.st_gid):
        os.fchown(fd, wanted.st_uid, wanted.st_gid)


def _check(facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise NotOurs("is no regular file")
    if facts.st_nlink > 1:
        raise NotOurs("has a second name elsewhere")


class SealedFile(apsw.VFSFile):
    """The open file. SQLite's locks are taken on the seal, which is checked at every first lock."""

    def __init__(self, vault: Vault, *, create: bool) -> None:
        self._vault = vault
        self._held = apsw.SQLITE_LOCK_NONE
        self._pages: PageSum | None = None  # the sum of the pages while they change
        self._before = ""
        self._failed = False
        self._doubtful = False
        """True if a process died while it changed pages: nothing is read before their sum has come out right."""
        self._fd = vault.open_file(create=create)
        vault.opened = os.fstat(self._fd)
        self._seal = _open_private(vault.state / "index.seal")
        self._turn = _open_private(vault.state / "index.turn")

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  (SQLite's own names)
        # Not under a writer's lock: then SQLite is rolling the journal back, which brings the pages to their sum.
        if self._doubtful and self._held == apsw.SQLITE_LOCK_SHARED:
            self._prove()
        return os.pread(self._fd, amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        pages = self._break_seal()
        pages.before_write(self._fd, offset)
        view, at = memoryview(data), offset
        while view:
            done = os.pwrite(self._fd, view, at)
            view, at = view[done:], at + done
        pages.after_write(offset, data)
        self._failed = False

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._break_seal().before_cut(self._fd, newsize)
        os.ftruncate(self._fd, newsize)
        self._failed = False

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Runs last before the journal is deleted: from then on the pages are right as they are now."""
        if self._pages is not None and not self._doubtful:
            # Both sums: a process that dies now leaves the pages of before, with the journal, or those of after.
            break_seal(self._seal, self._pages.key, self._before, self._pages.hex)
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
        """Tells whether a writer is active: a journal then belongs to it, and no one else may roll it back."""
        if self._held >= apsw.SQLITE_LOCK_RESERVED:
            return True
        try:
            fcntl.flock(self._turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(self._turn, fcntl.LOCK_UN)
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
        # Sealed before the lock is given back: a reader that comes next must find it.
        if self._pages is not None and not self._failed and not self._doubtful:
            write_seal(self._seal, os.fstat(self._fd), self._pages)
        self._pages = None
        fcntl.flock(self._seal, fcntl.LOCK_SH if level == apsw.SQLITE_LOCK_SHARED else fcntl.LOCK_UN)
        if self._held >= apsw.SQLITE_LOCK_RESERVED:
            fcntl.flock(self._turn, fcntl.LOCK_UN)
        self._held = level

    def xClose(self) -> None:  # noqa: N802
        for fd in (self._fd, self._seal, self._turn):
            os.close(fd)

    def _break_seal(self) -> PageSum:
        """Runs before the first byte of a commit changes: until it ends, only the file as it was before is ours."""
        self._failed = True
        if self._pages is None:
            self._pages = self._sum()
            self._before = self._pages.hex
            if not self._doubtful:
                break_seal(self._seal, self._pages.key, self._before)
        return self._pages

    def _sum(self) -> PageSum:
        """The sum of the pages from the seal, or a new one if the seal has none."""
        seal = read_seal(self._seal)
        if seal is None or not seal.sums or not self.xFileSize():
            return PageSum.of(self._fd)
        return PageSum(seal.key, int(seal.sums[0], 16))

    def _verify(self) -> None:
        """Refuses to read anything that we did not write. An empty file cannot be wrong."""
        self._doubtful = False
        if self._vault.is_sealed(self._fd, self._seal) or not self.xFileSize():
            return
        seal = read_seal(self._seal)
        if seal is None or not seal.is_broken:
            self._refuse()
        self._doubtful = True

    def _prove(self) -> None:
        """Seals the file again if its pages have a sum that one of our commits would have left. Reads all of it."""
        seal = read_seal(self._seal)
        facts = os.fstat(self._fd)
        pages = PageSum.of(self._fd, seal.key if seal is not None else "")
        if seal is None or pages.hex not in seal.sums or not self._vault.is_named():
            self._refuse()
        write_seal(self._seal, facts, pages)
        self._doubtful = False

    def _refuse(self) -> NoReturn:
        self._vault.problem = "was changed by something else, or by a process that died while writing"
        raise apsw.CorruptError(self._vault.problem)

    @staticmethod
    def _take(fd: int, kind: int) -> None:
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise apsw.BusyError("another process has the index") from error


class SealedVFS(apsw.VFS):
    """Opens only the one file of one vault. Any other file that SQLite asks for does not exist."""

    def __init__(self, vault: Vault) -> None:
        self.name = f"{VFS}-{id(vault):x}"
        self._vault = vault
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if flags[0] & apsw.SQLITE_OPEN_MAIN_JOURNAL:
            return self._vault.open_journal(flags)
        if not flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            raise apsw.CantOpenError("an index has no other files")
        return SealedFile(self._vault, create=bool(flags[0] & apsw.SQLITE_OPEN_CREATE))

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        # SQLite asks for a journal and for a write-ahead log: a planted log is not there for it.
        return pathname == f"{NAME}-journal" and self._vault.has_journal()

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        if filename == f"{NAME}-journal":
            self._vault.journal.unlink(missing_ok=True)

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name
