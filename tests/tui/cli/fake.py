"""A fake behind the commands that ask on a terminal, and a way to poison every text it gives."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from engine.errors import MemdeckError, Refused, Stale
from engine.models.estimate import CostEstimate
from engine.monitoring.comments import DiffComment
from engine.plans.approval import Approval
from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.operation import Operation, OperationKind, OperationState, Write
from engine.plans.plan import (
    Plan,
    PlanState,
    QueueEntry,
    RiskTier,
)
from engine.plans.planning import PlanRequest
from engine.plans.policy.values import Policy, PolicyValue
from engine.plans.records.chain import AuditRecord
from engine.plans.reversal import Reversal
from engine.plans.sizes import PlanSizes, TierSize, file_sizes
from engine.plans.status import (
    PlanOutcome,
    Status,
)
from engine.services.engine import Engine
from engine.text.tokens import BytesCounter
from engine.workspace.findings import Finding, FindingKind
from engine.workspace.values import Progress, Tick
from tests.values import NOW, a_status, append_plan, compaction, diff_of, entry_of, without_confirmations


class _Plain:
    """Plans, approvals and operations in memory, for what is asked and answered on a terminal."""

    workspace = Path("/home/ana/agents/silas")
    simulated = False

    def __init__(self, *plans: Plan, poison: str = "") -> None:
        made = plans or tuple(without_confirmations(plan) for plan in (compaction(1), append_plan(2)))
        self.plans = {plan.id: plan for plan in made}
        self.entries: dict[str, QueueEntry] = {plan.id: entry_of(plan) for plan in made}
        self.current = a_status()
        self.done: list[Operation] = []
        self.approvals: list[Approval] = []
        self.calls: list[str] = []
        self.fails: MemdeckError | None = None
        self.next_plan: Plan | None = None
        self.tier_sizes: tuple[TierSize, ...] = ()
        """What a plan's tiers hold."""
        self.price = CostEstimate(calls=0, input=0, output=0, usd=0.0, cap=0.5)
        self.poison = poison
        self.findings: tuple[Finding, ...] = ()
        self.when = datetime.now(UTC)

    def now(self) -> datetime:
        return NOW

    def real_now(self) -> datetime:
        return datetime.now(UTC)

    def status(self, tick: Tick | None = None) -> Status:
        self.calls.append("status")
        return self.current

    def systems(self, *, named: bool = False) -> tuple[tuple[str, str], ...]:
        return (("compact", "working → episodic → semantic, originals to the archive"),)

    def estimate(self, system: str, request: PlanRequest = PlanRequest()) -> CostEstimate:  # noqa: B008
        return self.price

    def plan(self, system: str, request: PlanRequest = PlanRequest()) -> PlanOutcome:  # noqa: B008
        self.calls.append(f"plan {system}")
        self._work("summarising", request.tick)
        if self.next_plan is None:
            return PlanOutcome(plan=None, reason_no_action="no threshold is crossed, nothing is eligible")
        self.add(self.next_plan)
        return PlanOutcome(plan=self.next_plan)

    def add(self, plan: Plan) -> None:
        self.plans[plan.id] = plan
        self.entries[plan.id] = entry_of(plan)

    def _work(self, stage: str, tick: Tick | None) -> None:
        if tick is not None:
            tick(Progress(stage, 60, 120))
        if self.fails is not None:
            raise self.fails

    def queue(self) -> tuple[QueueEntry, ...]:
        return tuple(self.entries.values())

    def load_plan(self, plan_id: str) -> Plan:
        self.calls.append(f"load {plan_id}")
        return self.plans[plan_id]

    def diffs(self, plan: Plan) -> tuple[FileDiff, ...]:
        return tuple(diff_of(change) for change in plan.changes)

    def sizes(self, plan: Plan, diffs: Sequence[FileDiff]) -> PlanSizes:
        return PlanSizes(file_sizes(plan, diffs, BytesCounter(), Policy().limits), self.tier_sizes)

    def apply(self, plan: Plan, approval: Approval, tick: Tick | None = None) -> Operation:
        self.calls.append(f"apply {plan.id}")
        self.approvals.append(approval)
        if self.entries[plan.id].state is PlanState.STALE:
            raise Stale("changed after the plan was made", where=plan.changes[0].path, hint="make the dry run again")
        self._work("writing", tick)
        operation = self._operation(plan, approval, OperationKind.APPLY)
        self.set_state(plan.id, PlanState.APPLIED, operation=operation.id)
        return operation

    def _operation(self, plan: Plan, approval: Approval, kind: OperationKind) -> Operation:
        effects = tuple(Write(change.path, None, "0" * 64) for change in plan.changes if change.n in approval.numbers)
        operation = Operation(
            id=f"o-20260315-{len(self.done) + 1:04}",
            kind=kind,
            plan=plan.id,
            system=plan.system,
            trigger=plan.trigger,
            risk_tier=plan.risk_tier,
            state=OperationState.DONE,
            started_at=NOW,
            finished_at=NOW,
            simulated_clock=False,
            numbers=approval.numbers,
            effects=effects,
            done=tuple(range(len(effects))),
            approval=approval,
            commit="1a2b3c4d5e6f",
        )
        self.done.append(operation)
        return operation

    def set_state(self, plan_id: str, state: PlanState, reason: str = "", operation: str | None = None) -> None:
        self.entries[plan_id] = msgspec.structs.replace(
            self.entries[plan_id], state=state, state_reason=reason, operation=operation, state_since=NOW
        )

    def reject(self, plan_id: str, reason: str) -> QueueEntry:
        self.calls.append(f"reject {plan_id}")
        self.set_state(plan_id, PlanState.REJECTED, reason)
        return self.entries[plan_id]

    def comments_of(self, plan_id: str) -> tuple[DiffComment, ...]:
        return ()

    def operations(self, limit: int | None = None) -> tuple[Operation, ...]:
        return tuple(reversed(self.done))[:limit]

    def operation_count(self) -> int:
        return len(self.done)

    def reversal(self, op_id: str | None = None, tick: Tick | None = None) -> Reversal:
        applied = [operation for operation in self.done if operation.state is OperationState.DONE]
        if not applied:
            raise Refused("there is no operation to take back")
        last = applied[-1]
        return Reversal(
            operation=last.id,
            plan=last.plan,
            system=last.system,
            risk_tier=min(last.risk_tier, RiskTier.B),
            effects=last.effects,
        )

    def reversal_diffs(self, reversal: Reversal) -> tuple[FileDiff, ...]:
        rows = (DiffRow(RowKind.REMOVED, 1, None, "# Compiled"), DiffRow(RowKind.REMOVED, 2, None, "## Summary"))
        return tuple(FileDiff(path=effect.path, to=None, rows=rows, added=0, removed=2) for effect in reversal.effects)

    def undo(self, reversal: Reversal, approval: Approval, tick: object = None) -> Operation:
        self.calls.append(f"undo {reversal.operation}")
        self.approvals.append(approval)
        self.set_state(reversal.plan, PlanState.UNDONE)
        undone = self._operation(self.plans[reversal.plan], approval, OperationKind.UNDO)
        index = next(i for i, operation in enumerate(self.done) if operation.id == reversal.operation)
        self.done[index] = msgspec.structs.replace(self.done[index], state=OperationState.UNDONE, undone_by=undone.id)
        return undone

    def open_consolidations(self) -> tuple[()]:
        return ()

    def close(self) -> None:
        self.calls.append("close")


