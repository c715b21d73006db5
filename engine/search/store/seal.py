"""Records the state of the index after its last commit, to recognise it later, even after a killed commit. A seal holds
the file's metadata, which no other program can restore, and the sum of its pages. During a commit that changes pages,
the seal has no metadata but the sums before and after: if the process dies midway, the file is ours again as soon as it
matches one of the two. The sum is keyed, so that it cannot be forged by someone who can write only the file."""

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
    """The metadata of the file after the last commit. `sums`, in hex, are those of its pages that are ours."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    key: str = ""
    sums: tuple[str, ...] = ()

    @property
    def is_broken(self) -> bool:
        """Tells whether an unfinished commit broke it: then only the sums tell which states of the file are ours."""
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
    """The keyed sum of a file's pages, updated page by page. An empty page adds nothing: it may be a hole."""

    def __init__(self, key: str, total: int) -> None:
        self.key = key
        self.total = total
        self._key = bytes.fromhex(key)
        self._counted: dict[int, int] = {}

    @classmethod
    def of(cls, fd: int, key: str = "") -> "PageSum":
        """Computes the sum of all pages, reading the whole file. Without a key it gets a new one."""
        found = cls(key or secrets.token_hex(32), 0)
        for offset, page in _pages(fd, 0):
            found.total += found._share(offset, page)
        found.total %= _WRAP
        return found

    @property
    def hex(self) -> str:
        return f"{self.total:064x}"

    def before_write(self, fd: int, offset: int) -> None:
        """Notes a page's share of the sum before its first change."""
        if offset not in self._counted:
            self._counted[offset] = self._share(offset, os.pread(fd, PAGE, offset))

    def after_write(self, offset: int, page: bytes) -> None:
        new = self._share(offset, page)
        self.total = (self.total + new - self._counted[offset]) % _WRAP
        self._counted[offset] = new

    def before_cut(self, fd: int, size: int) -> None:
        """Subtracts the pages from `size` on."""
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
    """Seals the file in its current state."""
    _write(fd, Seal(*_facts(facts), key=pages.key, sums=(pages.hex,)))


def break_seal(fd: int, key: str, *sums: str) -> None:
    """Records that pages are about to change or have changed, and their sums if all goes well."""
    _write(fd, Seal(0, 0, 0, 0, 0, key=key, sums=sums))


def _write(fd: int, seal: Seal) -> None:
    os.pwrite(fd, msgspec.json.encode(seal).ljust(_SIZE), 0)
