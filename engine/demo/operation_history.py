"""Records past operations without applying anything. The demonstration's files look as if the operator `demo` had
applied these plans; queue, displaced bytes, audit log, operations and commits are recorded: `check` and `undo` work."""

import dataclasses
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

import msgspec

from engine.demo.notes import OldNote
from engine.demo.past_plans import CYCLES, DemoOperator, tree_plan
from engine.demo.repository import DemoRepository, demo_committer
from engine.plans.apply.completion import finish, record_intent
from engine.plans.apply.context import ApplyContext
from engine.plans.commit_task import subject
from engine.plans.operation import Effect, Operation, OperationKind, OperationState, Rename, Reversal, Withdraw, Write
from engine.plans.plan import Plan, RiskTier
from engine.plans.policy.values import Policy
from engine.plans.prediction import predict, reverse
from engine.plans.queue import Queue
from engine.plans.records.audit import AuditLog
from engine.plans.records.journal import Journal, Phase
from engine.state.folder import StateFolder
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot

APPROVER = {"tty": "demo", "processes": ["memdeck demo"], "user": "demo", "channel": "demo"}

PAST: tuple[tuple[int, str, int, int], ...] = (
    (-62, "compaction", -75, -69),
    (-40, "compaction", -51, -47),
    (-33, "extraction", -75, -69),
    (-19, "compaction", -33, -27),
    (-12, "compaction", -26, -20),
)
"""Day and kind of each operation, and the first and last day of its notes."""

LEARNT = -38  # day of the one extraction from transcripts
TAKEN_BACK = (-10, -18, "black-friday-freeze")  # an archiving that the operator undid, since the note was still in use