class FakeConsole(_Plain):
    """`poison` is put into every text of every value that a command is given."""

    def status(self, tick: Tick | None = None) -> Status:
        status: Status = self._poisoned(super().status(tick))
        return status

    def plan(self, system: str, request: PlanRequest = PlanRequest()) -> PlanOutcome:  # noqa: B008
        self.asked = request
        outcome: PlanOutcome = self._poisoned(super().plan(system, request))
        return outcome

    def queue(self) -> tuple[QueueEntry, ...]:
        return tuple(self._poisoned(entry, keep=("id",)) for entry in super().queue())

    def load_plan(self, plan_id: str) -> Plan:
        plan: Plan = self._poisoned(super().load_plan(plan_id), keep=("id",))
        return plan

    def reversal(self, op_id: str | None = None, tick: Tick | None = None) -> Reversal:
        what: Reversal = self._poisoned(super().reversal(op_id, tick), keep=("operation", "plan"))
        return what

    def diffs(self, plan: Plan) -> Any:
        return tuple(self._poisoned(diff) for diff in super().diffs(plan))

    def operations(self, limit: int | None = None) -> Any:
        return tuple(self._poisoned(operation) for operation in super().operations(limit))

    def redo(self, op_id: str | None = None) -> Plan:
        plan: Plan = self._poisoned(append_plan(9))
        return plan

    def policy_values(self) -> tuple[PolicyValue, ...]:
        return (self._poisoned(PolicyValue(key="limits.semantic.soft", value=900, origin="default")),)

    def audit(self, limit: int | None = None) -> tuple[AuditRecord, ...]:
        record = AuditRecord(seq=1, at=NOW, kind="reject", data={"reason": "no"}, prev="0" * 64, hash="1" * 64)
        return (self._poisoned(record),)

    def verify(self) -> tuple[Finding, ...]:
        return tuple(self._poisoned(finding) for finding in self.findings)

    def check(self, *, deep: bool = False, tick: Tick | None = None) -> tuple[Finding, ...]:
        return self.verify()

    def recover(self, tick: object = None) -> tuple[Finding, ...]:
        return self.verify()

    def doctor(self) -> tuple[Finding, ...]:
        return self.verify()

    def _poisoned(self, value: Any, keep: tuple[str, ...] = ()) -> Any:
        # What has a digest or stands in the records is valid Unicode; only paths on disk may hold stray bytes.
        text = self.poison if isinstance(value, Status) else self.poison.encode("utf-8", "replace").decode()
        return poisoned(value, text, keep) if text else value


