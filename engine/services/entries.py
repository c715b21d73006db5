"""The semantic entries of a compaction: edited, routed to another shard, or compared with similar ones."""

from collections.abc import Collection, Mapping

import msgspec

from engine.compactor.notes.left_out import LeftOutLine, left_out
from engine.compactor.options import CompactRequest
from engine.compactor.semantic import entry_edit
from engine.compactor.semantic.entry import SchemaProblem
from engine.compactor.semantic.entry_edit import PlannedEntry
from engine.compactor.semantic.pollution import Duplicate
from engine.compactor.semantic.side_by_side import SideBySide, side_by_side
from engine.errors import Refused, Stale, UsageError
from engine.lifecycle.extract.review import ReviewedEntry, offered_entries, reviewed_entries
from engine.lifecycle.requests import ExtractRequest
from engine.plans.partial_refusal import again_without
from engine.plans.plan import OPEN_STATES, Plan, PlanState, QueueEntry
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.systems import find_system
from engine.workspace.snapshot import Snapshot


class EntryService:
    """Shows and edits the entries of open plans."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened, self._queue = opened, queue

    def of_plan(self, plan: Plan) -> tuple[PlannedEntry, ...]:
        """Gives the semantic entries of a compaction, each with its number for editing and routing."""
        return entry_edit.entries_of(plan)

    def left_out(self, plan: Plan, change: int | None = None) -> tuple[LeftOutLine, ...]:
        """Gives the lines that the summaries of a plan (or change) omit, each with the reason."""
        return left_out(plan, self._opened.root.read, change)

    def problems(self, text: str) -> tuple[SchemaProblem, ...]:
        """Gives the problems that keep a text from being an entry; fast enough for every key press."""
        return entry_edit.entry_problems(text)

    def route_problem(self, path: str) -> str:
        """Gives the reason why an entry cannot be routed to `path`; empty where it can."""
        return entry_edit.route_problem(path)

    def similar_titles(self, text: str) -> tuple[Duplicate, ...]:
        """Gives the titles in semantic memory that resemble the edited entry's."""
        with self._opened.lock:
            return entry_edit.similar_titles(self._opened.fresh(look=False), text)

    def similar(self, plan: Plan, change: int | None = None) -> tuple[SideBySide, ...]:
        """Gives each new entry of a plan (or change) beside the entry that it may repeat."""
        return side_by_side(plan, self._opened.root.read, change)

    def reword(self, plan_id: str, edits: Mapping[int, str] = {}, routes: Mapping[int | str, str] = {}) -> PlanOutcome:
        """Queues a compaction again with edited or routed entries, in place of the old plan, for the same instant and
        numbers. `SchemaError` or `Blocked` for the text, `Stale` for an input, `UsageError` for a number or route."""
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
        if old.simulated_clock and self._opened.what_if != old.now:
            raise Stale("the plan was made under a what-if clock", where=old.id, hint=f"--now {old.now.isoformat()}")
        every = dict[int | str, str]((entry_edit.earlier(old, entry_edit.ROUTES) | routes).items())
        request = PlanRequest(
            CompactRequest(edits={**entry_edit.earlier(old, entry_edit.EDITS), **edits}, routes=every),
            scheduled=old.facts.get("scheduled") is True,
            at=old.now,
        )
        return find_system(old.system).outcome(self._opened, snapshot, request)


def check_open(entry: QueueEntry) -> None:
    """Raises `Stale` or `UsageError` where a plan can no longer be edited."""
    if entry.state is PlanState.STALE:
        raise Stale(entry.state_reason or "it is stale", where=entry.id, hint=f"memdeck plan {entry.system}")
    if entry.state not in OPEN_STATES:
        raise UsageError(f"is {entry.state}: it cannot be edited", where=entry.id, hint=f"memdeck plan {entry.system}")


