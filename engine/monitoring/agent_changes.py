"""Finds what the agent changed since the operator last looked; our own operations do not count."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING

import msgspec

from engine.errors import Refused
from engine.monitoring.last_look import LARGEST_TEXT, NoteStep, SeenNote, SeenStore
from engine.monitoring.note_flags import NoteFlags
from engine.plans.diff import FileDiff, Read, bytes_or_none, file_diff
from engine.plans.operation import Operation, OperationState, id_order
from engine.plans.prediction import effect_sides
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import is_note

if TYPE_CHECKING:
    from engine.workspace.snapshot import Snapshot


class AgentAction(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class AgentChange(msgspec.Struct, frozen=True, kw_only=True):
    """One note that the agent changed. `before`, `after`: sha256, None for no note; sizes in bytes. `later`: an
    operation of ours changed the note since."""

    path: str
    did: AgentAction
    before: str | None
    after: str | None
    size_before: int
    size_after: int
    later: bool = False


class SinceLook(msgspec.Struct, frozen=True, kw_only=True):
    """The agent's changes since `looked_at` (None: never), by path. `flags`: lines in notes not looked at (G30)."""

    looked_at: datetime | None
    changes: tuple[AgentChange, ...] = ()
    flags: NoteFlags = NoteFlags()

    def count(self, did: AgentAction) -> int:
        return sum(change.did is did for change in self.changes)


