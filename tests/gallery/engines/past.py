"""What History tells: an operation in each state, records, and what is kept."""

from datetime import timedelta

from engine.monitoring.retention import HeldFile, KeptBytes, Retention
from engine.plans.operation import Operation, OperationKind, OperationState, Write
from engine.plans.records.chain import AuditRecord
from engine.workspace.findings import Finding, FindingKind
from tests.gallery.engines.queues import batch
from tests.gallery.engines.stage_engine import StageEngine
from tests.values import NOW


def every_operation() -> StageEngine:
    """An operation in each state there is, the newest first; one line of the audit log was tampered with."""
    engine = _Told(list(batch().plans.values()))
    plans = list(engine.plans.values())
    for number, state in enumerate(OperationState, 1):
        made = plans[number % len(plans)]
        effects = tuple(Write(change.path, None, "0" * 64) for change in made.changes)
        at = NOW - timedelta(hours=9 - number)
        over = state is not OperationState.RUNNING
        done = {OperationState.PARTIAL: len(effects) // 2, OperationState.CONFLICT: 0}.get(state, len(effects))
        engine.done.append(
            Operation(
                id=f"o-20260315-{number:04}",
                kind=OperationKind.APPLY,
                plan=made.id,
                system=made.system,
                trigger=made.trigger,
                risk_tier=made.risk_tier,
                state=state,
                started_at=at,
                finished_at=at if over else None,
                simulated_clock=False,
                numbers=tuple(change.n for change in made.changes),
                effects=effects,
                done=tuple(range(done)),
                approval=None,
                commit=None,
            )
        )
    return engine


class _Told(StageEngine):
    """Has records of what was done, one of them damaged, and bytes it keeps."""

    def audit(self, limit: int | None = None) -> tuple[AuditRecord, ...]:
        return tuple(
            AuditRecord(
                seq=seq,
                at=NOW - timedelta(hours=9 - seq),
                kind="result",
                data={"operation": f"o-20260315-{seq:04}", "state": "done"},
                prev="0" * 64,
                hash="1" * 64,
            )
            for seq in range(1, 7)
        )

    def verify(self) -> tuple[Finding, ...]:
        what, fix = "record 3 does not follow from record 2", "memdeck check tells what still stands"
        return (Finding(kind=FindingKind.DAMAGE, id="audit", where="audit.jsonl", what=what, fix=fix),)

    def kept(self) -> Retention:
        held = HeldFile(
            path="memory/working/2026-03-02-deploy.md",
            place="held/1",
            operation="o-20260315-0001",
            until=NOW + timedelta(hours=5),
            size=812,
            over=False,
        )
        path, operation = "memory/semantic/openclaw.md", "o-20260315-0002"
        displaced = KeptBytes(sha256="a" * 64, size=3000, path=path, operation=operation)
        return Retention(displaced=(displaced,), displaced_bytes=3000, held=(held,), held_bytes=812)
