"""Undoes a whole operation, or plans it again (decision G20)."""

import os
from collections.abc import Mapping

import msgspec

from engine.errors import Refused, Stale, UsageError
from engine.plans.apply.context import ApplyContext, system_errors
from engine.plans.apply.entry import refuse_unfinished
from engine.plans.apply.execution import EffectList, execute
from engine.plans.apply.preconditions import check_approval
from engine.plans.file_damage import Late, late_at, late_held
from engine.plans.operation import (
    STANDING,
    Approval,
    Effect,
    LateFile,
    Operation,
    OperationKind,
    OperationState,
    Rename,
    Reversal,
    Write,
)
from engine.plans.partial_refusal import part_of
from engine.plans.plan import Plan, RiskTier
from engine.plans.prediction import manifest, paths_of, present_sha256, reverse
from engine.plans.records.displaced import late_bytes
from engine.plans.system_request import System
from engine.state.workspace_lock import busy, owner
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import Tick, steps


def reversal(ctx: ApplyContext, op_id: str | None = None, tick: Tick | None = None) -> Reversal:
    """Computes the undo of an operation, by default the last one; writes nothing. `tick` may cancel. `Refused` names
    the changed file or the later operation; `Damaged` where kept bytes are lost."""
    operation = _undoable(ctx, op_id)
    done = [operation.effects[i] for i in operation.done]
    late = _late(ctx, operation, done, tick)
    _refuse_changed(ctx, operation, [effect for effect in done if _target(effect) not in late], tick)
    written = _late_written(ctx, operation, done)
    effects = reverse(_with_late(effect, late | written) for effect in done)
    for effect in steps(effects, "checking what is kept", tick):
        if isinstance(effect, Write):
            ctx.displaced.get(effect.after)
    return Reversal(
        operation=operation.id,
        plan=operation.plan,
        system=operation.system,
        risk_tier=min(operation.risk_tier, RiskTier.B),  # one yes takes back any tier (decision G20)
        effects=effects,
        late=tuple(LateFile(path, len(one.original)) for path, one in (late | written).items()),
    )


def _late(ctx: ApplyContext, operation: Operation, effects: list[Effect], tick: Tick | None) -> dict[str, Late]:
    """Finds moved files to which a program that had them open wrote later; the undo keeps those lines."""
    found = {}
    later = _later(ctx, operation)
    for effect in steps(effects, "looking for late writes", tick):
        if isinstance(effect, Rename) and effect.to not in later:
            late = late_at(ctx.root, effect.to, effect.sha256, effect.size)
            if late is not None and present_sha256(ctx.root, effect.path) is None:
                found[effect.to] = late
    return found


def _late_written(ctx: ApplyContext, operation: Operation, effects: list[Effect]) -> dict[str, Late]:
    """Finds replaced files to which a program that had them open wrote later; the undo keeps those lines."""
    replaced = {write.path: write.before for write in effects if isinstance(write, Write) and write.before is not None}
    found = {}
    for one in late_bytes(ctx.state, ctx.displaced, operation.id):
        late = late_held(ctx.displaced, one) if replaced.get(one.held.path) == one.held.sha256 else None
        if late is not None:
            found[one.held.path] = late
    return found


def _target(effect: Effect) -> str:
    return effect.to if isinstance(effect, Rename) else effect.path


def _with_late(effect: Effect, late: Mapping[str, Late]) -> Effect:
    """Gives the effect to undo, with the bytes that came late."""
    if (one := late.get(_target(effect))) is None:
        return effect
    present = one.original + one.added
    match effect:
        case Rename(path=path, to=to):
            return Rename(path, to, sha256_hex(present), len(present))
        case Write(path=path, after=after):
            return Write(path, sha256_hex(present), after)
        case _:
            return effect


def undo(ctx: ApplyContext, what: Reversal, approval: Approval, *, tick: Tick | None = None) -> Operation:
    """Carries out an undo that the operator approved, with lock, journal, audit and commit as for an apply."""
    with system_errors("undoing"), ctx.hold(f"undoing {what.operation}"):
        # A journal that a crash left has to be settled first: it may be about the same files.
        refuse_unfinished(ctx)
        check_approval(ctx, approval, target=what.digest, numbers=what.numbers, tier=what.risk_tier)
        ctx.root.verify()
        ctx.check_policy()
        # Computed anew under the lock: the yes was for what the diff showed.
        if reversal(ctx, what.operation, tick).digest != what.digest:
            raise Stale("the operation changed since the diff was shown", where=what.operation, hint="look again")
        return execute(ctx, _work(ctx, what, approval), tick)