class AgentChangeLog:
    """Compares the workspace with what the operator last saw. `read` takes a path, `displaced` a sha256."""

    def __init__(self, store: SeenStore, read: Read, displaced: Read) -> None:
        self.store = store
        self._read = read
        self._displaced = displaced

    def since(self, snapshot: "Snapshot", operations: Iterable[Operation]) -> SinceLook:
        """Lists the agent's changes. `operations`: newest first; new ones are recorded as seen."""
        looked = self.store.looked_at() if self.store.begun else None
        if looked is None:
            return SinceLook(looked_at=None)
        self.take_in(operations)
        # What an operation of ours wrote over was not seen, and no file shows it any more.
        steps = [_change(step.path, step.before, step.after, later=True) for step in self.store.steps()]
        now = [_change(path, before, after) for path, before, after in self._differences(snapshot)]
        return SinceLook(looked_at=looked, changes=tuple(sorted((*steps, *now), key=lambda c: (c.path, not c.later))))

    def looked(
        self,
        snapshot: "Snapshot",
        operations: Iterable[Operation],
        at: datetime,
        shown: Sequence[AgentChange] | None = None,
    ) -> None:
        """Records that the operator saw this snapshot; reads and writes only what changed. `shown`: the changes that
        were on screen; any later change stays unseen."""
        if not self.store.begun or self.store.looked_at() is None:
            shown = None  # the first look: there is nothing that it could have missed
        if shown is not None:
            self.take_in(operations)
        seen = None if shown is None else {(change.path, change.after) for change in shown}
        changed = {
            path: after
            for path, _, after in self._differences(snapshot)
            if seen is None or (path, after.sha256 if after else None) in seen
        }
        wanted = ((path, note.sha256) for path, note in changed.items() if note and note.size <= LARGEST_TEXT)
        past = {(c.path, c.before, c.after) for c in shown or () if c.later}
        unseen = [] if shown is None else [step for step in self.store.steps() if _sides(step) not in past]
        # The newest that is finished: one still running is taken in later.
        finished = (operation.id for operation in operations if operation.state is not OperationState.RUNNING)
        self.store.look(at, changed, self._texts(wanted), next(finished, "o-00000000-0000"), unseen)

    def take_in(self, operations: Iterable[Operation]) -> None:
        """Records the changes of our finished operations as seen, since the operator approved them."""
        last = self.store.fact("operation") if self.store.begun else None
        if last is None:
            return
        newest_first = takewhile(lambda operation: id_order(operation.id) > id_order(last), operations)
        for operation in reversed(list(newest_first)):
            # What comes after one that runs waits too: the order tells who wrote what.
            if operation.state is OperationState.RUNNING:
                return
            self._take(operation)

    def _take(self, operation: Operation) -> None:
        notes: dict[str, SeenNote | None] = {}
        steps: list[NoteStep] = []
        for path, before, after in effect_sides(operation.effects[i] for i in operation.done):
            if not is_note(path.rpartition("/")[2]):
                continue
            seen = notes[path] if path in notes else self.store.note(path)
            # The operation met other bytes than the last look: the agent wrote in between.
            if (seen.sha256 if seen else None) != before:
                steps.append(NoteStep(path, seen, SeenNote(before, self._size(before)) if before else None))
            notes[path] = None if after is None else SeenNote(after, self._size(after, path, seen))
        wanted = ((path, note.sha256) for path, note in notes.items() if note is not None)
        self.store.take_in(operation.id, notes, steps, self._texts(wanted))

    def _size(self, sha256: str, path: str = "", seen: SeenNote | None = None) -> int:
        if seen is not None and seen.sha256 == sha256:
            return seen.size
        data = self._bytes(sha256, path)
        return len(data) if data is not None else 0

    def _differences(self, snapshot: "Snapshot") -> Iterator[tuple[str, SeenNote | None, SeenNote | None]]:
        """Yields path, last seen and present note of each difference. An unreadable note is skipped; one no longer text
        counts as changed, and can be reverted."""
        from engine.text.document import is_locked  # not before the first paint

        seen = self.store.notes() if self.store.begun else {}
        for path, facts in snapshot.files.items():
            before = seen.pop(path, None)
            if before is None or before.sha256 != facts.sha256:
                yield path, before, SeenNote(facts.sha256, facts.size)
        skipped = {item.path for item in snapshot.skipped} if seen else set()
        for path, before in seen.items():
            data = bytes_or_none(self._read, path) if path in skipped else None
            if path not in skipped:
                yield path, before, None
            elif data is not None and not is_locked(data) and (sha256 := sha256_hex(data)) != before.sha256:
                yield path, before, SeenNote(sha256, len(data))

    def _texts(self, wanted: Iterable[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
        for path, sha256 in wanted:
            if self.store.begun and self.store.holds(sha256):
                continue
            data = bytes_or_none(self._read, path)
            if data is not None and sha256_hex(data) == sha256:
                yield sha256, data

    # ── diffs ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def diff(self, change: AgentChange, places: Mapping[str, str] = {}) -> FileDiff:
        """Returns the diff of the agent's change. `places`: the present path of each hash, after moves."""
        try:
            return file_diff(change.path, *self.sides(change, places))
        except Refused:  # a side was not kept: what is known of it is told
            pass
        sizes = f"{change.size_before:,} → {change.size_after:,} bytes"
        note = f"not shown: one side is larger than {LARGEST_TEXT // 1024} KiB or was not kept ({sizes})"
        created, gone = change.before is None, change.after is None
        return FileDiff(path=change.path, to=None, rows=(), added=0, removed=0, note=note, created=created, gone=gone)

    def sides(self, change: AgentChange, places: Mapping[str, str] = {}) -> tuple[bytes | None, bytes | None]:
        """Returns the bytes before and after the agent's change; raises `Refused` if they were not kept."""
        old, new = (
            None if sha256 is None else self._bytes(sha256, change.path, places.get(sha256, ""))
            for sha256 in (change.before, change.after)
        )
        if (change.before is not None and old is None) or (change.after is not None and new is None):
            raise Refused("one side of the change is too large or was not kept", where=change.path)
        return old, new

    def _bytes(self, sha256: str, *paths: str) -> bytes | None:
        kept = self.store.text(sha256) if self.store.begun else None
        if kept is not None:
            return kept
        for path in filter(None, paths):
            data = bytes_or_none(self._read, path)
            if data is not None and sha256_hex(data) == sha256:
                return data
        # Last, for what neither the store nor the workspace has: bytes that an operation displaced.
        return bytes_or_none(self._displaced, sha256)


def _sides(step: NoteStep) -> tuple[str, str | None, str | None]:
    return step.path, step.before.sha256 if step.before else None, step.after.sha256 if step.after else None


def places_of(snapshot: "Snapshot") -> dict[str, str]:
    """Maps the hash of each file's bytes to its path in the workspace."""
    return {facts.sha256: path for path, facts in snapshot.files.items()}


def _change(path: str, before: SeenNote | None, after: SeenNote | None, *, later: bool = False) -> AgentChange:
    did = AgentAction.ADDED if before is None else AgentAction.REMOVED if after is None else AgentAction.CHANGED
    return AgentChange(
        path=path,
        did=did,
        before=before.sha256 if before else None,
        after=after.sha256 if after else None,
        size_before=before.size if before else 0,
        size_after=after.size if after else 0,
        later=later,
    )
