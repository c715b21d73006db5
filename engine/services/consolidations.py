"""Consolidations by other tools, for the front ends: each is one item that can be reverted as a whole or by entry."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, Refused
from engine.monitoring.agent_changes import AgentChange
from engine.monitoring.consolidations import records
from engine.monitoring.consolidations.bursts import Burst, MemoryTool, NoteChangeAt, find_bursts, owners, shown_by
from engine.plans.diff import FileDiff, file_diff
from engine.plans.plan import PlanState
from engine.services.changes import ChangeService
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.text.document import decode

if TYPE_CHECKING:
    from engine.lifecycle.consolidation.entry_fates import ConsolidationAccount


class ConsolidationItem(msgspec.Struct, frozen=True, kw_only=True):
    """A consolidation with its account. `taken_back`: a plan that reverts all of it is applied."""

    consolidation: records.Consolidation
    account: "ConsolidationAccount"
    taken_back: bool = False

    @property
    def is_open(self) -> bool:
        """Tells whether the operator must still decide."""
        return self.consolidation.state == "open" and not self.taken_back


class ConsolidationService:
    """Records other tools' consolidations in the operator's state, and plans their reverts; applies nothing."""

    def __init__(self, opened: OpenWorkspace, changes: ChangeService) -> None:
        self._opened, self._changes = opened, changes
        self._accounts: dict[tuple[str, datetime], ConsolidationAccount] = {}

    def look(self) -> tuple[ConsolidationItem, ...]:
        """Records the consolidations since the last scan, unless `--read-only`; gives the open ones, newest first."""
        return tuple(item for item in self.all() if item.is_open)

    def all(self, *, look: bool = False) -> tuple[ConsolidationItem, ...]:
        """Gives every consolidation, decided ones too; `look`: scans the workspace first."""
        with self._opened.lock, disk_errors("looking for consolidations failed"):
            self._opened.fresh(look)
            known = self._records.all()
            found = self._found(known)
            if found and not self._opened.database.read_only:
                for consolidation in found:
                    self._records.save(consolidation)
                self._records.forget(self._opened.real_clock())
            names = {consolidation.id for consolidation in found}
            listed = [*found, *(consolidation for consolidation in known if consolidation.id not in names)]
            listed.sort(key=lambda one: (one.ended, one.id), reverse=True)
            return tuple(map(self._item, listed))

    def load(self, name: str = "", *, look: bool = False) -> ConsolidationItem:
        """Gives the item with this id or ending; by default the newest open one. `UsageError` for none."""
        items = self.all(look=look)
        if not name and (waiting := next((item for item in items if item.is_open), None)) is not None:
            return waiting
        with disk_errors("reading a consolidation failed"):
            return self._item(self._records.load(name))

    def unreadable(self) -> tuple[str, ...]:
        """Gives the files of records that could not be read at the last look."""
        return tuple(map(str, self._records.unreadable))

    def diffs(self, item: ConsolidationItem) -> tuple[FileDiff, ...]:
        """Gives a diff for each note of the consolidation."""
        return tuple(file_diff(note.path, note.before, note.after) for note in item.consolidation.notes)

    def keep(self, name: str, reason: str = "") -> ConsolidationItem:
        """Keeps the consolidation as it is: it leaves the queue, and can still be reverted later."""
        if self._opened.database.read_only:
            raise Refused("nothing is recorded with --read-only", hint="leave --read-only out")
        with self._opened.lock, disk_errors("keeping a consolidation failed"):
            kept = msgspec.structs.replace(self.load(name).consolidation, state="kept", reason=reason)
            self._records.save(kept)
            return self._item(kept)

    # ── what is recorded ───────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _records(self) -> records.ConsolidationRecords:
        return records.ConsolidationRecords(self._opened.state.consolidations)

    def planned(self, ident: str, plan: str, *, whole: bool) -> None:
        """Records the plan that reverts all of it, or some entries."""
        with self._opened.lock, disk_errors("keeping the plan of a consolidation failed"):
            one = self._records.load(ident)
            more = {"whole": (*one.whole, plan)} if whole else {"plans": (*one.plans, plan)}
            self._records.save(msgspec.structs.replace(one, **more))

    def _item(self, record: records.Consolidation) -> ConsolidationItem:
        key = (record.id, record.seen)
        if key not in self._accounts:
            self._accounts = {known: kept for known, kept in self._accounts.items() if known[0] != record.id}
            from engine.lifecycle.consolidation.entry_fates import consolidation_account

            old, new = ({path: decode(data) for path, data in side.items()} for side in (record.before, record.after))
            self._accounts[key] = consolidation_account(old, new)
        back = any(self._state(plan) is PlanState.APPLIED for plan in record.whole)
        return ConsolidationItem(consolidation=record, account=self._accounts[key], taken_back=back)

    def _state(self, plan: str) -> PlanState | None:
        try:
            return self._opened.queue.entry(plan).state
        except MemdeckError:
            return None

    # ── what came since ────────────────────────────────────────────────────────────────────────────────────────────

    def _found(self, known: Sequence[records.Consolidation]) -> list[records.Consolidation]:
        """Gives the records of new bursts, and of known ones that continued."""
        since = self._changes.since_looked()
        if since.looked_at is None or not since.changes:
            return []
        looked = since.looked_at
        fresh = sorted((one for one in known if one.seen > looked), key=lambda one: one.seen)
        seen, open_ones = self._opened.real_clock(), list(fresh)
        updated: dict[str, records.Consolidation] = {}
        for burst in self._bursts(since.changes, fresh):
            one = self._attributed(records.recorded(burst, open_ones, seen))
            updated[one.id] = one
            open_ones = [one, *(other for other in open_ones if other.id != one.id)]
        return list(updated.values())

    def _attributed(self, record: records.Consolidation) -> records.Consolidation:
        """Adds to the record what shows that its tool made it (decision G26)."""
        sides = ((note.before or b"", note.after or b"") for note in record.notes)
        found = (shown_by(record.tool, before, after, record.ended, self._written_at) for before, after in sides)
        return msgspec.structs.replace(record, shown_by=record.shown_by or next(filter(None, found), ""))

    def _bursts(self, changes: Sequence[AgentChange], known: Sequence[records.Consolidation]) -> list[Burst]:
        if not (new := records.unrecorded(changes, known)):
            return []
        old = {change.path: change for change in new}

        def read(path: str) -> bytes | None:
            """Reads the note before its change; a new note as it is."""
            with suppress(Refused):
                if path in old:
                    before, after = self._sides(old[path])
                    return after if before is None else before
            return self._opened.root.read_or_none(path)

        tools = owners({*self._opened.fresh(look=False).files, *old}, read)
        spans = {tool: [(one.began, one.ended) for one in known if one.tool is tool] for tool in MemoryTool}
        return find_bursts(list(self._with_bytes(records.candidates(new, tools))), tools, spans)

    def _with_bytes(self, changes: Iterable[records.UnrecordedChange]) -> Iterator[NoteChangeAt]:
        """Yields the changes with their bytes and instants; skips those that are no longer known."""
        for change in changes:
            with suppress(Refused):
                before, after = self._sides(change)
                at = None if change.change.later else self._written_at(change.path)
                yield NoteChangeAt(path=change.path, before=before, after=after, at=at)

    def _sides(self, change: records.UnrecordedChange) -> tuple[bytes | None, bytes | None]:
        before, after = self._changes.sides(change.change)
        return (before if change.last is None else change.last.after), after

    def _written_at(self, path: str) -> datetime | None:
        """Gives the time at which a note was written, by the disk, never in the future; None for a missing one."""
        at = self._opened.written_at(path)
        return None if at is None else min(at, self._opened.real_clock())