def finding(kind: FindingKind = FindingKind.NOTICE) -> Finding:
    return Finding(kind=kind, id="chain", where="audit.jsonl:3", what="the record was altered", fix="restore it")


def applied(console: FakeConsole, plan_id: str) -> None:
    """Leaves an operation behind that can be taken back."""
    from tests.tui.cli.approvals import an_approval

    console._operation(console.plans[plan_id], an_approval(console.plans[plan_id]), OperationKind.APPLY)


def poisoned(value: Any, text: str, keep: tuple[str, ...] = ()) -> Any:
    """`value` with `text` in each of its plain strings, at any depth; keys and closed sets stay."""
    match value:
        case msgspec.Struct():
            fields = {
                name: poisoned(getattr(value, name), text) for name in value.__struct_fields__ if name not in keep
            }
            return msgspec.structs.replace(value, **fields)
        case tuple() | list():
            return type(value)(poisoned(item, text) for item in value)
        case dict():
            return {key: poisoned(item, text) for key, item in value.items()}
        case str() if type(value) is str and not _is_hash_or_money(value):
            return f"{value}{text}"
        case _:
            return value


def _is_hash_or_money(value: str) -> bool:
    return value.replace(".", "").isalnum() and (len(value) == 64 or value.startswith("0."))


_NAMES: Mapping[str, Mapping[str, str]] = {
    "status": {"read": "status"},
    "plans": {"make": "plan", "load": "load_plan"},
    "comments": {"of_plan": "comments_of"},
    "entries": {"of_plan": "entries_of"},
    "history": {"count": "operation_count"},
    "review": {},
    "consolidations": {"look": "open_consolidations"},
    "maintenance": {},
}


class _Service:
    """One subject of a fake: its methods under the names that the service has."""

    def __init__(self, fake: object, names: Mapping[str, str]) -> None:
        self._fake = fake
        self._names = names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fake, self._names.get(name, name))


class _Served:
    def __init__(self, fake: FakeConsole) -> None:
        self._fake = fake

    def __getattr__(self, name: str) -> Any:
        return _Service(self._fake, _NAMES[name]) if name in _NAMES else getattr(self._fake, name)


def served(fake: FakeConsole) -> Engine:
    """A fake as commands ask it: `engine.plans.make` for its `plan`."""
    return cast(Engine, _Served(fake))
