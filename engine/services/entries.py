"""The semantic entries of a compaction: in the operator's words, in another shard, beside what they may repeat."""

from collections.abc import Mapping

import msgspec

from engine.compactor.notes.left_out import LeftOutLine, left_out
from engine.compactor.options import CompactRequest
from engine.compactor.semantic import entry_edit
from engine.compactor.semantic.entry import SchemaProblem
from engine.compactor.semantic.entry_edit import PlannedEntry
from engine.compactor.semantic.pollution import Duplicate
from engine.compactor.semantic.side_by_side import SideBySide, side_by_side
from engine.errors import Stale, UsageError
from engine.plans.plan import OPEN_STATES, Plan, PlanState, QueueEntry
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.plans.refusal import again_without
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.systems import find_system
from engine.workspace.snapshot import Snapshot


class EntryService:
    """Shows and rewords the entries of plans that wait."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened = opened
        self._queue = queue

    def of_plan(self, plan: Plan) -> tuple[PlannedEntry, ...]:
        """The semantic entries of a compaction, with the number by which each is edited or routed."""
        return entry_edit.entries_of(plan)

    def left_out(self, plan: Plan, change: int | None = None) -> tuple[LeftOutLine, ...]:
        """The lines that the summaries of a plan (or of one change) did not read, with the reason of each."""
        return left_out(plan, self._opened.root.read, change)

    def problems(self, text: str) -> tuple[SchemaProblem, ...]:
        """All that keeps a text from being an entry; cheap enough to ask at every key press."""
        return entry_edit.entry_problems(text)

    def route_problem(self, path: str) -> str:
        """Says why an entry cannot be routed to `path`; empty where it can."""
        return entry_edit.route_problem(path)

    def similar_titles(self, text: str) -> tuple[Duplicate, ...]:
        """The titles in semantic memory that are like that of an entry being written."""
        with self._opened.lock:
            return entry_edit.similar_titles(self._opened.fresh(look=False), text)

    def similar(self, plan: Plan, change: int | None = None) -> tuple[SideBySide, ...]:
        """Each new entry of a plan (or of one change) beside the entry that it may repeat."""
        return side_by_side(plan, self._opened.root.read, change)

    def reword(self, plan_id: str, edits: Mapping[int, str] = {}, routes: Mapping[int | str, str] = {}) -> PlanOutcome:
        """A queued compaction again, with entries in the operator's words or in other shards; supersedes the old one. A
        route is given by the number of an entry, or by a pattern of titles for many at once. Made for the same instant
        as the old plan, so that entry numbers stay. `SchemaError` or `Blocked` for a text that may not be written,
        `Stale` where an input changed, `UsageError` for a number or a route that is none."""
        with self._opened.lock:
            snapshot = self._opened.fresh(look=True)
            self._queue.refresh()
            queue = self._opened.queue
            old, entry = queue.load(plan_id), queue.entry(plan_id)
            check_open(entry)
            for number in edits:
                entry_edit.entry_of(old, number)
            outcome = self._again(old, snapshot, edits, entry_edit.numbered_routes(old, routes))
            if outcome.plan is not None:
                numbers = frozenset(entry.number for entry in entry_edit.entries_of(old))
                entry_edit.check_same_entries(old, outcome.plan, numbers)
                rest = again_without(old, outcome.plan, self._opened.root.read)
                outcome = msgspec.structs.replace(outcome, plan=rest)
            return self._queue.submit(msgspec.structs.replace(outcome, also=()))

    def _again(self, old: Plan, snapshot: Snapshot, edits: Mapping[int, str], routes: dict[int, str]) -> PlanOutcome:
        opened = self._opened
        if old.simulated_clock and opened.what_if != old.now:
            raise Stale("the plan was made under a what-if clock", where=old.id, hint=f"--now {old.now.isoformat()}")
        every: dict[int | str, str] = {}
        every.update((entry_edit.earlier(old, entry_edit.ROUTES) | routes).items())
        request = PlanRequest(
            CompactRequest(edits={**entry_edit.earlier(old, entry_edit.EDITS), **edits}, routes=every),
            scheduled=old.facts.get("scheduled") is True,
            at=old.now,
        )
        return find_system(old.system).outcome(opened, snapshot, request)


def check_open(entry: QueueEntry) -> None:
    """`Stale` or `UsageError` where a plan cannot be made again any more."""
    if entry.state is PlanState.STALE:
        raise Stale(entry.state_reason or "it is stale", where=entry.id, hint=f"memdeck plan {entry.system}")
    if entry.state not in OPEN_STATES:
        raise UsageError(f"is {entry.state}: it cannot be edited", where=entry.id, hint=f"memdeck plan {entry.system}")
