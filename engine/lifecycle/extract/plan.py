"""Plans an extraction: the closed transcripts' lasting statements that are in no file yet, each with its turn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from engine.extraction.entry import ExtractedEntry, quote_line
from engine.extraction.extraction_task import FoundEntries
from engine.extraction.judge import VERSION
from engine.extraction.rows import (
    ROW_ID,
    PresentRow,
    PromotedRow,
    SupersededBy,
    entry_rows,
    holds_entries,
    present_rows,
    row_parts,
)
from engine.extraction.superseded import KnownRows, NewEntry, Promotion
from engine.lifecycle.account import REPORT_ROWS, Account, first_rows, model_of
from engine.lifecycle.extract import destinations
from engine.lifecycle.extract.review import Offers, ReviewedEntry, offer_facts
from engine.plans.plan import Create, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.secrets.detector import redact
from engine.workspace.layout import MEMORY_MD_PATHS, memory_md_band
from engine.workspace.values import LineSpan


class _Marked(msgspec.Struct, frozen=True):
    """A row that a later entry supersedes, and its text with the mark."""

    row: PresentRow
    ident: str
    text: str
    superseded: SupersededBy


class ExtractionChoice(msgspec.Struct, frozen=True):
    """The operator's choice of transcripts (none: all) and ids. `accepted`: of a low grade; `kept_out`: refused."""

    asked: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    kept_out: frozenset[str] = frozenset()


