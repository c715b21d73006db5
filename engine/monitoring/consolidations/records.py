"""Stores consolidations in the operator's state: one file each, with the notes before and after."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

import msgspec

from engine.errors import UsageError
from engine.monitoring.agent_changes import AgentChange
from engine.monitoring.consolidations.bursts import TITLES, Burst, MemoryTool, Owns, is_openclaw, joins
from engine.state.private_files import make_private, remove_private, write_private
from engine.text.canonical_json import sha256_hex

KEPT = timedelta(days=90)  # a record that the operator kept is let go of after this time
_ENDING = ".json"
UNKNOWN = "Unknown program"  # stands for a tool where nothing shows that it did what its notes became


class ConsolidatedNote(msgspec.Struct, frozen=True, kw_only=True):
    """One note before and after; None for no note."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def sides(self) -> tuple[str | None, str | None]:
        """The hashes before and after."""
        return _sha256(self.before), _sha256(self.after)


class Consolidation(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded burst. `began`, `ended`: by file times. `state`: open until the operator keeps it. `plans` revert
    parts of it, `whole` all of it. `tool`: the one that rewrites such notes; `shown_by`: the evidence (G26)."""

    id: str
    tool: MemoryTool
    began: datetime
    ended: datetime
    seen: datetime
    notes: tuple[ConsolidatedNote, ...]
    state: Literal["open", "kept"] = "open"
    reason: str = ""
    plans: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    shown_by: str = ""

    @property
    def title(self) -> str:
        """The tool's name if there is evidence, else an unknown program."""
        return TITLES[self.tool] if self.shown_by else UNKNOWN

    @property
    def before(self) -> dict[str, bytes]:
        """The notes before, by path."""
        return {note.path: note.before for note in self.notes if note.before is not None}

    @property
    def after(self) -> dict[str, bytes]:
        """The notes after, by path."""
        return {note.path: note.after for note in self.notes if note.after is not None}


class ConsolidationRecords:
    """Every recorded consolidation; reads each file once and may raise `OSError`. `unreadable`: damaged files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, tuple[tuple[int, int, int], Consolidation]] = {}
        self.unreadable: tuple[Path, ...] = ()

    def all(self) -> tuple[Consolidation, ...]:
        """Returns all consolidations, the newest first."""
        files = sorted(self._folder.glob(f"c-*{_ENDING}")) if self._folder.is_dir() else []
        found = {file: one for file in files if (one := self._of(file)) is not None}
        self.unreadable = tuple(file for file in files if file not in found)
        self._read = {file: kept for file, kept in self._read.items() if file in found}
        return tuple(sorted(found.values(), key=lambda record: (record.ended, record.id), reverse=True))

    def _of(self, file: Path) -> Consolidation | None:
        try:
            facts = file.stat()
            sign = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
            if file not in self._read or self._read[file][0] != sign:
                self._read[file] = sign, msgspec.json.decode(file.read_bytes(), type=Consolidation)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, FileNotFoundError):
            return None
        return self._read[file][1]

    def load(self, name: str) -> Consolidation:
        """Returns the consolidation with this id or unique end of id; raises `UsageError` if there is none."""
        known = self.all()
        found = [one for one in known if one.id == name] or [one for one in known if name and one.id.endswith(name)]
        if len(found) != 1:
            what = "several consolidations end like this" if found else "there is no such consolidation"
            raise UsageError(what, where=name[:40], hint="memdeck consolidations")
        return found[0]

    def save(self, one: Consolidation) -> None:
        """Stores it, replacing the record with its id."""
        make_private(self._folder)
        write_private(self._folder / f"{one.id}{_ENDING}", msgspec.json.encode(one))

    def forget(self, now: datetime) -> None:
        """Deletes those that were kept long ago."""
        for record in self.all():
            if record.state == "kept" and now - record.seen > KEPT:
                remove_private(self._folder / f"{record.id}{_ENDING}")


def recorded(burst: Burst, known: Sequence[Consolidation], seen: datetime) -> Consolidation:
    """Returns the record of a burst, merged into an open one of the same tool that it continues."""
    began, ended = burst.began or seen, burst.ended or seen
    notes = {one.path: ConsolidatedNote(path=one.path, before=one.before, after=one.after) for one in burst.changes}
    free = (one for one in known if one.state == "open" and not one.plans and not one.whole and one.tool is burst.tool)
    earlier = next((record for record in free if joins(burst, record.began, record.ended)), None)
    if earlier is None:
        return Consolidation(
            id=_id(burst, began), tool=burst.tool, began=began, ended=ended, seen=seen, notes=tuple(notes.values())
        )
    old = {note.path: note for note in earlier.notes}
    joined = {
        path: msgspec.structs.replace(note, before=old[path].before) if path in old else note
        for path, note in notes.items()
    }
    whole = sorted((old | joined).values(), key=lambda note: note.path)
    return msgspec.structs.replace(
        earlier,
        began=min(earlier.began, began),
        ended=max(earlier.ended, ended),
        seen=seen,
        notes=tuple(note for note in whole if note.before != note.after),
    )


def _id(burst: Burst, began: datetime) -> str:
    facts = [(change.path, _sha256(change.before), _sha256(change.after)) for change in burst.changes]
    return f"c-{began:%Y%m%d}-{sha256_hex(msgspec.json.encode((burst.tool, began, facts)))[:6]}"


def _sha256(data: bytes | None) -> str | None:
    return None if data is None else sha256_hex(data)


class UnrecordedChange(msgspec.Struct, frozen=True):
    """A change in no record. `last`: the last record of the same note, which it continues."""

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
    """Returns the changes that no record has. `known`: oldest first."""
    used = set[tuple[str, str]]()
    paired = ((change, _last_of(change, known, used)) for change in changes)
    return [UnrecordedChange(one, last) for one, last in paired if last is None or last.sides[1] != one.after]


def _last_of(
    change: AgentChange, known: Sequence[Consolidation], used: set[tuple[str, str]]
) -> ConsolidatedNote | None:
    """Returns the record of a note that a change continues, or None. Each record is `used` for one change."""
    last, before = None, change.before
    for record in known:
        for note in record.notes:
            is_next = note.path == change.path and note.sides[0] == before and (record.id, note.path) not in used
            if is_next and before != change.after:
                used.add((record.id, note.path))
                last, before = note, note.sides[1]
    return last


def candidates(changes: Sequence[UnrecordedChange], tools: Mapping[MemoryTool, Owns]) -> list[UnrecordedChange]:
    """Selects the changes of notes that a tool rewrites, and of new notes with the bytes of a removed one."""
    # An agent may write ten thousand notes between two looks: to read each of them took six seconds per change.
    owned = [one for one in changes if is_openclaw(one.path) or any(owns(one.path) for owns in tools.values())]
    names = {change.path for change in owned}
    gone = {change.before for change in owned if change.change.after is None}
    moved = (listed.before is None and listed.change.after in gone for listed in changes)
    return [one for one, is_moved in zip(changes, moved, strict=True) if is_moved or one.path in names]
