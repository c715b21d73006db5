"""Plans an extraction: the lasting statements of closed transcripts that are in no file yet, each with its turn."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import msgspec

from engine.lifecycle.extract.destinations import Destination, destination
from engine.lifecycle.extract.entry import PROMOTED, ExtractedEntry, TranscriptTurn
from engine.lifecycle.extract.extraction_task import EntryFinder, PartEntries
from engine.lifecycle.extract.quotes import quote_line
from engine.lifecycle.extract.sections import ROW_ID, entry_row, with_entries
from engine.lifecycle.extract.sentence_rules import VERSION
from engine.models.model_task import RuleModel
from engine.plans.draft import Draft
from engine.plans.plan import Create, LineOrigin, ModelOutput, QualityGate, Replace
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.text.secrets.detector import redact
from engine.workspace.dates import zone_of
from engine.workspace.memory_md import MEMORY_MD_PATHS, memory_md_band
from engine.workspace.values import LineSpan

_SHOWN = 60
RULES = EntryFinder(RuleModel())


class _Placed(msgspec.Struct, frozen=True):
    """An entry with its destination and the line of its quote in the transcript."""

    entry: ExtractedEntry
    to: Destination
    line: int
    day: str

    @property
    def row(self) -> str:
        """The bullet of the entry, with the id by which it is known again."""
        return entry_row(self.day, self.entry.quote, self.entry.id)


def plan_extraction(
    planning: Planning, turns: Sequence[TranscriptTurn], known: Collection[str], finder: EntryFinder = RULES
) -> PlanOutcome:
    """A plan of what is new. `known` are the ids of entries that an applied plan has promoted before."""
    return _Extraction(planning, turns, known, finder).outcome()


class _Extraction:
    """One extraction over all closed transcripts."""

    def __init__(
        self, planning: Planning, turns: Sequence[TranscriptTurn], known: Collection[str], finder: EntryFinder
    ) -> None:
        self._planning, self._draft = planning, Draft(planning)
        self._zone = zone_of(planning.policy.zone)
        self._counts: Counter[str] = Counter()
        self._rows: list[str] = []
        self._others: list[str] = []
        """Rows of entries that are not promoted, told behind the others."""
        self._lines: dict[str, list[str]] = {}
        self._seen = {*known, *self._present_ids()}
        self._ids: dict[str, list[str]] = {}
        self._sessions = [list(group) for _, group in groupby(turns, key=lambda turn: turn.path)]
        self._finder = finder
        self._by: tuple[str, ...] = (VERSION,)
        self._warnings: tuple[str, ...] = ()

    def outcome(self) -> PlanOutcome:
        """The plan, or why there is nothing to do."""
        placed = [one for parts in self._found() for one in self._placements(parts)]
        for path in dict.fromkeys(one.to.path for one in placed):
            self._change(path, [one for one in placed if one.to.path == path])
        report = self._report()
        if not self._draft.changes:
            why = "nothing new in the transcripts" if self._sessions else "no transcript is closed"
            return PlanOutcome(plan=None, reason_no_action=why, report=report, facts=self._facts())
        gates = (
            QualityGate("quotes", True, "each entry is a sentence of its turn, word for word"),
            QualityGate("grades", True, "stated or confirmed; nothing inferred or proposed is promoted"),
        )
        plan = self._draft.finish(
            "extract",
            self._version,
            model=self._model(),
            gates=gates,
            warnings=self._warnings,
            report=report,
            facts=self._facts(),
        )
        return PlanOutcome(plan=plan, report=report, facts=self._facts())

    def _found(self) -> list[list[PartEntries]]:
        """The entries of each session, and who found them."""
        found = self._finder.found(self._sessions, partial(self._planning.report, "transcripts"))
        parts = [part for session in found for part in session]
        self._by = tuple(sorted({part.by for part in parts})) or self._by
        told = Counter(part.remark for part in parts if part.remark)
        self._warnings = tuple(f"{many:,} of {len(parts):,} parts {remark}" for remark, many in sorted(told.items()))
        return found

    def _placements(self, parts: Sequence[PartEntries]) -> Iterator[_Placed]:
        for entry in (entry for part in parts for entry in part.entries):
            self._counts[f"{entry.grade.value}"] += 1
            if entry.id in self._seen:
                self._counts["there already"] += 1
                continue
            self._seen.add(entry.id)
            line = self._line_of(entry)
            if line is None:  # not word for word in its turn (D44)
                self._counts["refused: no such words in its turn"] += 1
            elif entry.grade not in PROMOTED:
                self._others.append(_row(entry, "not promoted"))
            else:
                yield self._placed(entry, line)

    def _placed(self, entry: ExtractedEntry, line: int) -> _Placed:
        day = entry.turn.at.astimezone(self._zone).date().isoformat()
        to = destination(entry, day, self._planning.snapshot.files)
        self._rows.append(_row(entry, to.path))
        return _Placed(entry, to, line, day)

    def _change(self, path: str, placed: Sequence[_Placed]) -> None:
        """Adds the one change of a file: its entries by section, in the order in which they were said."""
        there = path in self._planning.snapshot.files
        first = placed[0].to
        old = self._text(path) if there else f"---\n{first.head}---\n\n# {first.title}\n"
        new, origins = old if old.endswith("\n") or not old else f"{old}\n", list[LineOrigin]()
        for section in dict.fromkeys(one.to.section for one in placed):
            group = [one for one in placed if one.to.section == section]
            new, at = with_entries(new, section, [one.row for one in group])
            origins = [
                LineOrigin(origin.line + (len(group) if origin.line >= at else 0), origin.source) for origin in origins
            ]
            origins += [LineOrigin(at + n, _span(one)) for n, one in enumerate(group)]
        if path in MEMORY_MD_PATHS and memory_md_band(len(new.splitlines())) in ("full", "over"):
            self._counts["left out, MEMORY.md is full"] += len(placed)
            return
        for one in placed:
            self._draft.read(one.entry.turn.path)
            self._counts[one.entry.kind.value] += 1
        self._ids[str(self._draft.next_number)] = [one.entry.id for one in placed]
        self._draft.add(
            (Replace if there else Create)(
                n=self._draft.next_number,
                path=path,
                risk_tier=first.risk_tier,
                reason=f"{len(placed)} from {self._sources(placed)} transcripts, by {self._version}",
                content=new,
                sources=tuple(dict.fromkeys(map(_span, placed))),
                origins=tuple(sorted(origins, key=lambda origin: origin.line)),
            )
        )

    @property
    def _version(self) -> str:
        return ", ".join(self._by)

    @staticmethod
    def _sources(placed: Sequence[_Placed]) -> int:
        return len({one.entry.turn.path for one in placed})

    def _model(self) -> ModelOutput | None:
        """The model that read any of it."""
        by = next((one for one in self._by if one.startswith("claude ")), "")
        name, _, version = by.partition(" ")
        return ModelOutput(name, version, sha256_hex(canonical_json(self._ids))) if by else None

    def _line_of(self, entry: ExtractedEntry) -> int | None:
        path = entry.turn.path
        if path not in self._lines:
            self._lines[path] = self._text(path).split("\n")
        return quote_line(self._lines[path], entry.turn.line, entry.quote)

    def _text(self, path: str) -> str:
        return self._planning.snapshot.content(path).decode("utf-8", "replace")

    def _present_ids(self) -> Iterator[str]:
        """The ids in the files of knowledge and in the archive, wherever an entry was moved to."""
        for path in self._planning.snapshot.files:
            if path.startswith(("knowledge/", "archive/")) and path.endswith(".md"):
                yield from ROW_ID.findall(self._text(path))

    def _facts(self) -> dict[str, Any]:
        return {"extractor": self._version, "ids": self._ids, "counts": dict(sorted(self._counts.items()))}

    def _report(self) -> str:
        transcripts = len(self._sessions)
        said = [*self._warnings, f"{transcripts:,} closed transcripts, read by {self._version}"]
        said += [f"{name}: {count:,}" for name, count in sorted(self._counts.items())]
        rows = self._rows + self._others
        said += rows[:_SHOWN]
        more = len(rows) - _SHOWN
        return "\n".join((*said, *((f"  … and {more:,} more",) if more > 0 else ()))) + "\n"


def _row(entry: ExtractedEntry, to: str) -> str:
    return f"  {entry.kind.value:<10} {entry.grade.value:<9} {redact(' '.join(entry.quote.split()))[:90]}  → {to}"


def _span(one: _Placed) -> LineSpan:
    return LineSpan(one.entry.turn.path, one.line, one.line)