class ExtractionService:
    """Shows the entries of open extraction plans. Writes no note and approves nothing."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened, self._queue = opened, queue

    def entries(self, plan_id: str) -> tuple[ReviewedEntry, ...]:
        """Gives the entries that a plan adds, each with its line; `UsageError` for a plan of another system."""
        return reviewed_entries(self._opened.queue.load(plan_id))

    def offered(self, plan_id: str = "") -> tuple[ReviewedEntry, ...]:
        """Gives the inferred and proposed entries that a plan does not add, by default those of a dry run now."""
        if plan_id:
            plan = self._opened.queue.load(plan_id)
            reviewed_entries(plan)
            return offered_entries(plan.facts)
        with self._opened.lock:
            return offered_entries(self._outcome(PlanRequest()).facts)

    def chosen(self, plan_id: str, refused: Collection[str] = (), accepted: Collection[str] = ()) -> PlanOutcome:
        """Queues the extraction again, without the refused and with the accepted entries; supersedes the old plan.
        `UsageError` for an unknown id, `Stale` where inputs or transcripts changed."""
        with self._opened.lock:
            self._opened.fresh(look=True)
            self._queue.refresh()
            queue = self._opened.queue
            old, known = queue.load(plan_id), {entry.id for entry in self.entries(plan_id)}
            check_open(queue.entry(plan_id))
            if not refused and not accepted:
                raise UsageError("which entries are refused or accepted?", where=old.id, hint=_HINT + old.id)
            _check_ids(refused, known, "the plan has no such entry")
            _check_ids(accepted, {reviewed.id for reviewed in self.offered(plan_id)}, "the plan offers no such entry")
            asked = ExtractRequest(
                transcripts=tuple(old.facts.get("asked", ())),
                left_out=tuple(sorted({*refused, *old.facts.get("refused", ())})),
                accepted=tuple(sorted({*accepted, *old.facts.get("accepted", ())} - {*refused})),
            )
            outcome = self._outcome(PlanRequest(asked, at=old.now))
            _check_same(old, outcome, known - frozenset(refused), accepted)
            return self._queue.submit(outcome)

    def accept(self, accepted: Collection[str]) -> PlanOutcome:
        """Queues an extraction with these entries if no plan is open; `UsageError` for an id that is not offered."""
        if not accepted:
            raise UsageError("which entries are accepted?", hint="memdeck extraction")
        with self._opened.lock:
            outcome = self._outcome(PlanRequest(ExtractRequest(accepted=tuple(sorted(accepted)))))
            _check_ids(accepted, outcome.facts.get("accepted", ()), "no transcript offers such an entry")
            _check_room(outcome, accepted)
            return self._queue.submit(outcome)

    def _outcome(self, request: PlanRequest) -> PlanOutcome:
        opened, snapshot = self._opened, self._opened.fresh(look=True)
        return find_system("extract").outcome(opened, snapshot, request)


_HINT = "memdeck extraction "


def _check_ids(idents: Collection[str], known: Collection[str], said: str) -> None:
    for ident in idents:
        if ident not in known:
            raise UsageError(said, where=ident[:40], hint=_HINT.strip())


def _check_same(old: Plan, outcome: PlanOutcome, left: Collection[str], accepted: Collection[str]) -> None:
    """Raises `Stale` where the new plan has other entries than those that the operator saw or accepted. A statement
    repeated after an accepted entry becomes an entry of its own (decision D45)."""
    again: dict[str, str] = outcome.facts.get("said_again", {})
    made = {again.get(ident, ident) for ident in _made(outcome)}
    if not made >= set(left) or made - {*left, *accepted, *again.values()}:
        raise Stale("transcripts or notes changed since", where=old.id, hint="memdeck plan extract")
    _check_room(outcome, accepted)


def _check_room(outcome: PlanOutcome, accepted: Collection[str]) -> None:
    """Raises `Refused` where an accepted entry has no room, since the plan would then lack it."""
    there = _made(outcome) | set(outcome.facts.get("said_again", {}).values())
    for ident in accepted:
        if ident not in there:
            raise Refused("there is no room for it: MEMORY.md is full", where=ident, hint="memdeck plan prune")


def _made(outcome: PlanOutcome) -> set[str]:
    return {ident for idents in outcome.facts.get("ids", {}).values() for ident in idents}
