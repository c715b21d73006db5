"""The console's fake engine with what only the commands ask for, and a way to poison every text it gives."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from engine.plans.operation import OperationKind
from engine.plans.plan import Confirmation, Plan, QueueEntry
from engine.plans.planning import PlanRequest
from engine.plans.policy.values import PolicyValue
from engine.plans.records.chain import AuditRecord
from engine.plans.reversal import Reversal
from engine.plans.status import PlanOutcome, Status
from engine.workspace.findings import Finding, FindingKind
from engine.workspace.values import Tick
from tests.tui.fake_engine import FakeEngine
from tests.values import NOW, append_plan, compaction


class FakeConsole(FakeEngine):
    """`poison` is put into every text of every value that a command is given."""

    def __init__(self, *plans: Plan, poison: str = "") -> None:
        super().__init__(plans or tuple(without_confirmations(plan) for plan in (compaction(1), append_plan(2))))
        self.poison = poison
        self.findings: tuple[Finding, ...] = ()
        self.when = datetime.now(UTC)

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
        return tuple(self._poisoned(value) for value in super().policy_values())

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


def without_confirmations(plan: Plan) -> Plan:
    return msgspec.structs.replace(plan, confirmations=())


def with_confirmation(plan: Plan) -> Plan:
    first = Confirmation("first_run", "First run: has this workspace been backed up?")
    return msgspec.structs.replace(plan, confirmations=(first,))


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
