"""Plans the differences of two folders for the workspace, with an account of every entry (`memdeck review`)."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.errors import Refused
from engine.lifecycle.account import IMPORT_ROWS, Account, first_rows
from engine.lifecycle.archive.places import archive_place, protection
from engine.lifecycle.folders.entry_account import entries_of, entry_account, junk, name_of
from engine.lifecycle.folders.folder_pair import ChangedNote, FolderPair, read_pair
from engine.lifecycle.prune.memory_entries import MemoryEntry
from engine.lifecycle.requests import FolderRequest
from engine.plans.flags import foreign
from engine.plans.plan import Append, Change, Confirmation, Create, Move, Plan, QualityGate, Replace, RiskTier
from engine.plans.plan_hunks import REVIEW, Read, sides_of
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.document import decode, exact_text
from engine.text.frontmatter import read_frontmatter
from engine.text.safe_text import visible_line
from engine.workspace.foreign_text import added_lines, incoming
from engine.workspace.layout import is_guarded
from engine.workspace.paths import MAX_FILE
from engine.workspace.snapshot import FreeNames
from engine.workspace.values import steps

HELD = "held back"  # begins the reason why the gate keeps a text out (decision G27)
Merge = Callable[[str, str, str], str]
"""Applies the change between two texts to a third; `Refused` where they overlap."""


class NoteChanges:
    """Makes one plan's changes to the snapshot. Lines that only the workspace has stay (decision G4)."""

    def __init__(self, planning: Planning, merge: Merge) -> None:
        snapshot = planning.snapshot
        self._planning, self._merge = planning, merge
        self._skipped = {skipped.path: skipped.reason for skipped in snapshot.skipped}
        self._places = FreeNames(snapshot)

    def of(self, note: ChangedNote, n: int, warnings: tuple[str, ...]) -> Change | None:
        """Gives a note's change; None where the workspace has it already; `Refused` where it does not fit."""
        if why := self._skipped.get(visible_line(note.path)):
            raise Refused(f"the workspace's is skipped: {why}")
        if (change := self._of(note)) is None:
            return None
        change = replace(change, n=n, warnings=() if isinstance(change, Move) else warnings)
        snapshot = self._planning.snapshot
        now = snapshot.text(note.path) if note.path in snapshot.files else ""
        added = "" if isinstance(change, Move) else added_lines(now, change.content)
        if why := incoming(note.path, added, self._planning.policy.git.private):
            raise Refused(f"{HELD}: {why}")
        return change if isinstance(change, Move) else foreign(change, added, "from another folder")

    def _of(self, note: ChangedNote) -> Change | None:
        data = self._planning.snapshot.content(note.path) if note.path in self._planning.snapshot.files else None
        tier = RiskTier.C if is_guarded(note.path) else RiskTier.B
        if note.after is None:
            return self._archived(note, data, tier)
        if data is not None:
            return self._changed(note, data, tier)
        if note.before is not None:
            raise Refused("it was changed, and the workspace has no such note")
        content = exact_text(note.path, note.after)
        return Create(n=0, path=note.path, risk_tier=tier, reason="new in AFTER", content=content)

    def _changed(self, note: ChangedNote, data: bytes, tier: RiskTier) -> Change | None:
        now = exact_text(note.path, data)
        text = self._merged(note, now)
        if text == now:
            return None
        if len(text.encode()) > MAX_FILE:
            raise Refused("it would be larger than a note can be")
        reason = "changed in AFTER" if data == note.before else "changed in AFTER; the workspace's own lines stay"
        if now.endswith("\n") and text.startswith(now):
            return Append(n=0, path=note.path, risk_tier=tier, reason=reason, content=text[len(now) :])
        return Replace(n=0, path=note.path, risk_tier=tier, reason=reason, content=text)

    def _merged(self, note: ChangedNote, now: str) -> str:
        after = exact_text(note.path, note.after or b"")
        if now == after:
            return now
        if note.before is None:
            raise Refused("it is new in AFTER, and the workspace has another note there")
        before = exact_text(note.path, note.before)
        return after if now == before else self._merge(before, after, now)

    def _archived(self, note: ChangedNote, data: bytes | None, tier: RiskTier) -> Change | None:
        """Moves a note that AFTER lacks to the archive; nothing is deleted."""
        if data is None:
            return None
        if data != note.before:
            raise Refused("it is gone in AFTER, and the workspace's was changed")
        if why := protection(note.path, read_frontmatter(data).values, data.decode("utf-8", "replace")):
            raise Refused(f"it is gone in AFTER, and never archived: {why}")
        if not (to := archive_place(note.path, self._planning.today)):
            raise Refused("it is gone in AFTER, and has no place in the archive")
        return Move(n=0, path=note.path, to=self._places.free_path(to), risk_tier=tier, reason="gone in AFTER")


