"""Compares what knowledge holds of an extractor's with what a replay finds: kept, left out, a person's, new (D47)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import msgspec

from engine.lifecycle.extract.entry import PROMOTED, EntryGrade, EntryKind
from engine.lifecycle.extract.sections import ROW_ID
from engine.lifecycle.replay.readings import LocatedEntry, TranscriptReading
from engine.plans.plan import Create, Plan, Replace


class PromotedRow(msgspec.Struct, frozen=True):
    """A row as an applied plan wrote it, and the transcript that it came from."""

    row: str
    transcript: str


class PresentRow(msgspec.Struct, frozen=True):
    """A row of a file that holds an entry's id. `line` is from 1."""

    path: str
    line: int
    text: str


class Comparison(msgspec.Struct, frozen=True):
    """By id, what becomes of every entry that is in knowledge, and what is new.

    `kept` and `new` are what the replay finds, `lost` what it does not find any more. `edited` are rows of which a
    person changed a byte: they stay as they are. `removed` were taken out by a person, and stay out.
    """

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


def present_rows(path: str, text: str) -> dict[str, PresentRow]:
    """The rows of a file that hold an id, the first of each."""
    found: dict[str, PresentRow] = {}
    for number, line in enumerate(text.splitlines(), 1):
        ids = ROW_ID.findall(line)
        if len(ids) == 1:
            found.setdefault(ids[0], PresentRow(path, number, line))
    return found


def promoted_by(plan: Plan, numbers: Collection[int]) -> dict[str, PromotedRow]:
    """By id, the rows that the changes of these numbers wrote, each with the transcript that it stands on."""
    found: dict[str, PromotedRow] = {}
    ids = plan.facts["ids"]
    for change in plan.changes:
        wanted = set(ids.get(str(change.n), ())) if change.n in numbers else set()
        if not wanted or not isinstance(change, Create | Replace):
            continue
        sources = {origin.line: origin.source.path for origin in change.origins}
        rows = present_rows(change.path, change.content)
        found |= {
            ident: PromotedRow(row.text, sources.get(row.line, "")) for ident, row in rows.items() if ident in wanted
        }
    return found


def compare(
    present: Mapping[str, PresentRow],
    archived: Collection[str],
    promoted: Mapping[str, PromotedRow],
    readings: Iterable[TranscriptReading],
) -> Comparison:
    """Compares the rows of knowledge with the readings. `promoted` are the rows that applied plans wrote.

    A row that no plan wrote, or that differs from what the plan wrote, is a person's (decision D47).
    """
    grades: Counter[EntryGrade] = Counter()
    found: dict[str, LocatedEntry] = {}
    refused = 0
    for reading in readings:
        for one in reading.entries:
            grades[one.entry.grade] += 1
            if one.entry.grade in PROMOTED and one.line:
                found.setdefault(one.entry.id, one)
            refused += one.entry.grade in PROMOTED and not one.line
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
