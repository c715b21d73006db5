"""Plans what changed between two folders for the workspace, with an account of every entry (`memdeck review`)."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from engine.errors import Refused
from engine.lifecycle.account import Account
from engine.lifecycle.folders.entry_account import entries_of, entry_account, junk, name_of
from engine.lifecycle.folders.folder_pair import ChangedNote, FolderPair, read_pair
from engine.lifecycle.folders.note_change import Merge, NoteChanges
from engine.lifecycle.prune.memory_entries import MemoryEntry
from engine.lifecycle.report_rows import IMPORT_ROWS, first_rows
from engine.lifecycle.requests import FolderRequest
from engine.plans.draft import Draft
from engine.plans.plan import Confirmation, Move, QualityGate
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome
from engine.text.document import decode
from engine.text.safe_text import visible_line
from engine.workspace.progress import steps

SYSTEM = "review"
MOST = 500  # changes of one plan; the next run goes on with the others
MOST_LOST = 0.25
"""The share of entries that may be left out without a question; OpenClaw's own limit for its consolidation."""


def plan_review(planning: Planning, asked: FolderRequest, merge: Merge) -> PlanOutcome:
    """A plan that brings what changed from BEFORE to AFTER into the workspace. `UsageError` for folders that cannot be
    read, are one, or lie in each other."""
    before, after = (Path(name).expanduser() for name in (asked.before, asked.after))
    review = _Review(planning, read_pair(before, after, planning.tick))
    review.take(NoteChanges(planning, merge))
    return review.outcome(after.name or "AFTER")


class _Review:
    """One plan out of the notes that differ. What has no place in the workspace is told, and left as it is."""

    def __init__(self, planning: Planning, pair: FolderPair) -> None:
        self._tick, self._pair, self._draft = planning.tick, pair, Draft(planning)
        self._problems = list(pair.problems)
        self._there = self._later = 0
        self._planned: list[ChangedNote] = []
        self._junk = junk(_texts(pair.changed, after=True), entries_of(_texts(pair.changed, after=False)))

    def take(self, changes: NoteChanges) -> None:
        """Adds the change of each note, or tells why it has no place."""
        for note in steps(self._pair.changed, "comparing with the workspace", self._tick):
            if len(self._draft.changes) >= MOST:
                self._later += 1
                continue
            try:
                made = changes.of(note, self._draft.next_number, tuple(self._junk.get(note.path, ())[:IMPORT_ROWS]))
            except Refused as refusal:
                self._problems.append(f"{note.path}: {refusal.message}")
                continue
            if made is None:
                self._there += 1
            else:
                self._draft.add(made)
                self._planned.append(note)

    def outcome(self, name: str) -> PlanOutcome:
        """The plan, or why there is none; either way with the report and the account."""
        before = entries_of(_texts(self._planned, after=False))
        moved = [change.path for change in self._draft.changes if isinstance(change, Move)]
        account = entry_account(before, entries_of(_texts(self._planned, after=True)), moved)
        lost = [entry for entry in before if name_of(entry) in account.left_out]
        return self._draft.outcome(
            SYSTEM,
            self._why_none(),
            trigger=visible_line(name),
            gates=(QualityGate("account", account.exact, account.line("entries")),),
            report="\n".join(self._lines(account, lost)) + "\n",
            facts=self._facts(account, lost),
            confirmations=_asked(len(lost), len(before)),
            warnings=[visible_line(problem) for problem in self._problems[:IMPORT_ROWS]],
        )

    def _why_none(self) -> str:
        if not self._pair.changed:
            return "no note differs between the two folders"
        return "no change has a place in the workspace" if self._problems else "the workspace has it all already"

    def _lines(self, account: Account, lost: list[MemoryEntry]) -> Iterator[str]:
        yield f"notes that differ: {len(self._pair.changed):,}; the same: {self._pair.same:,}"
        yield f"changes: {len(self._draft.changes):,}"
        if self._there:
            yield f"as AFTER already: {self._there:,}"
        if self._later:
            yield f"for the next run: {self._later:,}"
        yield account.line("entries")
        yield from _some(f"  omitted: {name_of(one)}  {one.text.strip()[:120]}" for one in lost)
        yield from _some(f"  {path}: {row}" for path, rows in sorted(self._junk.items()) for row in rows)
        yield from _some(f"skipped: {problem}" for problem in self._problems)

    def _facts(self, account: Account, lost: list[MemoryEntry]) -> dict[str, Any]:
        return account.facts() | {
            "differ": len(self._pair.changed),
            "same": self._pair.same,
            "there": self._there,
            "later": self._later,
            "junk": sum(map(len, self._junk.values())),
            "lost": [name_of(one) for one in lost[:IMPORT_ROWS]],
            "problems": [visible_line(problem) for problem in self._problems[:IMPORT_ROWS]],
        }


def _asked(lost: int, entries: int) -> tuple[Confirmation, ...]:
    """The question about a loss above the share."""
    if lost <= MOST_LOST * entries:
        return ()
    question = f"{lost:,} of {entries:,} entries are in no note afterwards. Is that meant?"
    return (Confirmation("entries_lost", question),)


def _some(rows: Iterable[str]) -> Iterator[str]:
    """The first rows, safe to show, and how many more there are."""
    yield from first_rows([visible_line(row) for row in rows], IMPORT_ROWS)


def _texts(notes: Iterable[ChangedNote], *, after: bool) -> dict[str, str]:
    sides = ((note.path, note.after if after else note.before) for note in notes)
    return {path: decode(data) for path, data in sides if data is not None}