class OperationRecorder:
    """Simulates the workspace's past in memory. `files`: the workspace as of the last recorded step."""

    def __init__(
        self,
        root: WorkspaceRoot,
        state: StateFolder,
        today: date,
        files: dict[str, bytes],
        repository: DemoRepository | None,
    ) -> None:
        self.root, self.state, self.today = root, state, today
        self.files, self.repository = files, repository
        self.desk = DemoOperator(root.identity, today)
        self.queue, self.audit = Queue(state.queue), AuditLog(state.audit)

    def steps(self, notes: list[OldNote]) -> Iterator[tuple[datetime, Callable[[], None]]]:
        """Yields the past operations by time; calling one records it."""
        for day, kind, first, last in PAST:
            at = moment(self.today, day, time(8, 40))
            yield at, partial(self._past, at, kind, [note for note in notes if first <= note.day <= last])
        day, note_day, name = TAKEN_BACK
        at = moment(self.today, day, time(9, 5))
        yield at, partial(self._taken_back, at, note_day, name)
        at = moment(self.today, LEARNT, time(8, 20))
        yield at, partial(self._learnt, at)
        for day in CYCLES:
            at = moment(self.today, day, time(7, 30))
            yield at, partial(self._grown, at)

    def _grown(self, at: datetime) -> None:
        plan = tree_plan(self.files, at, self.root.identity, self.state)
        if plan is not None:
            self.record(plan, at + timedelta(minutes=3))

    def _learnt(self, at: datetime) -> None:
        self.record(self.desk.learning(self.files, at, self.root), at + timedelta(minutes=4))

    def _past(self, at: datetime, kind: str, notes: list[OldNote]) -> None:
        make = self.desk.compaction if kind == "compaction" else self.desk.extraction
        self.record(make(self.files, at, notes), at + timedelta(minutes=6))

    def _taken_back(self, at: datetime, day: int, name: str) -> None:
        operation = self.record(self.desk.archiving(self.files, at, day, name), at + timedelta(minutes=1))
        self.record_undo(operation, at + timedelta(minutes=24))

    def record(self, plan: Plan, at: datetime) -> Operation:
        """Records the plan as applied at `at`, and updates `files`."""
        plan = self.queue.put(plan, plan.made_at)
        numbers = tuple(change.n for change in plan.changes)
        prediction = predict(plan, numbers, self.files.__getitem__)
        message = subject(plan, numbers)
        operation = self._operation(plan, at, prediction.effects, OperationKind.APPLY, plan.risk_tier, message)
        return self._finish(as_approved(operation, plan.digest, at), plan.digest, prediction.contents, at)

    def record_undo(self, original: Operation, at: datetime) -> None:
        """Records `original` as undone at `at`."""
        plan, effects = self.queue.load(original.plan), reverse(original.effects)
        what = Reversal(operation=original.id, plan=plan.id, system=plan.system, risk_tier=RiskTier.B, effects=effects)
        message = f"maintenance: undo {original.id} ({plan.system})"
        operation = self._operation(plan, at, effects, OperationKind.UNDO, RiskTier.B, message)
        undo = msgspec.structs.replace(operation, undoes=original.id, numbers=what.numbers)
        self._finish(as_approved(undo, what.digest, at), what.digest, {}, at)

    def _operation(
        self, plan: Plan, at: datetime, effects: tuple[Effect, ...], kind: OperationKind, tier: RiskTier, message: str
    ) -> Operation:
        return Operation(
            id=self._context(at).operations.next_id(at),
            kind=kind,
            plan=plan.id,
            system=plan.system,
            trigger=plan.trigger,
            risk_tier=tier,
            state=OperationState.RUNNING,
            started_at=at,
            finished_at=None,
            simulated_clock=False,
            numbers=tuple(change.n for change in plan.changes),
            effects=effects,
            done=(),
            as_of=plan.now,
            message=message,
        )

    def _finish(self, operation: Operation, target: str, contents: dict[str, bytes], at: datetime) -> Operation:
        context = self._context(at)
        head = record_intent(context, operation, target, ())
        changed = self._change(context, operation.effects, contents)
        if self.repository is not None:
            context = dataclasses.replace(context, commit=demo_committer(self.repository, self.audit, at, changed))
        done = msgspec.structs.replace(
            operation,
            audit_head=head,
            state=OperationState.DONE,
            done=tuple(range(len(operation.effects))),
            finished_at=at + timedelta(seconds=1),
        )
        return finish(context, Journal(phase=Phase.FINISHING, operation=done, slots=()))

    def _change(
        self, context: ApplyContext, effects: tuple[Effect, ...], contents: dict[str, bytes]
    ) -> dict[str, bytes | None]:
        """Updates `files`, stores displaced bytes, and returns the new content of each touched path."""
        changed: dict[str, bytes | None] = {}
        for effect in effects:
            match effect:
                case Write():
                    if effect.before is not None:
                        context.displaced.put(self.files[effect.path])
                    changed[effect.path] = contents[effect.after]
                case Rename():
                    changed[effect.path], changed[effect.to] = None, self.files[effect.path]
                case Withdraw():
                    context.displaced.put(self.files[effect.path])
                    changed[effect.path] = None
        context.displaced.flush()
        for path, content in changed.items():
            if content is None:
                del self.files[path]
            else:
                self.files[path] = content
        return changed

    def _context(self, at: datetime) -> ApplyContext:
        return ApplyContext(self.root, self.state, Policy(), self.queue, self.audit, clock=lambda: at)


def as_approved(operation: Operation, target: str, at: datetime) -> Operation:
    """Adds the record of an approval by `demo`, which was never a valid approval."""
    record = {
        "target": target,
        "numbers": operation.numbers,
        "risk_tier": operation.risk_tier.value,
        "answers": [],
        "witness": APPROVER,
        "granted_at": at,
        "expires_at": at,
        "nonce": sha256_hex(f"demo {target} {at.isoformat()}".encode())[:32],
    }
    return msgspec.convert({**msgspec.to_builtins(operation), "approval": record}, Operation)


def moment(today: date, day: int, clock: time) -> datetime:
    """Returns the UTC time `clock` on a day counted from today."""
    return datetime.combine(today + timedelta(days=day), clock, UTC)
