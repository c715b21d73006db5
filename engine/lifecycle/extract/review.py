"""Lists the entries that an extraction plan adds or offers, each with its transcript line (D44)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from engine.errors import UsageError
from engine.extraction.entry import PROMOTED, EntryGrade, EntryKind, ExtractedEntry
from engine.extraction.rows import SupersededBy, present_rows, row_parts
from engine.plans.plan import Create, Plan, Replace
from engine.workspace.values import LineSpan

SYSTEM = "extract"
_LONGEST = 300  # characters of an offer's words that a plan keeps; the turn itself shows all of them


class ReviewedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of a plan. `path` and `line` are its row's, `change` the number of its change; both 0 for an offer.
    `source` is its line in the transcript; `supersedes` are the rows that it would mark."""

    id: str
    kind: EntryKind
    grade: EntryGrade
    day: str
    quote: str
    change: int = 0
    path: str
    line: int = 0
    source: LineSpan
    superseded: SupersededBy | None = None
    supersedes: tuple[str, ...] = ()

    @property
    def offered(self) -> bool:
        """Tells whether the plan does not add it unless the operator accepts it."""
        return self.change == 0


class _Known(msgspec.Struct, frozen=True):
    kind: EntryKind
    grade: EntryGrade


def reviewed_entries(plan: Plan) -> tuple[ReviewedEntry, ...]:
    """Gives the entries in the order of changes; `UsageError` for a plan of another system."""
    if plan.system != SYSTEM:
        raise UsageError("that plan is no extraction", where=plan.id, hint="memdeck plan extract")
    known = msgspec.convert(plan.facts.get("entries", {}), dict[str, _Known])
    changes = [change for change in plan.changes if isinstance(change, Create | Replace)]
    marks = _marks(changes, plan.facts)
    return tuple(entry for change in changes for entry in _of_change(change, known, plan.facts, marks))


def offer_facts(offered: Iterable[ReviewedEntry]) -> list[dict[str, Any]]:
    """Gives the offers as values for a plan's facts."""
    names = ("id", "kind", "grade", "day", "quote", "path")
    return [
        {name: str(getattr(offer, name)) for name in names}
        | {"quote": offer.quote[:_LONGEST], "source": offer.source.path, "line": offer.source.start}
        for offer in offered
    ]


def offered_entries(facts: Mapping[str, Any]) -> tuple[ReviewedEntry, ...]:
    """Gives the offered entries in an extraction's facts."""
    rows = ((kept, LineSpan(kept["source"], kept["line"], kept["line"])) for kept in facts.get("offered", ()))
    return tuple(msgspec.convert({**kept, "source": source, "line": 0}, ReviewedEntry) for kept, source in rows)


def _of_change(
    change: Create | Replace, known: Mapping[str, _Known], facts: Mapping[str, Any], marks: Mapping[str, list[str]]
) -> Iterator[ReviewedEntry]:
    new = frozenset(facts["ids"].get(str(change.n), ()))
    sources = {origin.line: origin.source for origin in change.origins}
    for ident, row in present_rows(change.path, change.content).items():
        parts, source = row_parts(row.text), sources.get(row.line)
        if ident in new and ident in known and parts is not None and source is not None:
            yield ReviewedEntry(
                id=ident,
                kind=known[ident].kind,
                grade=known[ident].grade,
                day=parts.day,
                quote=parts.quote,
                change=change.n,
                path=change.path,
                line=row.line,
                source=source,
                superseded=parts.superseded,
                supersedes=tuple(marks.get(ident, ())),
            )


def _marks(changes: list[Create | Replace], facts: Mapping[str, Any]) -> dict[str, list[str]]:
    """Maps the id of each later entry to the rows that it supersedes, without the mark."""
    superseded: dict[str, list[str]] = {}
    touched = {str(number): frozenset(rows) for number, rows in facts.get("superseded", {}).items()}
    for change in changes:
        ours = touched.get(str(change.n), frozenset()) | frozenset(facts["ids"].get(str(change.n), ()))
        for ident, row in present_rows(change.path, change.content).items():
            parts = row_parts(row.text)
            if ident in ours and parts is not None and parts.superseded is not None:
                superseded.setdefault(parts.superseded.by, []).append(f"{parts.day}: {parts.quote}")
    return superseded


class Offers:
    """Divides an extraction's entries into promoted and offered ones."""

    def __init__(
        self,
        accepted: Collection[str],
        is_known: Callable[[str], bool],
        line_of: Callable[[ExtractedEntry], int | None],
        told: Callable[[ExtractedEntry, int], ReviewedEntry],
    ) -> None:
        """Takes as `accepted` the ids that the operator accepts; `told` makes the offer for an entry and its line."""
        self._accepted, self._is_known, self._line_of, self._told = frozenset(accepted), is_known, line_of, told
        self._offered: dict[str, ReviewedEntry] = {}
        self._taken: dict[str, ExtractedEntry] = {}
        self._promoted: set[str] = set()

    @property
    def offered(self) -> tuple[ReviewedEntry, ...]:
        """The entries that the operator may accept, each once, in the order in which they were said."""
        return tuple(entry for entry in self._offered.values() if entry.id not in self._promoted)

    @property
    def taken(self) -> tuple[ExtractedEntry, ...]:
        """The entries of a low grade that are promoted because the operator accepts them."""
        return tuple(entry for entry in self._taken.values() if entry.id not in self._promoted)

    def promotable(self, entries: Iterable[ExtractedEntry]) -> Iterator[ExtractedEntry]:
        """Yields the entries that may be promoted, and keeps the others as offers."""
        for entry in entries:
            if entry.grade in PROMOTED:
                self._promoted.add(entry.id)
                yield entry
            elif entry.id in self._accepted:
                self._taken.setdefault(entry.id, entry)
                yield entry
            elif entry.id not in self._offered and not self._is_known(entry.id):
                line = self._line_of(entry)
                if line is not None:
                    self._offered[entry.id] = self._told(entry, line)
