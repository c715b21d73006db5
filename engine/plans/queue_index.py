"""The queue's index: one append-only file of small lines, from which ten thousand plans are listed at once."""

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
    """A plan entered the queue. `body_sha256` is that of its file's bytes."""

    entry: QueueEntry
    body_sha256: str


class StateMark(msgspec.Struct, frozen=True, gc=False, tag="mark"):
    """A plan's state changed."""

    id: str
    state: PlanState
    reason: str
    since: datetime
    operation: str | None
    attended: datetime | None = None


class IndexedPlans(msgspec.Struct, frozen=True):
    """The content of the index after its first `end` bytes. `bad` counts lines that are damaged."""

    signature: tuple[int, int] = (0, 0)
    end: int = 0
    lines: int = 0
    bad: int = 0
    filed: dict[str, FiledPlan] = {}


_DECODER = msgspec.json.Decoder(FiledPlan | StateMark)
_CRC = 9  # eight hexadecimal digits of crc32 and a space stand before each line's JSON: enough against accidents
_TORN = b"\x18"  # ends a line that a crash tore; it was never acknowledged, so it says nothing


class QueueIndex:
    """Reads and extends the index. Writing is the caller's to serialise."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._picture = IndexedPlans()

    def picture(self) -> IndexedPlans:
        """Reads the index as it is now; only what was appended since the last call is read."""
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
        """Adds lines and fsyncs them; after a torn line a new one is begun."""
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
        """Rewrites the index with one line for each plan, once most of its lines are history."""
        picture = self.picture()
        # A damaged index stays as it is until it is rebuilt: it is evidence.
        if not picture.bad and picture.lines > 2 * len(picture.filed) + 1000:
            write_private(self.path, b"".join(_line(filed) for filed in picture.filed.values()))

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Rewrites the index with one line for each plan, its reason as `change` makes it. A damaged one stays."""
        picture = self.picture()
        if picture.bad or not picture.filed:
            return
        entries = [(one, one.entry) for one in picture.filed.values()]
        lines = (
            FiledPlan(msgspec.structs.replace(entry, state_reason=change(entry.state_reason)), one.body_sha256)
            for one, entry in entries
        )
        write_private(self.path, b"".join(map(_line, lines)))

    def rebuild(self) -> None:
        """Rewrites the index from the lines that are whole, and keeps the damaged one beside it."""
        damaged = self.path.read_bytes()
        # By its content: a rebuild that is repeated after a crash makes no second copy.
        write_private(self.path.with_name(f"index.damaged-{zlib.crc32(damaged):08x}"), damaged)
        write_private(self.path, b"".join(_line(filed) for filed in self.picture().filed.values()))


def _line(item: FiledPlan | StateMark) -> bytes:
    body = msgspec.json.encode(item)
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _extended(known: IndexedPlans, data: bytes, signature: tuple[int, int]) -> IndexedPlans:
    """`known` after the further lines in `data`; an unfinished last line waits for the next call."""
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
    """Gives the entry in its new state. The operation it already has stays unless a new one is named."""
    return msgspec.structs.replace(
        entry,
        state=mark.state,
        state_reason=mark.reason,
        state_since=mark.since,
        operation=mark.operation or entry.operation,
        attended=mark.attended or entry.attended,
    )
