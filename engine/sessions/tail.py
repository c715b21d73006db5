"""Reads what is new in one growing file, and notices when it is truncated, rewritten or replaced."""

import os
from collections import deque
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b

import msgspec

from engine.errors import MemdeckError
from engine.sessions.line_buffer import LineBuffer, RawLine
from engine.text.digits import whole_number
from engine.workspace.paths import WorkspaceRoot, open_file_at

CHUNK = 64 * 1024  # bytes read from one file before the next has its turn
_CHECKED = 64  # bytes before the place read up to that must still be there: a file written anew is not the one we read
_HEAD = 256  # bytes at the beginning by which a file is known again after a restart
_SIZES_KEPT = 256  # sizes of one file that are remembered with the instant of each


class FileChange(StrEnum):
    """A change of a file other than growing."""

    SHORTENED = "shortened"  # cut behind the place read up to: what is left is read from there on
    TRUNCATED = "truncated"
    REWRITTEN = "rewritten"
    REPLACED = "replaced"


class ReadMark(msgspec.Struct, frozen=True):
    """The place up to which a file was read, and its identity, so that a restart notices another file."""

    device: int
    inode: int
    offset: int
    head: str = ""
    """The number of first bytes that were hashed, a colon, and their hash. Empty: never read, and `offset` may be
    inside a line, which is then read whole."""


