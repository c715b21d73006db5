"""Applies an approved plan: the only way in which a workspace changes (DESIGN §1)."""

from collections.abc import Callable

import msgspec

from engine.errors import Damaged, Refused, Stale
from engine.plans.apply.context import ApplyContext, system_errors
from engine.plans.apply.execution import EffectList, execute
from engine.plans.apply.preconditions import check_plan, check_private, check_room, check_sizes, read_inputs
from engine.plans.commit_task import commit_message
from engine.plans.operation import Approval, Operation, OperationKind
from engine.plans.plan import OPEN_STATES, Plan, PlanState, RiskTier
from engine.plans.prediction import predict
from engine.plans.records.journal import load_journal
from engine.workspace.values import Tick, phase


def apply(
    ctx: ApplyContext,
    plan: Plan,
    approval: Approval | None,
    *,
    tick: Tick | None = None,
    check: Callable[[], None] = lambda: None,
) -> Operation:
    """Carries out the changes of `approval`; without one, a whole plan that the policy allows. `check` may raise
    `Stale`, under the lock. `Refused`: no valid approval. `Stale`: an input, the policy or the folder changed, and
    nothing was written. `Conflict`: a foreign write was met; the changes were undone, or the operation is partial."""
    with system_errors("applying"), ctx.hold(f"applying {plan.id}"):
        refuse_unfinished(ctx)
        numbers = approval.numbers if approval else tuple(change.n for change in plan.changes)
        check()
        _check_queue(ctx, plan)
        try:
            check_plan(ctx, plan, approval, numbers)
            work = _work(ctx, plan, approval, numbers, tick)
        except Stale as stale:
            # Recorded at once, so that the queue shows it without another look.
            ctx.queue.set_state(plan.id, PlanState.STALE, stale.line(), ctx.clock())
            raise
        # After every check and before the journal: a refused plan prepares nothing.
        if ctx.prepare is not None:
            ctx.prepare(plan, numbers)
        return execute(ctx, _tagged(ctx, plan, work), tick)


def _tagged(ctx: ApplyContext, plan: Plan, work: EffectList) -> EffectList:
    """Tags HEAD before a change of tier C (autopoiesis §3.4); gives the work with the problem if it could not."""
    if ctx.tag_before is None or work.risk_tier is not RiskTier.C:
        return work
    problem = ctx.tag_before(plan.id)
    return msgspec.structs.replace(work, problems=(problem,)) if problem else work


def refuse_unfinished(ctx: ApplyContext) -> None:
    """Raises `Damaged` while there is a journal of a crashed operation, which `recover` must finish first."""
    if (journal := load_journal(ctx.state)) is not None:
        raise Damaged("an operation was cut off half-way", where=journal.operation.id, hint="memdeck recover")


def _check_queue(ctx: ApplyContext, plan: Plan) -> None:
    entry = ctx.queue.entry(plan.id)
    if entry.digest != plan.digest or entry.damage:
        raise Damaged("the plan is not the one in the queue", where=plan.id, hint="plan again")
    if entry.state is PlanState.STALE:
        raise Stale(f"the plan is stale: {entry.state_reason}", where=plan.id, hint="plan again")
    if entry.state not in OPEN_STATES:
        raise Refused(f"the plan is {entry.state.value}", where=plan.id, hint="plan again")


def _work(
    ctx: ApplyContext, plan: Plan, approval: Approval | None, numbers: tuple[int, ...], tick: Tick | None
) -> EffectList:
    inputs = read_inputs(ctx, plan, tick)
    phase("working out the files", tick)
    prediction = predict(plan, numbers, inputs.__getitem__)
    if not prediction.effects:
        raise Refused("applying it would change nothing", where=plan.id)
    check_private(prediction.effects, inputs, ctx.policy.git.private)
    check_room(ctx, prediction.effects)
    check_sizes(prediction.contents)
    return EffectList(
        kind=OperationKind.APPLY,
        plan=plan.id,
        target=plan.digest,
        system=plan.system,
        trigger=plan.trigger,
        risk_tier=plan.tier_of(numbers),
        numbers=numbers,
        effects=prediction.effects,
        contents=prediction.contents,
        approval=approval,
        simulated_clock=plan.simulated_clock,
        as_of=plan.now,
        message=commit_message(plan, numbers),
        redoes=plan.redoes,
        lasting=ctx.measure(plan, numbers, inputs.__getitem__) if ctx.measure is not None else (),
        whole=len(numbers) == len(plan.changes),
    )
