"""The queue's index: an append-only file of short lines, so that ten thousand plans are listed quickly."""

import os
import zlib
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from engine.plans.plan import PlanState, QueueEntry
from engine.state.private_files import step, write_private
from engine.workspace.system_calls import fsync_folder, write_all


class FiledPlan(msgspec.Struct, frozen=True, gc=False, tag="plan"):
    """The line of a plan that entered the queue. `body_sha256` is that of its file."""

    entry: QueueEntry
    body_sha256: str


class StateMark(msgspec.Struct, frozen=True, gc=False, tag="mark"):
    """The line of a plan whose state changed."""

    id: str
    state: PlanState
    reason: str
    since: datetime
    operation: str | None
    attended: datetime | None = None


class IndexedPlans(msgspec.Struct, frozen=True):
    """The index's first `end` bytes, decoded. `bad` counts damaged lines."""

    signature: tuple[int, int] = (0, 0)
    end: int = 0
    lines: int = 0
    bad: int = 0
    filed: dict[str, FiledPlan] = {}


_DECODER = msgspec.json.Decoder(FiledPlan | StateMark)
_CRC = 9  # eight hexadecimal digits of crc32 and a space stand before each line's JSON: enough against accidents
_TORN = b"\x18"  # ends a line that a crash tore; it was never acknowledged, so it says nothing


class QueueIndex:
    """Reads and extends the index. The caller serialises writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._picture = IndexedPlans()

    def picture(self) -> IndexedPlans:
        """Reads the index; after the first call only what was appended."""
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            self._picture = IndexedPlans()
            return self._picture
        with file:
            stat = os.fstat(file.fileno())
            known = self._picture
            if known.signature == (stat.st_ino, stat.st_mtime_ns) and known.end == stat.st_size:
                return known
            if known.signature[0] != stat.st_ino or stat.st_size <= known.end:
                known = IndexedPlans()  # replaced, cut, or changed in place
            file.seek(known.end)
            self._picture = _extended(known, file.read(), (stat.st_ino, stat.st_mtime_ns))
        return self._picture

    def append(self, items: Iterable[FiledPlan | StateMark]) -> None:
        """Appends lines and syncs them; begins a new line after a torn one."""
        if not (data := b"".join(_line(item) for item in items)):
            return
        new = not self.path.exists()
        fd = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(fd).st_size
            if size and os.pread(fd, 1, size - 1) != b"\n":
                data = _TORN + b"\n" + data
            step("queue-write")
            write_all(fd, data)
            step("queue-fsync")
            os.fsync(fd)
        finally:
            os.close(fd)
        if new:
            fsync_folder(self.path.parent)

    def compact(self) -> None:
        """Rewrites the index with one line for each plan, once most lines are outdated."""
        picture = self.picture()
        # A damaged index stays as it is until it is rebuilt: it is evidence.
        if not picture.bad and picture.lines > 2 * len(picture.filed) + 1000:
            write_private(self.path, b"".join(_line(filed) for filed in picture.filed.values()))

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Rewrites the index with one line for each plan and its reason changed by `change`; leaves a damaged one."""
        picture = self.picture()
        if picture.bad or not picture.filed:
            return
        lines = (
            FiledPlan(msgspec.structs.replace(entry, state_reason=change(entry.state_reason)), one.body_sha256)
            for one, entry in [(filed, filed.entry) for filed in picture.filed.values()]
        )
        write_private(self.path, b"".join(map(_line, lines)))

    def rebuild(self) -> None:
        """Rewrites the index from its sound lines, and keeps the damaged one."""
        damaged = self.path.read_bytes()
        # By its content: a rebuild that is repeated after a crash makes no second copy.
        write_private(self.path.with_name(f"index.damaged-{zlib.crc32(damaged):08x}"), damaged)
        write_private(self.path, b"".join(_line(filed) for filed in self.picture().filed.values()))


def _line(item: FiledPlan | StateMark) -> bytes:
    body = msgspec.json.encode(item)
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _extended(known: IndexedPlans, data: bytes, signature: tuple[int, int]) -> IndexedPlans:
    """Adds the lines in `data` to `known`; an incomplete last line waits for the next call."""
    whole = data.rfind(b"\n") + 1
    filed = dict(known.filed)
    rows = data[:whole].split(b"\n")[:-1]
    bad = known.bad + sum(not _take(row, filed) for row in rows)
    return IndexedPlans(signature, known.end + whole, known.lines + len(rows), bad, filed)


def _take(row: bytes, filed: dict[str, FiledPlan]) -> bool:
    if row.endswith(_TORN):
        return True
    body = row[_CRC:]
    try:
        if int(row[: _CRC - 1], 16) != zlib.crc32(body):
            return False
        item = _DECODER.decode(body)
    except (ValueError, msgspec.DecodeError, RecursionError):
        return False
    match item:
        case FiledPlan():
            filed[item.entry.id] = item
        case StateMark():
            old = filed.get(item.id)
            # The plan's own line may be damaged: its state alone says nothing.
            if old is not None:
                filed[item.id] = FiledPlan(marked(old.entry, item), old.body_sha256)
    return True


def marked(entry: QueueEntry, mark: StateMark) -> QueueEntry:
    """Gives the entry in its new state, with its earlier operation unless the mark names one."""
    return msgspec.structs.replace(
        entry,
        state=mark.state,
        state_reason=mark.reason,
        state_since=mark.since,
        operation=mark.operation or entry.operation,
        attended=mark.attended or entry.attended,
    )
