"""Chooses the changes that a consolidation can be made of, by path and hash, before any note is read."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from engine.monitoring.agent_changes import AgentChange
from engine.monitoring.consolidations.memory_tools import MemoryTool, Owns, is_openclaw
from engine.monitoring.consolidations.records import ConsolidatedNote, Consolidation, RecordedChanges


class UnrecordedChange(msgspec.Struct, frozen=True):
    """A change that no record has. `last`: the recorded one of the same note that it goes on from."""

    change: AgentChange
    last: ConsolidatedNote | None

    @property
    def path(self) -> str:
        return self.change.path

    @property
    def before(self) -> str | None:
        """The sha256 of the note before, None for no note."""
        return self.change.before if self.last is None else self.last.sides[1]


def unrecorded(changes: Iterable[AgentChange], known: Sequence[Consolidation]) -> list[UnrecordedChange]:
    """The changes that no record has; `known`: the oldest first."""
    records = RecordedChanges(known)
    paired = ((one, records.last_of(one.path, one.before, one.after)) for one in changes)
    return [UnrecordedChange(one, last) for one, last in paired if last is None or last.sides[1] != one.after]


def candidates(changes: Sequence[UnrecordedChange], tools: Mapping[MemoryTool, Owns]) -> list[UnrecordedChange]:
    """Those of notes that a tool rewrites, and the new notes that have the bytes of such a note that is gone."""
    # An agent may write ten thousand notes between two looks: to read each of them took six seconds per change.
    owned = [one for one in changes if is_openclaw(one.path) or any(owns(one.path) for owns in tools.values())]
    names = {one.path for one in owned}
    gone = {one.before for one in owned if one.change.after is None}
    moved = (one.before is None and one.change.after in gone for one in changes)
    return [one for one, is_moved in zip(changes, moved, strict=True) if is_moved or one.path in names]
