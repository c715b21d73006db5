"""Compares an extractor's entries in knowledge with a replay's: kept, lost, edited by a person, new (D47)."""

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
        """Gives the readings of this extractor's version, by path and hash; of several the last."""
        found = (reading for reading in self._all() if reading.version == version)
        return {(reading.path, reading.sha256): reading for reading in found}

    def add(self, readings: Iterable[TranscriptReading]) -> None:
        """Appends readings. A power cut may lose the last ones, which are then read again."""
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
    """The outcome of every entry in knowledge, by id, and the new ones. `kept` and `new` are found by the replay,
    `lost` are not. `edited` rows were changed by a person and stay; `removed` ones stay out."""

    kept: Mapping[str, PresentRow]
    lost: Mapping[str, PresentRow]
    edited: Mapping[str, PresentRow]
    new: Mapping[str, LocatedEntry]
    removed: frozenset[str]
    refused: int
    grades: Mapping[EntryGrade, int]

    @property
    def rows(self) -> int:
        """The number of entries in knowledge before: kept, lost and edited."""
        return len(self.kept) + len(self.lost) + len(self.edited)

    @property
    def inferred_share(self) -> float:
        """The share of all found entries, 0 to 1, that an agent said and nobody confirmed."""
        return self.grades.get(EntryGrade.INFERRED, 0) / max(1, sum(self.grades.values()))

    def kinds(self) -> Counter[EntryKind]:
        return Counter(entry.entry.kind for entry in self.new.values())


def promoted_by(plan: Plan, numbers: Collection[int]) -> dict[str, PromotedRow]:
    """Gives the rows that these changes wrote, by id, each with its transcript; none for rows that were only marked."""
    promoted: dict[str, PromotedRow] = {}
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
                promoted[ident] = PromotedRow(row.text, *known)
            elif ident in marked:
                promoted[ident] = PromotedRow(row.text, "")
    return promoted


def compare(
    present: Mapping[str, PresentRow],
    archived: Collection[str],
    promoted: Mapping[str, PromotedRow],
    readings: Iterable[TranscriptReading],
    accepted: Collection[str] = (),
) -> Comparison:
    """Compares knowledge's rows with the readings. `promoted` are rows of applied plans; `accepted` entries count
    whatever their grade (D44). A row that no plan wrote, or that differs from the plan's, is a person's (D47)."""
    grades: Counter[EntryGrade] = Counter()
    offered: dict[str, LocatedEntry] = {}
    refused = 0
    for reading in readings:
        for entry in reading.entries:
            grades[entry.entry.grade] += 1
            counts = entry.entry.grade in PROMOTED or entry.entry.id in accepted
            if counts and entry.line:
                offered.setdefault(entry.entry.id, entry)
            refused += counts and not entry.line
    # One changed byte makes a row a person's: it is neither replaced nor removed (D47).
    own = {ident for ident, row in present.items() if ident in promoted and promoted[ident].row == row.text}
    # A row that a plan wrote and nobody has now was removed by a person.
    removed = frozenset(promoted) - frozenset(present) - frozenset(archived)
    out = {*present, *archived, *removed}
    return Comparison(
        kept={ident: row for ident, row in present.items() if ident in own and ident in offered},
        lost={ident: row for ident, row in present.items() if ident in own and ident not in offered},
        edited={ident: row for ident, row in present.items() if ident not in own},
        new={ident: one for ident, one in offered.items() if ident not in out},
        removed=removed & frozenset(offered),
        refused=refused,
        grades=grades,
    )
