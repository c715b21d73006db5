"""Plans a replay: knowledge as the extractor would have made it, with a person's rows and edits kept (§8.7, D47)."""

from collections.abc import Collection, Sequence
from typing import Any

from engine.extraction.entry import EntryGrade, LocatedEntry
from engine.extraction.rows import EntryHistory, PresentRow, holds_entries, present_rows
from engine.lifecycle.account import first_rows, model_of
from engine.lifecycle.extract.destinations import Homes, PlacedEntry, SectionRow, destination, with_rows
from engine.lifecycle.replay.comparison import Comparison, TranscriptReading, compare
from engine.plans.plan import Create, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.secrets.detector import redact
from engine.workspace.layout import MEMORY_MD_PATHS, memory_md_band

_SHOWN = 20  # rows of each of the report's lists
MOST_SAMPLED = 200  # sessions whose entries of before and after a plan keeps, for the blind comparison


class ReplayPlanner:
    """Plans the changes by an extractor's version, of tier C. Rows that applied plans wrote (`history`) may be
    removed; refused entries stay out. `remarks` tell how the reading differed."""

    def __init__(
        self,
        planning: Planning,
        readings: Sequence[TranscriptReading],
        history: EntryHistory,
        version: str,
        remarks: Sequence[str],
        homes: Homes,
    ) -> None:
        self._remarks, self._homes = tuple(remarks), homes
        self._planning, self._draft = planning, Draft(planning)
        self._zone = planning.policy.time_zone
        self._readings, self._promoted, self._version = readings, history.promoted, version
        snapshot = planning.snapshot
        known = (path for path in snapshot.files if holds_entries(path) and not path.startswith("archive/"))
        self._texts = {path: snapshot.text(path) for path in known}
        present: dict[str, PresentRow] = {}
        for path, text in self._texts.items():
            present = {**present_rows(path, text), **present}
        cold = (path for path in snapshot.files if path.startswith("archive/") and path.endswith(".md"))
        archived = {ident for path in cold for ident in present_rows(path, snapshot.text(path))}
        self._found = compare(present, archived | history.refused, history.promoted, readings, history.accepted)
        self._ids: dict[str, list[str]] = {}
        self._left_out: list[str] = []

    def outcome(self) -> PlanOutcome:
        new = [self._placed(entry) for entry in self._found.new.values()]
        for path in dict.fromkeys((*(one.to.path for one in new), *(row.path for row in self._found.lost.values()))):
            self._change(path, [entry for entry in new if entry.to.path == path])
        found = self._found
        exact = found.rows == len(found.kept) + len(found.lost) + len(found.edited)
        return self._draft.outcome(
            "replay",
            "the replay finds what is there" if self._readings else "no transcript is closed",
            trigger=self._version,
            gates=(
                QualityGate("account", exact, _account(found)),
                QualityGate("quotes", True, "each new entry is a sentence of its turn, word for word"),
                QualityGate("yours", True, "what a person wrote or edited stays byte for byte"),
            ),
            warnings=self._remarks,
            report=self._report(new),
            facts=self._facts(new),
            model=model_of(self._version.split(", "), self._ids),
        )

    def _placed(self, new: LocatedEntry) -> PlacedEntry:
        day = new.entry.turn.day(self._zone).isoformat()
        to = destination(new.entry, day, self._planning.snapshot.files, self._homes)
        return PlacedEntry(new.entry, new.line, day, to)

    def _change(self, path: str, new: Sequence[PlacedEntry]) -> None:
        """Adds a file's change: lost rows removed, new rows added to their section."""
        there = path in self._texts
        lost = {row.line for row in self._found.lost.values() if row.path == path}
        old = self._texts[path] if there else new[0].to.beginning
        text = "\n".join(line for n, line in enumerate(old.split("\n"), 1) if n not in lost)
        text = text if text.endswith("\n") or not text else f"{text}\n"
        kept = text
        text, origins = with_rows(text, [SectionRow(entry.to.section, entry.row, entry.span) for entry in new])
        if new and path in MEMORY_MD_PATHS and memory_md_band(len(text.splitlines())) in ("full", "over"):
            self._left_out += [f"  MEMORY.md is full: {entry.row}" for entry in new]
            text, new, origins = kept, (), ()
        if there and text == old:
            return
        for entry in new:
            self._draft.read(entry.entry.turn.source)
        self._ids[str(self._draft.next_number)] = [entry.entry.id for entry in new]
        reason = f"{len(new):,} new, {len(lost):,} not found any more, by {self._version}"
        kind, sources = Replace if there else Create, dict.fromkeys(entry.span for entry in new)
        self._draft.write(kind, path, text, reason, RiskTier.C, sources=sources, origins=origins)

    # ── what it says ───────────────────────────────────────────────────────────────────────────────────────────────

    def _facts(self, new: Collection[PlacedEntry]) -> dict[str, Any]:
        found = self._found
        return {
            "extractor": self._version,
            "ids": self._ids,
            "transcripts": len(self._readings),
            "entries": {
                "before": found.rows,
                "kept": len(found.kept),
                "left_out": len(found.lost),
                "changed": self._changed(new),
                "yours": len(found.edited),
                "new": len(new),
                "removed_by_you": len(found.removed),
                "refused": found.refused,
            },
            "kinds": {kind.value: count for kind, count in sorted(found.kinds().items())},
            "grades": {grade.value: found.grades.get(grade, 0) for grade in EntryGrade},
            "inferred_share": round(found.inferred_share, 4),
            "sessions": self._sessions(new),
        }

    def _changed(self, new: Collection[PlacedEntry]) -> int:
        """Counts the lost entries for which the replay finds another in the same transcript line."""
        lines = {(entry.entry.turn.source, entry.line) for entry in new}
        rows = (self._promoted[ident] for ident in self._found.lost)
        return sum((row.transcript, row.line) in lines for row in rows)

    def _sessions(self, new: Collection[PlacedEntry]) -> dict[str, dict[str, list[str]]]:
        """Gives the entries of sessions that changed, before and after, for a blind comparison."""
        found = self._found
        before: dict[str, list[str]] = {}
        after: dict[str, list[str]] = {}
        for ident, row in (*found.kept.items(), *found.lost.items()):
            session = self._promoted[ident].transcript
            before.setdefault(session, []).append(_said(row.text))
            if ident in found.kept:
                after.setdefault(session, []).append(_said(row.text))
        for entry in new:
            after.setdefault(entry.entry.turn.source, []).append(_said(entry.row))
        told = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
        told.sort(key=lambda path: path not in before or path not in after)  # the others are not judged
        return {path: {"before": before.get(path, []), "after": after.get(path, [])} for path in told[:MOST_SAMPLED]}

    def _report(self, new: Sequence[PlacedEntry]) -> str:
        found = self._found
        said = [
            *self._remarks,
            f"{len(self._readings):,} closed transcripts, read again by {self._version}",
            f"entries before: {_account(found)}",
            f"new entries: {len(new):,}",
        ]
        said += [f"  {kind.value}: {count:,}" for kind, count in sorted(found.kinds().items())]
        said.append(
            "found by grade: " + ", ".join(f"{grade.value} {found.grades.get(grade, 0):,}" for grade in EntryGrade)
        )
        if found.removed:
            said.append(f"stays out, you removed it: {len(found.removed):,}")
        if found.refused:
            said.append(f"refused, no such words in its turn: {found.refused:,}")
        said += _listed(
            "not found any more", [f"  {row.path}:{row.line} {_said(row.text)}" for row in found.lost.values()]
        )
        said += _listed("new", [f"  → {one.to.path} {_said(one.row)}" for one in new])
        said += _listed("omitted", self._left_out)
        return "\n".join(said) + "\n"


def _account(comparison: Comparison) -> str:
    kept, lost, edited = len(comparison.kept), len(comparison.lost), len(comparison.edited)
    return f"{comparison.rows:,} rows = {kept:,} kept + {lost:,} omitted + {edited:,} of yours"


def _said(row: str) -> str:
    """Gives a row without its bullet and id."""
    return redact(row.removeprefix("- ").rpartition(" <!--")[0][:300])


def _listed(title: str, rows: Sequence[str]) -> list[str]:
    return [*([f"{title}:"] if rows else []), *first_rows(rows, _SHOWN)]
