"""Plans a condensation: days with transcripts that no journal covers, and the last whole week (D25, D27, D43)."""

import re
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from functools import cache, partial
from itertools import groupby

import msgspec

from engine.extraction.entry import ExtractedEntry
from engine.extraction.extraction_task import EntryFinder
from engine.lifecycle.account import REPORT_ROWS, Account, first_rows, model_of
from engine.lifecycle.condense import journal
from engine.lifecycle.condense.day_points import ChosenPoints, SessionDay, chosen_points, day_points, session_days
from engine.lifecycle.condense.memory_rows import MemoryEdit, memory_edit, week_days, week_points
from engine.lifecycle.extract.destinations import with_rows
from engine.lifecycle.requests import CondensePart
from engine.plans.plan import Create, LineOrigin, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.safe_text import visible_line
from engine.topics.messages import SessionTurn
from engine.workspace.layout import MEMORY_MD_PATHS

SYSTEM = "condense"
_COUNTED = re.compile(r"(?:line_count|sessions):")


class CondenseOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`turns` are those of transcripts without a journal; `days` those asked for, none for all; `week` the first day
    of the week for MEMORY.md; `finder` finds entries; `known` are ids that applied plans wrote."""

    turns: Sequence[SessionTurn]
    week: date
    finder: EntryFinder
    parts: Collection[CondensePart] = tuple(CondensePart)
    days: Collection[date] = ()
    known: Collection[str] = ()


class CondensationPlanner:
    """Plans rows for journals and MEMORY.md, with an exact account. Old lines stay but for replaced rows (D25, D61)."""

    def __init__(self, planning: Planning, options: CondenseOptions) -> None:
        self._planning, self._options, self._draft = planning, options, Draft(planning)
        self._texts: dict[str, str] = {}  # the journals as this plan leaves them
        self._numbers: dict[str, int] = {}
        self._rows: list[str] = []
        self._warnings: list[str] = []
        self._replaced: frozenset[str] = frozenset()
        self._parts: dict[str, set[str]] = {name: set() for name in ("entries", "kept", "merged", "left_out")}
        self._ids: list[str] = []
        self._by: set[str] = set()

    def outcome(self) -> PlanOutcome:
        if CondensePart.DAILY in self._options.parts:
            self._condense_days()
        if CondensePart.WEEKLY in self._options.parts:
            self._roll_up()
        account = Account(**{name: frozenset(names) for name, names in self._parts.items()})
        said, facts = account.line("entries"), {**account.facts(), "ids": {"all": self._ids}}
        rows = first_rows(self._rows, REPORT_ROWS, ": each change of the plan has its lines")
        return self._draft.outcome(
            SYSTEM,
            "every closed transcript is in its journal, and MEMORY.md has what last week decided and learnt",
            gates=self._gates(account),
            report="\n".join((said, *self._warnings, *rows)) + "\n",
            facts=facts,
            model=model_of(self._by, self._texts),
            warnings=self._warnings,
        )

    def _gates(self, account: Account) -> tuple[QualityGate, ...]:
        most = self._planning.policy.lifecycle.most_left_out
        limit = f"the policy's lifecycle.most_left_out is {100 * most:.0f} %"
        detail = f"{100 * account.loss:.0f} % of the entries are omitted; {limit}"
        return (
            QualityGate("account", account.exact, account.line("entries")),
            QualityGate("loss", account.loss <= most, detail),
            self._integrity(),
        )

    def _integrity(self) -> QualityGate:
        """Checks that each file keeps its lines, except counts in its head and replaced rows."""
        files = self._planning.snapshot.files
        changed = ((path, text) for path, text in self._texts.items() if path in files)
        old = self._planning.snapshot.content
        lost = [path for path, text in changed if not _holds(text, old(path).decode(), self._replaced)]
        kept = (
            f"every line stays, but {len(self._replaced)} whose value is over" if self._replaced else "every line stays"
        )
        return QualityGate("integrity", not lost, f"{lost[0]}: a line is lost" if lost else kept)

    # ── days ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _condense_days(self) -> None:
        """Adds rows to the journal of each day with transcripts that it does not cover (decision D27)."""
        parts = session_days(self._planning.snapshot, self._options.turns, self._planning.policy.time_zone)
        asked, listed = self._options.days, cache(partial(journal.sessions_of_day, self._planning.snapshot))
        new = [part for part in parts if (not asked or part.day in asked) and part.session not in listed(part.day)]
        entries = self._entries(new)
        for day in sorted({session_day.day for session_day in new}):
            self._condense_day(day, [session_day for session_day in new if session_day.day == day], entries)

    def _entries(self, parts: Sequence[SessionDay]) -> dict[str, list[ExtractedEntry]]:
        """Finds the lasting entries of each session, by its transcript's path (decision D59)."""
        paths = {session_day.path for session_day in parts}
        sessions = [
            list(turns) for path, turns in groupby(self._options.turns, lambda one: one.source) if path in paths
        ]
        tick = partial(self._planning.report, "transcripts")
        found = [part for session in self._options.finder.found(sessions, tick) for part in session]
        self._by |= {part.by for part in found}
        self._warnings += dict.fromkeys(part.remark for part in found if part.remark)
        entries: dict[str, list[ExtractedEntry]] = {path: [] for path in paths}
        for entry in (extracted for part in found for extracted in part.entries):
            entries[entry.turn.source].append(entry)
        return entries

    def _condense_day(self, day: date, parts: Sequence[SessionDay], entries: dict[str, list[ExtractedEntry]]) -> None:
        path, sessions = journal.journal_path(day), list(dict.fromkeys(session_day.session for session_day in parts))
        old = self._text(path)
        points = day_points(parts, [entries[part.path] for part in parts])
        head = journal.new_journal(day, sessions) if old is None else journal.with_sessions(old, day, sessions)
        if head is None:
            names = {point.name for session in points for point in session}
            self._count(entries=names, left_out=names)
            self._warnings.append(f"{path}: its head cannot be read, so the journal is left as it is")
            return
        chosen = chosen_points(points, path, head)
        self._count_day(path, chosen)
        text, origins = with_rows(head, [point.placed for point in chosen.written])
        self._write(path, old, text, origins, f"{len(chosen.written):,} points of {len(sessions):,} sessions", parts)

    def _count_day(self, path: str, chosen: ChosenPoints) -> None:
        kept, left_out = {point.name for point in chosen.written}, {point.name for point in chosen.left_out}
        merged = {one.name for one, _ in chosen.merged}
        self._count(entries=kept | merged | left_out, kept=kept, merged=merged, left_out=left_out)
        self._rows.append(f"{path}: {len(chosen.written):,} written")
        self._rows += [f"  merged    {_shown(one.text)}: stands in {place}" for one, place in chosen.merged]
        self._rows += [f"  omitted  {_shown(point.text)}: the day's journal is full" for point in chosen.left_out]

    # ── the week ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _roll_up(self) -> None:
        """Adds the week's decisions and lessons to MEMORY.md, while it has room (decisions C18, D23)."""
        snapshot = self._planning.snapshot
        path = next((path for path in MEMORY_MD_PATHS if path in snapshot.files), "")
        days = week_days(self._options.week)
        journals = {day: text for day in days if (text := self._text(journal.journal_path(day))) is not None}
        if not path or not journals:
            self._rows.append(f"{days[0]} to {days[6]}: " + ("no journal" if path else "there is no MEMORY.md"))
            return
        points = list(week_points(journals, list(snapshot.files)))
        old = self._text(path) or ""
        edit = memory_edit(path, old, points, self._options.known)
        self._replaced = edit.replaced
        self._count_week(path, edit)
        needs = {self._numbers[point.source.path] for point in edit.added if point.source.path in self._numbers}
        if edit.added:
            why = f"{len(edit.added):,} decisions and lessons of {days[0]} to {days[6]}"
            self._ids += [point.id for point in edit.added]
            self._write(path, old, edit.text, edit.origins, why, (), tuple(sorted(needs)))

    def _count_week(self, path: str, edit: MemoryEdit) -> None:
        self._count(
            entries={*edit.before, *(point.name for point in edit.points)},
            kept={*edit.stands, *(one.name for one in edit.added)},
            merged={*(edit.before - edit.stands), *(one.name for one, _ in edit.merged)},
            left_out={one.name for one in edit.left_out},
        )
        self._rows.append(f"{path}: {len(edit.added):,} added")
        self._rows += [f"  replaced  {_shown(row)}: another value is later" for row in sorted(edit.replaced)]
        self._rows += [f"  merged    {_shown(one.text)}: {where}" for one, where in edit.merged]
        self._rows += [f"  omitted  {_shown(one.text)}: MEMORY.md is full" for one in edit.left_out]
        if edit.left_out:
            self._warnings.append(f"{path} has no room for {len(edit.left_out):,} entries: memdeck plan prune")

    def _count(self, **parts: AbstractSet[str]) -> None:
        for part, names in parts.items():
            self._parts[part] |= names

    # ── changes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _text(self, path: str) -> str | None:
        if path in self._texts:
            return self._texts[path]
        snapshot = self._planning.snapshot
        return snapshot.content(path).decode("utf-8") if path in snapshot.files else None

    def _write(
        self,
        path: str,
        old: str | None,
        text: str,
        origins: Sequence[LineOrigin],
        reason: str,
        parts: Sequence[SessionDay],
        requires: tuple[int, ...] = (),
    ) -> None:
        for source in {*(part.path for part in parts), *(origin.source.path for origin in origins)}:
            self._draft.read(source)
        kind, tier = Create if old is None else Replace, RiskTier.C if path in MEMORY_MD_PATHS else RiskTier.B
        self._texts[path] = text
        self._numbers[path] = self._draft.write(kind, path, text, reason, tier, origins=origins, requires=requires)


def _holds(new: str, old: str, replaced: AbstractSet[str]) -> bool:
    """Tells whether the new text has every old line in order, except the head's counts and `replaced` lines."""
    lines, before = iter(new.split("\n")), old.rstrip("\n").split("\n")
    return all(line in lines for line in before if line.rstrip("\r") not in replaced and not _COUNTED.match(line))


def _shown(text: str) -> str:
    line = visible_line(text)
    return line if len(line) <= 70 else f"{line[:70]}…"
