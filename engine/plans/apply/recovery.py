"""Finishes or undoes what a crash interrupted; a second run changes nothing (promise B1)."""

from contextlib import suppress
from itertools import chain

from engine.errors import Conflict, MemdeckError
from engine.plans.apply import filesystem
from engine.plans.apply.context import ApplyContext, let_go, system_errors, unstoppable
from engine.plans.apply.crash_state import EffectState
from engine.plans.apply.execution import FAILURES, Execution
from engine.plans.apply.folders import STATE_YARD, WORKSPACE_YARD, OpenFolders
from engine.plans.operation import Operation, OperationState, Withdraw, Write
from engine.plans.plan import PlanState
from engine.plans.records.displaced import refill
from engine.plans.records.journal import Journal, Phase, load_journal
from engine.state.private_files import leftovers
from engine.workspace.values import Finding, Tick, notice

_CRASH = "it was cut off by a crash"


def recover(ctx: ApplyContext, tick: Tick | None = None) -> tuple[Finding, ...]:
    """Finishes or undoes an interrupted operation and makes owed commits; `Refused` while another memdeck works."""
    with system_errors("recovering"), ctx.hold("recovering"), OpenFolders(ctx.root, ctx.state) as ground:
        # The log first: every later step may append to it.
        torn = ctx.audit.name_torn(ctx.clock())
        what = "a record torn by a crash is named by record"
        found = [notice("audit_torn", str(ctx.state.audit), f"{what} {record.seq}") for record in torn]
        if (journal := load_journal(ctx.state)) is not None:
            found.append(_resolve(ctx, ground, journal, tick))
        # After the journal is settled: until then what is staged may belong to it.
        found += _litter(ctx, ground)
        if ctx.queue.repair(ctx.clock()):
            found.append(notice("queue_rebuilt", str(ctx.state.queue), "its damaged list is rebuilt from the plans"))
        # After the queue is whole, and no operation is under way.
        found += _stuck(ctx)
        # Before held files are let go, which may be the only copy left.
        found += _refilled(ctx)
        found += _settled(ctx, tick)
        let_go(ctx, ground, ctx.clock())
        _clear_temporaries(ctx)
        return tuple(found)


def _settled(ctx: ApplyContext, tick: Tick | None) -> list[Finding]:
    """Makes the owed commits, then clears what killed memdecks left in the git folder."""
    if ctx.settler is None:
        return []
    found = []
    for settled in ctx.settler.settle(unstoppable(tick)):
        problems = "; ".join(settled.outcome.problems)
        if settled.outcome.owed:
            found.append(notice("commit_owed", settled.operation, problems))
            continue
        commit = settled.outcome.commit
        made = f"its commit {commit[:12]} is made" if commit else "nothing is left to commit"
        found.append(notice("commit_settled", settled.operation, f"{made}: {problems}" if problems else made))
    if gone := ctx.settler.clear():
        found.append(notice("git_left_over", "git", f"cleared what a memdeck that died left: {', '.join(gone)}"))
    return found


def _refilled(ctx: ApplyContext) -> list[Finding]:
    with suppress(MemdeckError):  # `check` tells of damaged records
        effects = chain.from_iterable(operation.effects for operation in ctx.operations.readable()[0])
        wanted = {
            effect.before for effect in effects if isinstance(effect, Write | Withdraw) and effect.before is not None
        }
        return [
            notice("displaced_refilled", path, "the bytes kept for undo are whole again, from the held file")
            for path in refill(ctx.state, ctx.displaced, wanted)
        ]
    return []


def _resolve(ctx: ApplyContext, ground: OpenFolders, journal: Journal, tick: Tick | None) -> Finding:
    """Continues an operation where its remaining effects still fit, otherwise undoes it."""
    run = Execution(ctx, ground, journal)
    run.told = unstoppable(tick)
    match journal.phase:
        case Phase.STAGING:
            return _outcome(run.abandon(_CRASH))
        case Phase.FINISHING:
            return _outcome(run.finish())
        case Phase.EFFECTS | Phase.ROLLING_BACK:
            return _outcome(_after_effects(run))


