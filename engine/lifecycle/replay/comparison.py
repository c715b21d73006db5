"""Compares what knowledge holds of an extractor's with what a replay finds: kept, left out, a person's, new (D47)."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from engine.extraction.entry import PROMOTED, EntryGrade, EntryKind, LocatedEntry
from engine.extraction.rows import PresentRow, PromotedRow, present_rows
from engine.plans.plan import Create, Plan, Replace
from engine.workspace.system_calls import write_all


class TranscriptReading(msgspec.Struct, frozen=True):
    """The entries of one transcript. `sha256` is that of its bytes, `version` the extractor's."""

    path: str
    sha256: str
    version: str
    entries: tuple[LocatedEntry, ...]


class Readings:
    """The readings of one replay, in a file that only grows."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def known(self, version: str) -> dict[tuple[str, str], TranscriptReading]:
        """Maps path and hash to the reading by that version of the extractor; of several the last counts."""
        found = (one for one in self._all() if one.version == version)
        return {(one.path, one.sha256): one for one in found}

    def add(self, readings: Iterable[TranscriptReading]) -> None:
        """Adds some readings; they outlive this process. A loss of power may take the last, which are read again."""
        data = b"".join(b"\n" + msgspec.json.encode(reading) for reading in readings)
        fd = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            write_all(fd, data)
        finally:
            os.close(fd)

    def _all(self) -> Iterator[TranscriptReading]:
        decoder = msgspec.json.Decoder(TranscriptReading)
        try:
            with self._file.open("rb") as lines:
                for line in lines:
                    try:
                        yield decoder.decode(line)
                    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                        continue
        except FileNotFoundError:
            return


class Comparison(msgspec.Struct, frozen=True):
    """Tells what becomes of every entry in knowledge, by its id, and which are new. `kept` and `new` are what the
    replay finds, `lost` what it does not find any more. `edited` are rows of which a person changed a byte: they stay
    as they are. `removed` were taken out by a person, and stay out."""

    kept: Mapping[str, PresentRow]
    lost: Mapping[str, PresentRow]
    edited: Mapping[str, PresentRow]
    new: Mapping[str, LocatedEntry]
    removed: frozenset[str]
    refused: int
    grades: Mapping[EntryGrade, int]

    @property
    def rows(self) -> int:
        """Entries in knowledge before: kept, left out and a person's are all of them."""
        return len(self.kept) + len(self.lost) + len(self.edited)

    @property
    def inferred_share(self) -> float:
        """The part of all entries found, 0 to 1, that an agent holds and nobody confirmed."""
        return self.grades.get(EntryGrade.INFERRED, 0) / max(1, sum(self.grades.values()))

    def kinds(self) -> Counter[EntryKind]:
        """New entries by kind."""
        return Counter(one.entry.kind for one in self.new.values())


def promoted_by(plan: Plan, numbers: Collection[int]) -> dict[str, PromotedRow]:
    """Maps ids to the rows that the changes of these numbers wrote, each with the transcript that it stands on. A row
    that was only marked as superseded names no transcript: an earlier plan wrote it."""
    found: dict[str, PromotedRow] = {}
    ids, marks = plan.facts["ids"], plan.facts.get("superseded", {})
    for change in plan.changes:
        if change.n not in numbers or not isinstance(change, Create | Replace):
            continue
        new, marked = frozenset(ids.get(str(change.n), ())), frozenset(marks.get(str(change.n), ()))
        sources = {origin.line: origin.source for origin in change.origins}
        for ident, row in present_rows(change.path, change.content).items() if new or marked else ():
            if ident in new:
                source = sources.get(row.line)
                known = (source.path, source.start) if source is not None else ("", 0)
                found[ident] = PromotedRow(row.text, *known)
            elif ident in marked:
                found[ident] = PromotedRow(row.text, "")
    return found


def compare(
    present: Mapping[str, PresentRow],
    archived: Collection[str],
    promoted: Mapping[str, PromotedRow],
    readings: Iterable[TranscriptReading],
    accepted: Collection[str] = (),
) -> Comparison:
    """Compares the rows of knowledge with the readings. `promoted` are the rows that applied plans wrote. `accepted`
    are the ids of entries that count whatever their grade, for the operator accepted them (D44). A row that no plan
    wrote, or that differs from what the plan wrote, is a person's (decision D47)."""
    grades: Counter[EntryGrade] = Counter()
    found: dict[str, LocatedEntry] = {}
    refused = 0
    for reading in readings:
        for one in reading.entries:
            grades[one.entry.grade] += 1
            counts = one.entry.grade in PROMOTED or one.entry.id in accepted
            if counts and one.line:
                found.setdefault(one.entry.id, one)
            refused += counts and not one.line
    own = {ident for ident, row in present.items() if ident in promoted and promoted[ident].row == row.text}
    removed = frozenset(promoted) - frozenset(present) - frozenset(archived)
    out = {*present, *archived, *removed}
    return Comparison(
        kept={ident: row for ident, row in present.items() if ident in own and ident in found},
        lost={ident: row for ident, row in present.items() if ident in own and ident not in found},
        edited={ident: row for ident, row in present.items() if ident not in own},
        new={ident: one for ident, one in found.items() if ident not in out},
        removed=removed & frozenset(found),
        refused=refused,
        grades=grades,
    )
