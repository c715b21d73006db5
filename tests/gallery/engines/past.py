"""What History tells: an operation in each state, records, and what is kept."""

from datetime import timedelta

from engine.monitoring.retention import HeldFile, KeptBytes, Retention
from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.operation import Operation, OperationKind, OperationState, Write
from engine.plans.records.chain import AuditRecord
from engine.workspace.values import Finding, FindingKind
from tests.gallery.engines.queues import batch
from tests.gallery.engines.stage_engine import StageEngine
from tests.values import NOW


def every_operation() -> StageEngine:
    """An operation in each state there is, the newest first; one line of the audit log was tampered with."""
    engine = batch()
    done: list[Operation] = []
    plans = list(map(engine.plan, ("p-20260315-0003", "p-20260315-0002", "p-20260315-0001", "p-20260315-0004")))
    for number, state in enumerate(OperationState, 1):
        made = plans[number % len(plans)]
        effects = tuple(Write(change.path, None, "0" * 64) for change in made.changes)
        at = NOW - timedelta(hours=9 - number)
        over = state is not OperationState.RUNNING
        made_so_far = {OperationState.PARTIAL: len(effects) // 2, OperationState.CONFLICT: 0}.get(state, len(effects))
        done.append(
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
                done=tuple(range(made_so_far)),
                approval=None,
                commit=None,
            )
        )
    engine.stub.answers("history.operations", lambda limit=None: tuple(reversed(done))[:limit])
    engine.stub.gives("history.count", len(done))
    engine.stub.answers("history.diffs", lambda name: _diffs(next(one for one in done if one.id == name)))
    engine.stub.gives("history.audit", _RECORDS)
    engine.stub.gives("history.verify", (_BROKEN,))
    engine.stub.gives("history.kept", _KEPT)
    return engine


def _diffs(operation: Operation) -> tuple[FileDiff, ...]:
    rows = (DiffRow(RowKind.ADDED, None, 1, "# Compiled"), DiffRow(RowKind.ADDED, None, 2, "## Summary"))
    paths = [operation.effects[index].path for index in operation.done]
    return tuple(FileDiff(path=path, to=None, rows=rows, added=2, removed=0) for path in paths)


_RECORDS = tuple(
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
_BROKEN = Finding(
    kind=FindingKind.DAMAGE,
    id="audit",
    where="audit.jsonl",
    what="record 3 does not follow from record 2",
    fix="memdeck check tells what still stands",
)
_HELD = HeldFile(
    path="memory/working/2026-03-02-deploy.md",
    place="held/1",
    operation="o-20260315-0001",
    until=NOW + timedelta(hours=5),
    size=812,
    over=False,
)
_DISPLACED = KeptBytes(sha256="a" * 64, size=3000, path="memory/semantic/openclaw.md", operation="o-20260315-0002")
_KEPT = Retention(displaced=(_DISPLACED,), displaced_bytes=3000, held=(_HELD,), held_bytes=812)
