"""Records an operation's outcome: held files, git, audit log, operation record, queue. Each step may run twice."""

from collections.abc import Sequence
from contextlib import suppress

import msgspec
from msgspec import to_builtins

from engine.errors import MemdeckError, Refused
from engine.plans.apply.context import ApplyContext, CommitOutcome, reason
from engine.plans.operation import ChainHead, Operation, OperationKind, OperationState
from engine.plans.plan import PlanState
from engine.plans.prediction import paths_of
from engine.plans.records.journal import Journal, clear_journal
from engine.plans.sizes import FileSize
from engine.text.canonical_json import digest
from engine.text.secrets.detector import redacted
from engine.workspace.values import Tick, phase


def record_intent(ctx: ApplyContext, operation: Operation, target: str, lasting: Sequence[FileSize]) -> ChainHead:
    """Spends the approval and records durably what the operation will do, before it begins (promise B7)."""
    now = ctx.clock()
    # The approval first: from this record on its nonce is spent, whatever happens next (decision G11).
    yes = operation.approval
    by = {"by": "policy", "policy_sha256": ctx.policy.sha256} if yes is None else {"by": "person", **to_builtins(yes)}
    ctx.audit.append("approval", now, {"operation": operation.id, "target": target, **by})
    head = ctx.audit.append(
        "intent",
        now,
        {
            "operation": operation.id,
            "kind": operation.kind.value,
            "plan": operation.plan,
            "target": target,
            "effects": len(operation.effects),
            "effects_sha256": digest(operation.effects),
            "simulated_clock": operation.simulated_clock,
            **({"lasting": to_builtins(lasting)} if lasting else {}),
        },
    )
    if operation.kind is OperationKind.APPLY:
        ctx.queue.set_state(operation.plan, PlanState.APPLYING, "", now, operation.id)
    return head


def finish(ctx: ApplyContext, journal: Journal, tick: Tick | None = None) -> Operation:
    """Records the operation's outcome, then removes the journal. `tick` is called when the commit begins."""
    operation = journal.operation
    # Each step leaves the journal as it is, so that a crash between two of them repeats both.
    ctx.held.record(operation.id, operation.held)
    operation = _committed(ctx, journal, operation, tick)
    operation = msgspec.structs.replace(operation, audit_head=_result_head(ctx, operation))
    ctx.operations.save(operation)
    if operation.kind is OperationKind.UNDO:
        _mark_undone(ctx, operation)
    _mark_plan(ctx, journal, operation)
    # Last of all: without a journal nothing is left to recover.
    clear_journal(ctx.state)
    return operation


def _committed(ctx: ApplyContext, journal: Journal, operation: Operation, tick: Tick | None) -> Operation:
    """Gives the operation with its commit; a failed commit is a problem of the operation, not an error. `OSError`
    where an owed commit could not be recorded: then the journal stays for `recover`."""
    if ctx.commit is None or not operation.done or operation.commit is not None or operation.audit_head is None:
        return operation
    done = [operation.effects[i] for i in operation.done]
    phase("committing", tick)
    try:
        outcome = ctx.commit(operation, paths_of(done), operation.audit_head, tick)
    except MemdeckError as error:
        outcome = CommitOutcome(None, (f"not committed: {reason(error)}",))
    problems = (*operation.problems, *outcome.problems)
    operation = msgspec.structs.replace(operation, commit=outcome.commit, problems=problems)
    # Saved at once: repeated after a crash, this step does not ask git again.
    journal.at(journal.phase, operation).save(ctx.state)
    return operation


def _result_head(ctx: ApplyContext, operation: Operation) -> ChainHead:
    """Records the result once, also after a crash, and gives the log's new head."""
    # Its own result, if there is one, is among the newest records.
    for record in reversed(ctx.audit.records(limit=20)):
        if record.kind == "result" and record.data.get("operation") == operation.id:
            return record.head
    return ctx.audit.append(
        "result",
        ctx.clock(),
        {
            "operation": operation.id,
            "state": operation.state.value,
            "done": len(operation.done),
            "commit": operation.commit,
            "problems": redacted(operation.problems),
        },
    )


def _mark_undone(ctx: ApplyContext, undo: Operation) -> None:
    """Records in the undone operation which operation undid it, and which effects remain."""
    if undo.undoes is None or not undo.done:
        return
    original = ctx.operations.load(undo.undoes)
    if original.undone_by == undo.id:
        return
    # Undo does the original's effects in reverse: the k-th effect of the undo takes back the k-th last that was done.
    taken_back = {original.done[::-1][k] for k in undo.done}
    standing = tuple(i for i in original.done if i not in taken_back)
    state = OperationState.PARTIAL if standing else OperationState.UNDONE
    ctx.operations.save(msgspec.structs.replace(original, state=state, done=standing, undone_by=undo.id))


def _mark_plan(ctx: ApplyContext, journal: Journal, operation: Operation) -> None:
    state = _plan_state(journal, operation)
    if state is None or all(entry.id != operation.plan for entry in ctx.queue.entries()):
        return
    why = "; ".join(operation.problems[:3])
    applied_by = operation.undoes if operation.kind is OperationKind.UNDO else operation.id
    with suppress(Refused):  # a queue that was repaired may know less of the plan than we do
        ctx.queue.set_state(operation.plan, state, why, ctx.clock(), applied_by)


def _plan_state(journal: Journal, operation: Operation) -> PlanState | None:
    """Gives the state that the operation gives its plan; None where the plan's state stays."""
    undo = operation.kind is OperationKind.UNDO
    match operation.state:
        case OperationState.DONE:
            return PlanState.UNDONE if undo else PlanState.APPLIED if journal.whole else PlanState.PARTIAL
        case OperationState.PARTIAL:
            return PlanState.PARTIAL
        case OperationState.CONFLICT:
            return None if undo else PlanState.CONFLICT
        case OperationState.ROLLED_BACK:
            return None if undo else PlanState.PENDING
        case OperationState.RUNNING | OperationState.UNDONE:
            return None
