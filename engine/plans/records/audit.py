"""The audit log: append-only JSON lines, each with the hash of the one before (decision G21, promise B7)."""

import errno
import fcntl
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import Damaged
from engine.plans.operation import ChainHead
from engine.plans.records.chain import GENESIS, TORN, AuditRecord, lines, parse, problems, seal, torn_fragments
from engine.state.private_files import known_record, step
from engine.text.canonical_json import canonical_json
from engine.workspace.system_calls import fsync_folder, write_all
from engine.workspace.values import Finding

_BLOCK = 64 * 1024  # bytes that are read at once from the log's end backwards: the newest records are asked for most
_HASHED = 1 << 20  # bytes that are hashed at once
_NONCE = re.compile(rb'"nonce":"([^"\\]*)"')
"""Matches only a JSON key: inside a string its quotes would be escaped. Damaged lines count too (fails closed)."""


class _Known(msgspec.Struct, frozen=True):
    """The last known head, with the log's inode and size."""

    inode: int
    size: int
    head: ChainHead


class AuditLog:
    """One workspace's audit log, safe between processes; each record is synced before it counts. `audit.head`
    repeats the last head, unsynced: it may lag, but a log that ends before it was cut."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._head_path = path.with_suffix(".head")
        self._known: _Known | None = None
        self._nonces: tuple[int, int, frozenset[str]] = (0, 0, frozenset())

    def append(self, kind: str, at: datetime, data: dict[str, Any]) -> ChainHead:
        """Appends one record and gives the new head, once it is on disk. `at` is real time."""
        if kind == TORN:
            raise ValueError("only name_torn writes torn records")
        with self._locked() as fd:
            return self._append(fd, kind, at, data)

    def name_torn(self, at: datetime) -> tuple[AuditRecord, ...]:
        """Appends a record for each fragment that a crash left; gives these records (decision G21)."""
        with self._locked() as fd:
            data = _read(fd, 0)
            if data and not data.endswith(b"\n") and parse(data.rpartition(b"\n")[2]) is not None:
                _write(fd, b"\n")  # whole but for its newline: finish it
                data += b"\n"
            return tuple(
                _record(self.path, fd, self._append(fd, TORN, at, msgspec.structs.asdict(fragment)))
                for fragment in torn_fragments(data)
            )

    def head(self) -> ChainHead:
        """Gives number and hash of the last record; number 0 for an empty log."""
        with self._reading() as fd:
            return self.acknowledged() if fd is None else self._find_head(fd)

    def identity(self) -> str:
        """Identifies this log by the start of its first record's hash; empty for an empty log."""
        try:
            with os.fdopen(self._opened(os.O_RDONLY), "rb") as file:
                first = parse(file.readline().removesuffix(b"\n"))
        except FileNotFoundError:
            return ""
        return first.hash[:16] if first is not None and first.seq == 1 else ""

    def records(self, limit: int | None = None) -> tuple[AuditRecord, ...]:
        """Gives the readable records, oldest first; with `limit`, the newest. `verify` reports damage."""
        if limit is None:
            return tuple(line.record for line in lines(self.read()) if line.record is not None)
        with self._reading() as fd:
            newest = () if fd is None else tuple(islice(_backwards(fd, os.fstat(fd).st_size), limit))
        return newest[::-1]

    def verify(self, anchors: Sequence[ChainHead] = ()) -> tuple[Finding, ...]:
        """Finds everything wrong with the log. `anchors` are heads in operation records or commit trailers."""
        acknowledged = self.acknowledged()  # before the log: it may lag behind, never run ahead
        return tuple(problems(self.read(), (*anchors, acknowledged)))

    def hashed(self, size: int) -> "hashlib._Hash":
        """Gives the sha256 of the first `size` bytes, or of fewer where the log is shorter."""
        made = hashlib.sha256()
        with suppress(FileNotFoundError), os.fdopen(self._opened(os.O_RDONLY), "rb") as file:
            while block := file.read(min(size, _HASHED)):
                made.update(block)
                size -= len(block)
        return made

    def spent_nonces(self) -> frozenset[str]:
        """Gives every approval nonce in the log; after the first call reads only what was appended."""
        with self._reading() as fd:
            if fd is None:
                return frozenset()
            inode, size = os.fstat(fd).st_ino, os.fstat(fd).st_size
            known_inode, known_size, nonces = self._nonces
            # Another file, or a shorter one: what was read of it says nothing.
            if inode != known_inode or size < known_size:
                known_size, nonces = 0, frozenset()
            # Up to the last newline it is read once; an unfinished line is read again next time.
            data = _read(fd, known_size)
            whole = data.rfind(b"\n") + 1
            found = frozenset(match.decode("utf-8", "replace") for match in _NONCE.findall(data))
            self._nonces = (inode, known_size + whole, nonces | found)
            return self._nonces[2]

    def _append(self, fd: int, kind: str, at: datetime, data: dict[str, Any]) -> ChainHead:
        head = self._find_head(fd)
        size = os.fstat(fd).st_size
        line, new = seal(head.seq + 1, at, kind, data, head.hash)
        if size and os.pread(fd, 1, size - 1) != b"\n":
            line = b"\n" + line  # after a torn record: its bytes stay, on a line of their own
        # Unknown while it is written: an error half-way leaves no head that could be trusted.
        self._known = None
        _write(fd, line)
        facts = os.fstat(fd)
        self._known = _Known(facts.st_ino, facts.st_size, new)
        self._acknowledge(new)
        return new

    def _find_head(self, fd: int) -> ChainHead:
        """Finds the head that the next record follows: the acknowledged one where the log's end is lost or altered."""
        facts = os.fstat(fd)
        if self._known and (self._known.inode, self._known.size) == (facts.st_ino, facts.st_size):
            return self._known.head
        # The log may have been cut: a record that follows an older one would hide that.
        last = next((record.head for record in _backwards(fd, facts.st_size)), GENESIS)
        head = max(last, self.acknowledged(), key=lambda head: head.seq)
        self._known = _Known(facts.st_ino, facts.st_size, head)
        return head

    def acknowledged(self) -> ChainHead:
        """Gives the head in `audit.head`."""
        return known_record(self._head_path, ChainHead) or GENESIS

    def _acknowledge(self, head: ChainHead) -> None:
        """Writes the head to `audit.head`. The record counts already, so an error here is ignored."""
        beside = self._head_path.with_suffix(".head.new")
        with suppress(OSError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(beside, flags, 0o600), "wb") as file:
                file.write(canonical_json(head))
            beside.replace(self._head_path)

    def read(self, start: int = 0) -> bytes:
        """Reads the log from `start` on, while nobody appends."""
        with self._reading() as fd:
            if fd is None:
                return b""
            # Shared, so that no half-written record is read; another reader is no hindrance.
            fcntl.flock(fd, fcntl.LOCK_SH)
            return _read(fd, start)

    @contextmanager
    def _reading(self) -> Iterator[int | None]:
        try:
            fd = self._opened(os.O_RDONLY)
        except FileNotFoundError:
            yield None
            return
        try:
            yield fd
        finally:
            os.close(fd)

    def _opened(self, flags: int) -> int:
        """Opens the log. `FileNotFoundError` where there is none, `Damaged` where it is no regular file."""
        try:
            # Without blocking, for in place of the log a FIFO would wait for a writer.
            fd = os.open(self.path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
            if stat.S_ISREG(os.fstat(fd).st_mode):
                return fd
            os.close(fd)
        except OSError as error:
            if error.errno not in (errno.EISDIR, errno.ELOOP, errno.ENXIO):
                raise
        what = "the audit log is not a regular file"
        raise Damaged(what, where=str(self.path), hint="move it away and restore the log from a backup")

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """Opens the log for appending, locked against other processes; makes and syncs a new one."""
        new = not self.path.exists()
        fd = self._opened(os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            if new:
                fsync_folder(self.path.parent)
            yield fd
        finally:
            os.close(fd)


def _backwards(fd: int, size: int) -> Iterator[AuditRecord]:
    rest = b""
    start = size
    while start > 0:
        step = min(_BLOCK, start)
        start -= step
        pieces = (os.pread(fd, step, start) + rest).split(b"\n")
        # The first piece of a block may be the end of a line that begins before it.
        rest = pieces.pop(0) if start else b""
        for raw in reversed(pieces):
            if raw and (record := parse(raw)) is not None:
                yield record


def _record(path: Path, fd: int, head: ChainHead) -> AuditRecord:
    for line in lines(_read(fd, 0)):
        if line.record is not None and line.record.head == head:
            return line.record
    raise Damaged("a record vanished while it was written", where=str(path))


def _read(fd: int, start: int) -> bytes:
    size = os.fstat(fd).st_size
    parts: list[bytes] = []
    while start < size and (part := os.pread(fd, size - start, start)):
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def _write(fd: int, data: bytes) -> None:
    step("audit-write")
    write_all(fd, data)
    step("audit-fsync")
    os.fsync(fd)