def _work(ctx: ApplyContext, what: Reversal, approval: Approval) -> EffectList:
    original = ctx.operations.load(what.operation)
    contents = {effect.after: ctx.displaced.get(effect.after) for effect in what.effects if isinstance(effect, Write)}
    return EffectList(
        kind=OperationKind.UNDO,
        plan=what.plan,
        target=what.digest,
        system=what.system,
        trigger=original.trigger,
        risk_tier=what.risk_tier,
        numbers=what.numbers,
        effects=what.effects,
        contents=contents,
        approval=approval,
        simulated_clock=original.simulated_clock,
        as_of=ctx.now or ctx.clock(),
        message=f"maintenance: undo {what.operation} ({what.system})",
        undoes=what.operation,
        remove=original.folders,
    )


def _undoable(ctx: ApplyContext, op_id: str | None) -> Operation:
    if op_id is not None:
        operation = ctx.operations.load(op_id)
        if operation.kind is OperationKind.UNDO:
            raise Refused("an undo is reversed with redo", where=operation.id, hint="memdeck redo")
        if operation.state not in STANDING or not operation.done:
            raise Refused(f"it is {operation.state.value}: nothing of it stands", where=operation.id)
        return _not_forgotten(operation)
    for operation in ctx.operations.walk():
        if operation.kind is OperationKind.APPLY and operation.state in STANDING and operation.done:
            return _not_forgotten(operation)
    raise Refused("there is no operation to undo")


def _not_forgotten(operation: Operation) -> Operation:
    """Raises `Refused` for a forget operation, whose bytes are kept nowhere (decision D62)."""
    if operation.system == System.FORGET:
        hint = "memdeck undo OP takes an earlier one back where none of its files was in it"
        raise Refused("what was forgotten cannot come back", where=operation.id, hint=hint)
    return operation


def _refuse_changed(ctx: ApplyContext, operation: Operation, effects: list[Effect], tick: Tick | None) -> None:
    """Raises `Refused` where a path is not as the operation left it, and names who changed it if that is known."""
    for path, sha256 in steps(tuple(manifest(effects).items()), "comparing files", tick):
        present = present_sha256(ctx.root, path)
        if present == sha256:
            continue
        who = owner(ctx.state)
        if who is not None and who.pid != os.getpid():
            raise busy(who)  # its half-done work is no change by another program
        if (later := _later(ctx, operation).get(path)) is not None:
            raise Refused(f"{later.id} changed it later", where=path, hint=f"memdeck undo {later.id} first")
        if sha256 is None:
            raise Refused("its place is taken by another file", where=path, hint="move that file away first")
        what = "is gone" if present is None else "was changed by another program"
        raise Refused(f"it {what} after {operation.id}", where=path, hint="put it back as it was, or leave it")


def _later(ctx: ApplyContext, operation: Operation) -> dict[str, Operation]:
    """Gives, for each path, the last later operation that changed it and still stands."""
    later_by_path: dict[str, Operation] = {}
    for later in ctx.operations.walk():
        if later.id == operation.id:
            break
        if later.kind is OperationKind.APPLY and later.state in STANDING:
            for path in paths_of(later.effects[i] for i in later.done):
                later_by_path.setdefault(path, later)
    return later_by_path


def redo(ctx: ApplyContext, op_id: str | None = None) -> Plan:
    """Gives a new plan, not yet queued, that repeats an undone operation, by default the last, at its original risk
    tier. `Stale` where a file or the policy changed since the original plan."""
    operation = _undone(ctx, op_id)
    plan = ctx.queue.load(operation.plan)
    if plan.policy_sha256 != ctx.policy.sha256:
        raise Stale("the policy changed since the original plan", where=plan.id, hint=f"memdeck plan {plan.system}")
    again = part_of(plan, operation.numbers)
    changed = [item.path for item in again.inputs if present_sha256(ctx.root, item.path) != item.sha256]
    if changed:
        raise Stale("changed since the original plan", where=", ".join(changed), hint=f"memdeck plan {plan.system}")
    return msgspec.structs.replace(
        again, id="", made_at=ctx.clock(), workspace=ctx.root.identity, redoes=operation.id, also=()
    )


def _undone(ctx: ApplyContext, op_id: str | None) -> Operation:
    if op_id is not None:
        operation = ctx.operations.load(op_id)
        if operation.kind is OperationKind.UNDO and operation.undoes is not None:
            operation = ctx.operations.load(operation.undoes)
        if operation.state is not OperationState.UNDONE:
            raise Refused(f"it is {operation.state.value}, not undone", where=operation.id)
        return operation
    redone = set()
    for candidate in ctx.operations.walk():
        if candidate.kind is OperationKind.APPLY and candidate.redoes and candidate.done:
            redone.add(candidate.redoes)
        if candidate.kind is OperationKind.UNDO and candidate.undoes and candidate.undoes not in redone:
            operation = ctx.operations.load(candidate.undoes)
            if operation.state is OperationState.UNDONE:
                return operation
    raise UsageError("there is no undone operation to redo", hint="memdeck log lists the operations")
