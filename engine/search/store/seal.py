"""Records how the index looked when the last commit ended: what may be read, and what a killed commit may have left.

A seal holds the file's own facts, which no other program can set as they were, and the sum of its pages. While a commit
changes pages the facts are gone from it, and the sums before and after stand there instead: when the process dies on
the way, the file is ours again as soon as it comes to one of the two. The sum is keyed, so that nobody who can write
the file alone can bring it about."""

import hashlib
import os
import secrets
from collections.abc import Iterator

import msgspec

PAGE = 8_192  # bytes of a page of the index
_SIZE = 1_024  # bytes of a seal on disk, which is written in one go: it is old or new, never half
_EMPTY = bytes(PAGE)
_WRAP = 1 << 256  # sums stay 256 bits, as wide as the hash of one page

Facts = tuple[int, int, int, int, int]  # device, inode, size, and when content and name were last changed


class Seal(msgspec.Struct, array_like=True, frozen=True):
    """The facts of the file when the last commit had ended. `sums`, in hex, are those of its pages that are ours."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    key: str = ""
    sums: tuple[str, ...] = ()

    @property
    def is_broken(self) -> bool:
        """Tells whether a commit broke it and did not end: the sums say what the file may be."""
        return not self.inode and bool(self.sums)

    def fits(self, facts: os.stat_result) -> bool:
        return (self.device, self.inode, self.size, self.mtime_ns, self.ctime_ns) == _facts(facts)


def _facts(facts: os.stat_result) -> Facts:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def read_seal(fd: int) -> Seal | None:
    try:
        return msgspec.json.decode(os.pread(fd, _SIZE, 0), type=Seal)
    except msgspec.DecodeError:
        return None


class PageSum:
    """The keyed sum of a file's pages, kept up page by page. An empty page adds nothing: it may be a hole."""

    def __init__(self, key: str, total: int) -> None:
        self.key = key
        self.total = total
        self._key = bytes.fromhex(key)
        self._counted: dict[int, int] = {}

    @classmethod
    def of(cls, fd: int, key: str = "") -> "PageSum":
        """The sum of all pages as they are now; reads the whole file. Without a key it gets a new one."""
        found = cls(key or secrets.token_hex(32), 0)
        for offset, page in _pages(fd, 0):
            found.total += found._share(offset, page)
        found.total %= _WRAP
        return found

    @property
    def hex(self) -> str:
        return f"{self.total:064x}"

    def before_write(self, fd: int, offset: int) -> None:
        """Notes what a page adds before it is changed for the first time."""
        if offset not in self._counted:
            self._counted[offset] = self._share(offset, os.pread(fd, PAGE, offset))

    def after_write(self, offset: int, page: bytes) -> None:
        new = self._share(offset, page)
        self.total = (self.total + new - self._counted[offset]) % _WRAP
        self._counted[offset] = new

    def before_cut(self, fd: int, size: int) -> None:
        """Takes out the pages from `size` on."""
        for offset, _ in _pages(fd, size):
            self.before_write(fd, offset)
            self.after_write(offset, b"")

    def _share(self, offset: int, page: bytes) -> int:
        if not page or page == _EMPTY:
            return 0
        place = offset.to_bytes(16, "little")
        return int.from_bytes(hashlib.blake2b(page, digest_size=32, key=self._key, salt=place).digest(), "little")


def _pages(fd: int, start: int) -> Iterator[tuple[int, bytes]]:
    offset = start
    while page := os.pread(fd, PAGE, offset):
        yield offset, page
        offset += PAGE


def write_seal(fd: int, facts: os.stat_result, pages: PageSum) -> None:
    """Seals the file as it is now."""
    _write(fd, Seal(*_facts(facts), key=pages.key, sums=(pages.hex,)))


def break_seal(fd: int, key: str, *sums: str) -> None:
    """Says that pages are about to change, or have changed, and to which sums they may come."""
    _write(fd, Seal(0, 0, 0, 0, 0, key=key, sums=sums))


def _write(fd: int, seal: Seal) -> None:
    os.pwrite(fd, msgspec.json.encode(seal).ljust(_SIZE), 0)