MOST = 500  # changes of one plan; the next run goes on with the others
MOST_LOST = 0.25
"""The share of entries that may be omitted without a question: OpenClaw's own limit for its consolidation."""


def plan_review(planning: Planning, asked: FolderRequest, merge: Merge) -> PlanOutcome:
    """Plans the changes from BEFORE to AFTER; `UsageError` for folders that are unreadable, equal, or nested."""
    before, after = (Path(name).expanduser() for name in (asked.before, asked.after))
    review = _Review(planning, read_pair(before, after, planning.tick))
    review.take(NoteChanges(planning, merge))
    return review.outcome(after.name or "AFTER")


class _Review:
    """One plan from the differing notes. Changes that do not fit the workspace are reported."""

    def __init__(self, planning: Planning, pair: FolderPair) -> None:
        self._tick, self._pair, self._draft = planning.tick, pair, Draft(planning)
        self._problems = list(pair.problems)
        self._there = self._later = 0
        self._planned: list[ChangedNote] = []
        self._junk = junk(_texts(pair.changed, after=True), entries_of(_texts(pair.changed, after=False)))

    def take(self, changes: NoteChanges) -> None:
        """Adds each note's change, or the reason why it does not fit."""
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
        """Gives the plan, or why there is none, with the report and the account."""
        before = entries_of(_texts(self._planned, after=False))
        moved = [change.path for change in self._draft.changes if isinstance(change, Move)]
        account = entry_account(before, entries_of(_texts(self._planned, after=True)), moved)
        lost = _left_out(before, account)
        return self._draft.outcome(
            REVIEW,
            self._why_none(),
            trigger=visible_line(name),
            gates=(_gate(account),),
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
        yield from _some(f"  omitted: {name_of(entry)}  {entry.text.strip()[:120]}" for entry in lost)
        yield from _some(f"  {path}: {row}" for path, rows in sorted(self._junk.items()) for row in rows)
        yield from _some(f"skipped: {problem}" for problem in self._problems)

    def _facts(self, account: Account, lost: list[MemoryEntry]) -> dict[str, Any]:
        return account.facts() | {
            "differ": len(self._pair.changed),
            "same": self._pair.same,
            "there": self._there,
            "later": self._later,
            "junk": sum(map(len, self._junk.values())),
            "lost": _names(lost),
            "problems": [visible_line(problem) for problem in self._problems[:IMPORT_ROWS]],
        }


def _gate(account: Account) -> QualityGate:
    return QualityGate("account", account.exact, account.line("entries"))


def _left_out(before: Iterable[MemoryEntry], account: Account) -> list[MemoryEntry]:
    return [entry for entry in before if name_of(entry) in account.left_out]


def _names(lost: list[MemoryEntry]) -> list[str]:
    return [name_of(one) for one in lost[:IMPORT_ROWS]]


def counted_again(plan: Plan, read: Read) -> Plan:
    """Gives a partly refused review plan with the account of the remaining lines."""
    sides = {one.path: sides_of(plan, one, read) for one in plan.changes if not isinstance(one, Move)}
    moved = {one.path: decode(read(one.path)) for one in plan.changes if isinstance(one, Move)}
    before = entries_of(moved | {path: old for path, (old, _) in sides.items()})
    account = entry_account(before, entries_of({path: new for path, (_, new) in sides.items()}), moved)
    facts = plan.facts | account.facts() | {"lost": _names(_left_out(before, account))}
    return replace(plan, gates=(_gate(account),), facts=facts)


def _asked(lost: int, entries: int) -> tuple[Confirmation, ...]:
    if lost <= MOST_LOST * entries:
        return ()
    return (Confirmation("entries_lost", f"{lost:,} of {entries:,} entries are in no note afterwards. Is that meant?"),)


def _some(rows: Iterable[str]) -> Iterator[str]:
    yield from first_rows([visible_line(row) for row in rows], IMPORT_ROWS)


def _texts(notes: Iterable[ChangedNote], *, after: bool) -> dict[str, str]:
    sides = ((note.path, note.after if after else note.before) for note in notes)
    return {path: decode(data) for path, data in sides if data is not None}
