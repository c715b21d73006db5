"""Runs `apply` and `undo`: shows the diff, asks the questions, then lets the engine write."""

from dataclasses import replace
from typing import Any

from engine.errors import Blocked, Conflict, Refused, Stale, UsageError
from engine.lifecycle.forget.tombstones import Receipt
from engine.plans.operation import Operation, OperationState
from engine.plans.plan import OPEN_STATES, Plan, PlanState
from engine.plans.system_request import System
from engine.services.engine import Engine
from tui.cli.output import Answer, Styled, Text, fields
from tui.cli.plan_json import plan_state
from tui.cli.plan_text import diff_rows, plan_diffs_rows, plan_rows
from tui.cli.progress import progress, stoppable
from tui.cli.prompt import ApprovalTarget, Terminal, ask_approval
from tui.cli.settings import Settings, command, number, opened
from tui.present.glyphs import PASSED
from tui.present.words import moment, noun, safe

NOTHING_YET = "cancelled before anything was written"


@command("apply")
def apply_command(settings: Settings, plan_id: str, only: str | None) -> Answer:
    console = opened(settings)
    plan = console.plans.load(plan_id, to_look=True)
    numbers = chosen_numbers(plan, only)
    refuse_closed(console, plan)
    with terminal_for(settings, "apply") as terminal:
        diffs = console.plans.diffs(plan)
        terminal.printer.show(plan_rows(plan, None, diffs))
        terminal.printer.show(plan_diffs_rows(plan, diffs, numbers, console.comments.of_plan(plan.id)))
        target = ApprovalTarget(plan.digest, numbers, plan.tier_of(numbers), plan.confirmations_of(numbers))
        approval = ask_approval(terminal, target, console.real_now)
    with progress(settings) as paint, stoppable(paint, NOTHING_YET, insist=False) as tick:
        operation = console.plans.apply(plan, approval, tick=tick)
    answer = operation_answer(operation)
    if operation.system != System.FORGET:
        return answer
    receipt = console.receipts.read(operation.id)
    return replace(answer, json={**answer.json, "receipt": receipt}, text=(*answer.text, *receipt_rows(receipt)))


@command("undo")
def undo_command(settings: Settings, operation_id: str | None) -> Answer:
    console = opened(settings)
    reversal = console.history.reversal(operation_id)
    with terminal_for(settings, "undo") as terminal:
        terminal.printer.line(Styled(f"undo {reversal.operation}", bold=True), f"  {reversal.system} · {reversal.plan}")
        diffs = console.history.reversal_diffs(reversal)
        for number, diff in enumerate(diffs, 1):
            where = f"{diff.path} → {diff.to}" if diff.to else diff.path
            terminal.printer.show(diff_rows(number, len(diffs), where, diff))
        target = ApprovalTarget(reversal.digest, reversal.numbers, reversal.risk_tier)
        approval = ask_approval(terminal, target, console.real_now)
    with progress(settings) as paint, stoppable(paint, NOTHING_YET, insist=False) as tick:
        return operation_answer(console.history.undo(reversal, approval, tick=tick))


def terminal_for(settings: Settings, what: str) -> Terminal:
    """Opens the operator's terminal. Raises `Refused` without one, and under `--read-only`."""
    if settings.read_only:
        raise Refused(f"{what} changes files, and this is --read-only", hint="leave --read-only out")
    return Terminal.open(what, no_color=settings.no_color)


def chosen_numbers(plan: Plan, only: str | None) -> tuple[int, ...]:
    """Returns the changes that `--only` names, or all without it."""
    numbers = tuple(change.n for change in plan.changes)
    if only is None:
        return numbers
    named = [number(part.strip()) for part in only.split(",")]
    chosen = tuple(sorted({n for n in named if n in numbers}))
    if not set(named) <= set(numbers):
        raise UsageError(
            f"{only!r} names no changes of {plan.id}", where="--only", hint=f"1 to {len(numbers)}, with commas"
        )
    for n, missing in plan.missing_requirements(chosen).items():
        needed = ",".join(map(str, missing))
        any_of = "one of " if missing == next(change.requires_any for change in plan.changes if change.n == n) else ""
        raise UsageError(f"change {n} needs {any_of}{needed}", where="--only", hint=f"add {needed}, or leave {n} out")
    return chosen


def refuse_closed(console: Engine, plan: Plan) -> None:
    """Raises, before anybody is asked, what the engine would raise later for a closed plan."""
    state = plan_state(console, plan)
    match state:
        case PlanState.STALE:
            reason = next((entry.state_reason for entry in console.plans.queue() if entry.id == plan.id), "")
            raise Stale(reason or "an input changed since the plan was made", where=plan.id, hint="plan again")
        case PlanState.CONFLICT:
            raise Conflict("another program wrote to its files while it was applied", where=plan.id, hint="plan again")
        case _ if state not in OPEN_STATES:
            raise Refused(f"the plan is {state.value} already", where=plan.id, hint="plan again")
        case _:
            _refuse_blocked(console, plan)


def _refuse_blocked(console: Engine, plan: Plan) -> None:
    if failed := [f"{gate.id}: {gate.detail}" for gate in plan.gates if not gate.passed]:
        raise Blocked(f"a plan check did not pass: {'; '.join(failed)}", where=plan.id, hint="plan again")
    if plan.simulated_clock and not (console.simulated and console.now() == plan.now):
        hint = f"add --now {plan.now.isoformat()}"
        raise Refused("the plan was made under a what-if clock", where=plan.id, hint=hint)


def operation_answer(operation: Operation) -> Answer:
    """Says what was done; exit code 4 if a foreign write prevented a part."""
    what = f"undid {operation.undoes}" if operation.undoes else f"applied {operation.plan}"
    commit = f" · commit {operation.commit[:12]}" if operation.commit else ""
    line = f"{what} as {operation.id} · {operation.state.value} · {noun(len(operation.done), 'file')}{commit}"
    code = 0 if operation.state in (OperationState.DONE, OperationState.UNDONE) else Conflict.exit_code
    return Answer(operation_json(operation), [line], code, text_remarks=operation.problems)


def receipt_rows(receipt: Receipt) -> Text:
    """Shows a receipt: what was searched, and each place that still has the forgotten text."""
    looked, of_git = receipt.looked, noun(receipt.looked.objects, "object of git", "objects of git")
    yield Styled(f"receipt of {receipt.operation}, {moment(receipt.at)}", bold=True)
    yield f"looked at {noun(looked.files, 'file')}, {noun(looked.rows, 'row')} and {of_git}"
    yield f"git's history: {safe(receipt.history)}"
    if not any(trace.count for trace in receipt.left):
        yield Styled(f"{PASSED.glyph} nothing says it any more", fg="green")
    for trace in receipt.left:
        why = f": {safe(trace.reason)}" if trace.reason else ""
        said = f"{trace.what}, {trace.count:,} times" if trace.count else trace.what
        yield Styled("! ", fg="yellow"), f"{safe(trace.place)}  {said}{why}"


def operation_json(operation: Operation) -> dict[str, Any]:
    """Returns an operation as `apply`, `undo` and `log` print it."""
    return {
        "operation": operation.id,
        **fields(operation, "kind plan system trigger risk_tier state"),
        "started_at": operation.started_at.isoformat(),
        "finished_at": operation.finished_at.isoformat() if operation.finished_at else None,
        **fields(operation, "simulated_clock numbers"),
        "effects": len(operation.effects),
        "done": len(operation.done),
        **fields(operation, "undoes undone_by commit problems"),
    }