def _after_effects(run: Execution) -> Operation:
    for effect, slot in run.pairs:
        run.aftermath.mend(effect, slot)
    standings = [run.aftermath.standing(effect, slot) for effect, slot in run.pairs]
    run.done = [i for i, standing in enumerate(standings) if standing in (EffectState.DONE, EffectState.CLASHED)]
    if run.journal.phase is Phase.EFFECTS:
        if not run.done and EffectState.REVERTED not in standings:
            return run.abandon(_CRASH)
        # All that is left still fits the plan: the approval was for all of it, so it goes on.
        if set(standings) <= {EffectState.DONE, EffectState.TODO}:
            return _go_on(run, [i for i, standing in enumerate(standings) if standing is EffectState.TODO])
        run.roll_back(Conflict(f"{_CRASH}, and a file changed since"))
        return run.operation
    # It was being rolled back already, for a reason that the journal tells.
    run.roll_back(Conflict(run.journal.cause) if run.journal.foreign else MemdeckError(run.journal.cause))
    return run.operation


def _go_on(run: Execution, left: list[int]) -> Operation:
    try:
        run.forward(left, unstoppable(None))
    except FAILURES as error:
        run.roll_back(error)
        return run.operation
    return run.close(OperationState.DONE, tuple(range(len(run.pairs))), run.verify())


def _outcome(operation: Operation) -> Finding:
    words = {
        OperationState.DONE: "; ".join(("was finished", *operation.problems)),
        OperationState.PARTIAL: f"could be finished only in part: {'; '.join(operation.problems)}",
    }
    what = f"it was cut off, and {words.get(operation.state, 'was undone')}"
    fix = f"memdeck undo {operation.id}" if operation.state is OperationState.PARTIAL else ""
    return notice("recovered", operation.id, what, fix)


def _litter(ctx: ApplyContext, ground: OpenFolders) -> list[Finding]:
    """Clears the staging folders; bytes that are nowhere else are held, not removed."""
    found = []
    for yard in (STATE_YARD, WORKSPACE_YARD):
        for name in ground.staged_names(yard):
            spot = ground.aside(yard, "stage", name)
            if (seen := filesystem.look(spot)) is None:
                continue
            # An empty file, or one whose bytes the store has: nothing is lost with it.
            if seen.sha256 is not None and (seen.facts.st_size == 0 or ctx.displaced.has(seen.sha256)):
                filesystem.drop(spot)
                continue
            kept = _free_name(ground, yard, f"litter-{name}")
            filesystem.rename_noreplace(spot, ground.aside(yard, "held", kept))
            found.append(notice("litter", ground.place(yard, "held", kept), "a crash left this; it is kept here"))
        ground.sync()
    ground.tidy()
    return found


def _free_name(ground: OpenFolders, yard: str, name: str) -> str:
    taken = 0
    chosen = name
    while filesystem.facts(ground.aside(yard, "held", chosen)) is not None:
        taken += 1
        chosen = f"{name}-{taken}"
    return chosen


def _stuck(ctx: ApplyContext) -> list[Finding]:
    """Resets plans that are marked as being applied while no operation runs."""
    found = []
    finished = set(ctx.operations.ids())
    for entry in ctx.queue.entries():
        if entry.state is not PlanState.APPLYING:
            continue
        state = PlanState.PENDING
        if entry.operation in finished and ctx.operations.load(entry.operation).done:
            state = PlanState.PARTIAL
        ctx.queue.set_state(entry.id, state, _CRASH, ctx.clock(), entry.operation)
        found.append(notice("plan_state", entry.id, f"it is {state.value} again"))
    return found


def _clear_temporaries(ctx: ApplyContext) -> None:
    """Removes temporary state files that a crash left, which no record names."""
    store = ctx.state.displaced
    queue, operations, held = ctx.state.queue, ctx.state.operations, ctx.state.held_log
    for folder in (ctx.state.path, queue, queue / "bodies", operations, held, *store.glob("??/")):
        for file in leftovers(folder):
            file.unlink(missing_ok=True)