class ExtractionPlanner:
    """Plans the new entries of closed transcripts, and marks on superseded rows. `promoted`: applied rows by id."""

    def __init__(
        self,
        planning: Planning,
        entries: FoundEntries,
        promoted: Mapping[str, PromotedRow],
        choice: ExtractionChoice,
        homes: destinations.Homes,
    ) -> None:
        self._homes = homes
        self._planning, self._draft = planning, Draft(planning)
        self._zone = planning.policy.time_zone
        self._counts: Counter[str] = Counter()
        self._rows: list[str] = []
        self._lines: dict[str, list[str]] = {}
        self._present = entry_rows(planning.snapshot.files, planning.snapshot.text)
        out = self._elsewhere() | choice.kept_out.union(choice.refused)
        self._memory = KnownRows(self._present, promoted, out, frozenset(planning.snapshot.files))
        self._promotion = Promotion(self._memory, self._zone, self._line_of, self._counts)
        self._offers = Offers(choice.accepted, self._is_known, self._line_of, self._offer)
        self._ids: dict[str, list[str]] = {}
        self._marked: dict[str, dict[str, str]] = {}
        self._known: dict[str, dict[str, str]] = {}  # the kind and the grade of each entry, for its review
        self._again: dict[str, str] = {}
        """Maps the id of a repeated row to that of the first one (decision D45)."""
        self._choice = choice
        self._found = entries
        parts = [part for session in entries.sessions for part in session]
        self._by = tuple(sorted({part.by for part in parts})) or (VERSION,)
        self._version = ", ".join(self._by)
        told = Counter(part.remark for part in parts if part.remark)
        self._warnings = tuple(f"{many:,} of {len(parts):,} parts {remark}" for remark, many in sorted(told.items()))

    def outcome(self) -> PlanOutcome:
        found = [entry for parts in self._found.sessions for part in parts for entry in part.entries]
        self._counts.update(entry.grade.value for entry in found)
        new = self._promotion.take(list(self._offers.promotable(found)))
        placed = [self._placed(new_entry) for new_entry in new]
        marked = [
            _Marked(row, next(iter(present_rows(row.path, row.text))), text, by)
            for row, text, by in self._promotion.marks()
        ]
        for path in dict.fromkeys((*(one.to.path for one in placed), *(mark.row.path for mark in marked))):
            here = [mark for mark in marked if mark.row.path == path]
            self._change(path, [placed_entry for placed_entry in placed if placed_entry.to.path == path], here)
        self._index_topics()
        account = self._account()
        self._counts["refused by you"] += len(self._choice.refused)
        self._counts += Counter()  # none of nothing
        gates = (
            QualityGate("quotes", True, "each entry is a sentence of its turn, word for word"),
            QualityGate("grades", True, self._grades()),
            QualityGate("account", account.exact, account.line("entries before")),
        )
        homes = self._homes.warnings({placed_entry.to.path for placed_entry in placed})
        return self._draft.outcome(
            "extract",
            "nothing new in the transcripts" if self._found.sessions else "no transcript is closed",
            trigger=self._version,
            model=model_of(self._by, self._ids),
            gates=gates,
            warnings=(*self._warnings, *self._accepted_rows(), *self._undecided_rows(new), *homes),
            report=self._report(),
            facts=self._facts(),
        )

    def _is_known(self, ident: str) -> bool:
        """Tells whether an entry is in memory, or was removed or refused by the operator."""
        return ident in self._present or self._memory.is_out(ident)

    def _offer(self, entry: ExtractedEntry, line: int) -> ReviewedEntry:
        day = entry.turn.day(self._zone).isoformat()
        return ReviewedEntry(
            id=entry.id,
            kind=entry.kind,
            grade=entry.grade,
            day=day,
            quote=redact(" ".join(entry.quote.split())),
            path=destinations.destination(entry, day, self._planning.snapshot.files, self._homes).path,
            source=LineSpan(entry.turn.source, line, line),
        )

    def _grades(self) -> str:
        if not (taken := len(self._offers.taken)):
            return "stated or confirmed; nothing inferred or proposed is promoted"
        return f"stated or confirmed, but {taken} inferred or proposed that were accepted one by one"

    def _accepted_rows(self) -> Iterator[str]:
        """Yields a row for each accepted entry that nobody stated, so that the operator sees this before approving."""
        for entry in self._offers.taken:
            yield f"accepted though {entry.grade.value}: {redact(' '.join(entry.quote.split()))[:120]}"

    def _undecided_rows(self, new: Iterable[NewEntry]) -> Iterator[str]:
        """Yields a row for each undecided pair, to be decided once both entries are in memory (decision D61)."""
        said = {entry.entry.id: entry.entry.quote for entry in new}
        for pair in self._promotion.undecided:
            quotes = [redact(" ".join(self._quote(ident, said).split()))[:90] for ident in (pair.earlier, pair.later)]
            keep = f"memdeck facts --keep {pair.earlier} or {pair.later}, or --both {pair.later}"
            yield f"again or changed? {' ⟷ '.join(quotes)}: once applied, {keep}"

    def _quote(self, ident: str, said: Mapping[str, str]) -> str:
        row = self._present.get(ident)
        parts = row_parts(row.text) if row is not None else None
        return said.get(ident) or (parts.quote if parts is not None else ident)

    def _placed(self, new: NewEntry) -> destinations.PlacedEntry:
        to = destinations.destination(new.entry, new.day, self._planning.snapshot.files, self._homes)
        superseded = self._promotion.superseded.get(new.entry.id)
        words = redact(" ".join(new.entry.quote.split()))[:90]
        self._rows.append(f"  {new.entry.kind.value:<10} {new.entry.grade.value:<9} {words}  → {to.path}")
        if superseded is not None:
            self._told_superseded(new.day, new.entry.quote, superseded)
        return destinations.PlacedEntry(new.entry, new.line, new.day, to, superseded)

    def _told_superseded(self, day: str, quote: str, by: SupersededBy) -> None:
        said = redact(" ".join(quote.split()))[:60]
        self._rows.append(f"  superseded {day}: {said}  by {by.by} since {by.since}")
        self._counts["superseded"] += 1

    def _account(self) -> Account:
        """Accounts for the entries of memory: none is lost, and superseded ones are named."""
        after: dict[str, PresentRow] = {}
        changed = {change.path: change for change in self._draft.changes if isinstance(change, Create | Replace)}
        for path, change in changed.items():
            # Read back from what is written, so that the account is of the bytes and not of the intention.
            after |= present_rows(path, change.content)
        kept = frozenset(ident for ident, row in self._present.items() if row.path not in changed or ident in after)
        marked = frozenset(ident for idents in self._marked.values() for ident in idents)
        return Account(entries=frozenset(self._present), kept=kept, superseded=marked)

    def _change(self, path: str, placed: Sequence[destinations.PlacedEntry], marked: Sequence[_Marked]) -> None:
        """Adds a file's change: superseded rows are marked, new rows added to their section."""
        there = path in self._planning.snapshot.files
        old = _with_marks(self._planning.snapshot.text(path), marked) if there else placed[0].to.beginning
        new, origins = destinations.with_rows(
            old, [destinations.SectionRow(entry.to.section, entry.row, entry.span) for entry in placed]
        )
        # From 200 lines on it is not made to grow (decision D23).
        if placed and path in MEMORY_MD_PATHS and memory_md_band(len(new.splitlines())) in ("full", "over"):
            self._counts["omitted, MEMORY.md is full"] += len(placed)
            # The marks alone: they add no line (decision D23).
            new, origins, placed = old, (), ()
            if not marked:
                return
        for entry in placed:
            self._known[entry.entry.id] = {"kind": entry.entry.kind.value, "grade": entry.entry.grade.value}
            if entry.entry.again:
                self._again[entry.entry.id] = msgspec.structs.replace(entry.entry, again=False).id
            self._draft.read(entry.entry.turn.source)
            self._counts[entry.entry.kind.value] += 1
        number = str(self._draft.next_number)
        self._ids[number] = [entry.entry.id for entry in placed]
        for row in marked:
            self._marked.setdefault(number, {})[row.ident] = f"{row.superseded.by} {row.superseded.since}"
            self._told_superseded(*_day_and_quote(row.row), row.superseded)
        tier = max((*(one.to.risk_tier for one in placed), destinations.tier_of_file(path) if marked else RiskTier.A))
        kind, sources = Replace if there else Create, dict.fromkeys(entry.span for entry in placed)
        self._draft.write(kind, path, new, self._reason(placed, marked), tier, sources=sources, origins=origins)

    def _index_topics(self) -> None:
        """Adds each new topic to the index of Claude Code's memory, begun where it is missing (D60, C18)."""
        present = next((path for path in MEMORY_MD_PATHS if path in self._planning.snapshot.files), "")
        changed = {one.path: one.content for one in self._draft.changes if isinstance(one, Create | Replace)}
        if present in changed:
            return
        old = self._planning.snapshot.text(present) if present else ""
        topics = [path for path in sorted(filter(destinations.is_topic, changed)) if f"({path})" not in old]
        lines = [f"{destinations.index_line(path, changed[path])}\n" for path in topics]
        new = f"{old.rstrip()}\n".lstrip("\n") + "".join(lines)
        if not lines or memory_md_band(len(new.splitlines())) in ("full", "over"):
            return
        kind, reason = Replace if present else Create, f"{len(lines):,} new topics in the index"
        self._draft.write(kind, present or "MEMORY.md", new, reason, RiskTier.C)

    def _reason(self, placed: Sequence[destinations.PlacedEntry], marked: Sequence[_Marked]) -> str:
        sources = len({entry.entry.turn.source for entry in placed})
        added = [f"{len(placed)} from {sources} transcripts, by {self._version}"] if placed else []
        return "; ".join([*added, *([f"{len(marked)} superseded by a later one"] if marked else [])])

    def _line_of(self, entry: ExtractedEntry) -> int | None:
        path = entry.turn.source
        known = self._found.lines.get((path, entry.turn.line, entry.quote))
        if known is not None:
            return known or None
        if path not in self._lines:
            self._lines[path] = self._planning.snapshot.text(path).split("\n")
        return quote_line(self._lines[path], entry.turn.line, entry.quote)

    def _elsewhere(self) -> frozenset[str]:
        """Gives the ids that a person merged into one line, without rows of their own."""
        paths = filter(holds_entries, self._planning.snapshot.files)
        return frozenset(ident for path in paths for ident in ROW_ID.findall(self._planning.snapshot.text(path)))

    def _facts(self) -> dict[str, Any]:
        counts = dict(sorted(self._counts.items()))
        marked = {"superseded": self._marked} if self._marked else {}
        asked = {"asked": list(self._choice.asked)} if self._choice.asked else {}
        refused = {"refused": sorted(self._choice.refused)} if self._choice.refused else {}
        taken = sorted(entry.id for entry in self._offers.taken)
        accepted = {"accepted": taken, "said_again": self._again} if taken else {}
        offered = {"offered": offer_facts(self._offers.offered)} if self._offers.offered else {}
        facts: dict[str, Any] = {"extractor": self._version, "ids": self._ids, "entries": self._known, "counts": counts}
        return facts | marked | asked | refused | accepted | offered

    def _report(self) -> str:
        transcripts = len(self._found.sessions)
        said = [*self._warnings, f"{transcripts:,} closed transcripts, read by {self._version}"]
        said += [f"{name}: {count:,}" for name, count in sorted(self._counts.items())]
        said += ["`memdeck extraction` accepts single ones that are not promoted"] if self._offers.offered else []
        offered = self._offers.offered
        others = [f"  {one.kind.value:<10} {one.grade.value:<9} {one.quote[:90]}  → not promoted" for one in offered]
        return "\n".join((*said, *first_rows(self._rows + others, REPORT_ROWS))) + "\n"


def _day_and_quote(row: PresentRow) -> tuple[str, str]:
    parts = row_parts(row.text)
    return (parts.day, parts.quote) if parts is not None else ("", row.text)


def _with_marks(text: str, marked: Sequence[_Marked]) -> str:
    lines = text.split("\n")
    for mark in marked:
        at = mark.row.line - 1
        lines[at] = f"{mark.text}{lines[at][len(mark.row.text) :]}"
    return "\n".join(lines)