class Tail:
    """Follows one file in an opened folder; reads no links and no other kinds of file."""

    def __init__(self, root: WorkspaceRoot, path: str, *, mark: ReadMark | None = None) -> None:
        self.path = path
        self.changes: list[FileChange] = []  # changes since it was last asked; the caller empties it
        self.too_long = 0
        self.lost = 0
        """Bytes that were seen and were cut off or overwritten before they were read; the caller empties it."""
        self.size = 0
        self.grown_at: datetime | None = None
        self._root = root
        self._fd = -1
        self._identity = (0, 0)
        self._buffer = LineBuffer()
        self._before = b""
        self._seen: deque[tuple[datetime, int]] = deque()
        """The instants at which the file was first seen at each length, as far as that is not read yet."""
        self._mark = mark

    # ── the file ───────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def is_open(self) -> bool:
        return self._fd >= 0

    @property
    def offset(self) -> int:
        """The offset of the first line that was not read whole."""
        return self._buffer.start if self._fd >= 0 or self._mark is None else self._mark.offset

    @property
    def pending(self) -> int:
        """The number of unread bytes."""
        return max(0, self.size - self._buffer.position)

    @property
    def waiting_since(self) -> datetime | None:
        """The time since which the oldest unread bytes have been there; None if all are read."""
        return self._seen[0][0] if self._seen else None

    def close(self) -> None:
        if self._fd >= 0:
            self._mark = self.mark()
            os.close(self._fd)
            self._fd = -1

    def mark(self, offset: int | None = None) -> ReadMark | None:
        """Returns a mark at `offset` or after the last whole line; None if the file was never opened."""
        if self._fd < 0:
            return self._mark
        offset = self._buffer.start if offset is None else offset
        return ReadMark(*self._identity, offset, _head(self._fd, offset))

    def look(self, now: datetime) -> bool:
        """Checks the file's size and identity; returns whether there is something to read."""
        if self._fd < 0 and not self._open():
            return False
        facts = os.fstat(self._fd)
        if facts.st_size < self._buffer.position:
            self._again(FileChange.TRUNCATED)
        # A file that is written anew can have any length by the time of the look: the bytes read last tell.
        elif facts.st_size != self.size and not self._unchanged():
            self._again(FileChange.REWRITTEN)
        # Cut, but behind the place read up to: only what was seen and not read is gone.
        elif facts.st_size < self.size:
            self.changes.append(FileChange.SHORTENED)
            self.lost += self.size - facts.st_size
        if facts.st_size > max(self.size, self._buffer.position):
            self._note(now, facts.st_size)
        self.size = facts.st_size
        return self.pending > 0

    def read(self) -> list[RawLine]:
        """Returns the next lines, from at most `CHUNK` bytes. Call `look` first."""
        data = os.pread(self._fd, min(CHUNK, self.pending), self._buffer.position) if self._fd >= 0 else b""
        if not data:  # cut between the look and now: the next look sees it
            self._seen.clear()
            return []
        lines = self._buffer.take(data)
        self._count()
        self._before = (self._before + data)[-_CHECKED:]
        # A length that is read past says nothing about the lag any more.
        while self._seen and self._seen[0][1] <= self._buffer.position:
            self._seen.popleft()
        return lines

    def replaced(self) -> bool:
        """Tells whether the name now means another file or none."""
        try:
            facts = self._root.lstat(self.path)
        except MemdeckError:
            return True
        return facts is None or (facts.st_dev, facts.st_ino) != self._identity

    def turn_over(self) -> list[RawLine]:
        """Leaves a replaced file that was read to its end; its incomplete last line counts."""
        rest = self._buffer.finish()
        self._count()
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._mark = -1, None
        self._again(FileChange.REPLACED)
        return rest

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _open(self) -> bool:
        parent, _, name = self.path.rpartition("/")
        try:
            with self._root.folder(parent, wanted=self.path) as folder:
                fd = open_file_at(folder, name)
        except (OSError, MemdeckError):
            return False
        facts = os.fstat(fd)
        self._fd, self._identity = fd, (facts.st_dev, facts.st_ino)
        self._begin(facts.st_size)
        return True

    def _begin(self, size: int) -> None:
        """Continues after what was read of this file, else begins at its first byte."""
        mark, self._mark = self._mark, None
        number = self._buffer.number if mark is not None and self._buffer.start == mark.offset else None
        self._buffer, self._before = LineBuffer(), b""
        if mark is None or not mark.offset:
            return
        if (mark.device, mark.inode) != self._identity:
            self.changes.append(FileChange.REPLACED)
        elif mark.offset > size:
            self.changes.append(FileChange.TRUNCATED)
        # An inode is given again to a new file: only the first bytes tell that it is another.
        elif mark.head and _head(self._fd, mark.offset, mark.head) != mark.head:
            self.changes.append(FileChange.REWRITTEN)
        else:
            offset = mark.offset if mark.head else _last_line_end(self._fd, mark.offset)
            self._buffer, begin = LineBuffer(offset, number=number), max(0, offset - _CHECKED)
            self._before = os.pread(self._fd, offset - begin, begin)

    def _unchanged(self) -> bool:
        begin = self._buffer.position - len(self._before)
        return not self._before or os.pread(self._fd, len(self._before), begin) == self._before

    def _again(self, change: FileChange) -> None:
        """Begins again at the first byte; counts unread bytes as lost unless the old file was replaced whole."""
        self.changes.append(change)
        if change is not FileChange.REPLACED:
            self.lost += max(self.size, self._buffer.position) - self._buffer.start
        self._buffer, self._before, self.size = LineBuffer(), b"", 0
        self._seen.clear()

    def _note(self, now: datetime, size: int) -> None:
        if len(self._seen) < _SIZES_KEPT:
            self._seen.append((now, size))
        else:
            # The instant of the older growth stays: the lag may be told too long, never too short.
            self._seen[-1] = (self._seen[-1][0], size)
        self.grown_at = now

    def _count(self) -> None:
        self.too_long += self._buffer.too_long
        self._buffer.too_long = 0


def _last_line_end(fd: int, size: int) -> int:
    """Returns the offset after the last newline; 0 if none is near."""
    end, reached = size, 0
    # Twice the longest line that is kept: without a newline in it the line is too long anyway.
    while end > 0 and reached < 16 * 1024 * 1024:
        begin = max(0, end - CHUNK)
        at = os.pread(fd, end - begin, begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        reached += end - begin
        end = begin
    return 0 if end == 0 else size


def _head(fd: int, offset: int, like: str = "") -> str:
    """Returns the hash of the first bytes, as many as `like` covered."""
    covered = whole_number(like.partition(":")[0])
    length = min(offset if covered is None else covered, _HEAD)
    return f"{length}:{blake2b(os.pread(fd, length, 0), digest_size=8).hexdigest()}"
