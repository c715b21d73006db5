"""Runs `approve`: several plans with one answer, by the rules of the console's batch (DESIGN §4, decision G11)."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from engine.errors import Conflict, MemdeckError, Refused, UsageError
from engine.plans.flags import APPROVED_ALONE
from engine.plans.operation import Operation, OperationState
from engine.plans.plan import OPEN_STATES, Plan, QueueEntry
from engine.services.engine import Engine
from tui.bridge.engine_source import each_applied
from tui.cli.apply import NOTHING_YET, operation_json, refuse_closed, terminal_for
from tui.cli.output import Answer, Styled, Text, TextTable
from tui.cli.plan_text import plan_diffs_rows, plan_rows, tier_piece
from tui.cli.progress import progress, stoppable
from tui.cli.prompt import ApprovalTarget, ask_batch
from tui.cli.settings import Settings, command, opened
from tui.present.glyphs import PASSED, RISK
from tui.present.words import noun

LeftOut = tuple[str, str]  # a plan that takes no part, and why


@command("approve")
def approve_command(
    settings: Settings, plan_ids: tuple[str, ...], tier: str | None, system: str | None, words: str | None
) -> Answer:
    console = opened(settings)
    entries = _chosen(console.plans.queue(), plan_ids, _filter(tier, system, words), console.now())
    plans, left_out = _able(console, entries)
    # One plan is asked for by its own words, where tier C can be approved too.
    if len(plans) < 2:
        raise Refused(_too_few(plans, left_out), hint=_alone(plans, entries))
    with terminal_for(settings, "approve") as terminal:
        terminal.printer.show(_shown_rows(console, plans, left_out))
        targets = [ApprovalTarget(plan.digest, _numbers(plan), plan.risk_tier, plan.confirmations) for plan in plans]
        approvals = ask_batch(terminal, targets, console.real_now)
    with progress(settings) as paint, stoppable(paint, NOTHING_YET, insist=False) as tick:
        pairs = zip(plans, approvals, strict=True)
        applies = [partial(console.plans.apply, plan, approval, tick=paint) for plan, approval in pairs]
        return _answer(plans, tuple(each_applied(applies, tick)))


def _filter(tier: str | None, system: str | None, words: str | None) -> str:
    return " ".join(filter(None, [f"tier:{tier}" if tier else "", f"system:{system}" if system else "", words or ""]))


def _chosen(queue: Sequence[QueueEntry], plan_ids: Sequence[str], words: str, now: datetime) -> tuple[QueueEntry, ...]:
    """Returns the named plans, else the open ones in the queue that match the filter; the oldest first."""
    from tui.present.approvals.queue_filter import holds

    if not plan_ids and not words:
        raise UsageError("which plans?", hint="name them, or give --tier, --system or --filter")
    known = {entry.id: entry for entry in queue}
    if missing := [plan_id for plan_id in plan_ids if plan_id not in known]:
        raise UsageError(f"no such plan: {', '.join(missing)}", hint="memdeck queue lists them")
    passes = holds(words, now) if words else None
    if words and passes is None:
        raise UsageError(f"{words!r} chooses nothing", where="--filter", hint="like tier:b, system:tree, to:episodic")
    named = tuple(known[plan_id] for plan_id in dict.fromkeys(plan_ids)) if plan_ids else tuple(known.values())
    open_ones = named if plan_ids else [entry for entry in named if entry.state in OPEN_STATES]
    return tuple(sorted((each for each in open_ones if passes is None or passes(each)), key=lambda each: each.made_at))


def _able(console: Engine, entries: Sequence[QueueEntry]) -> tuple[tuple[Plan, ...], tuple[LeftOut, ...]]:
    from tui.present.approvals.batch import MOST, why_not

    able: list[Plan] = []
    left_out: list[LeftOut] = []
    for entry in entries:
        why = why_not(entry) or ("snoozed" if entry.snoozed_until is not None else "")
        if why:
            left_out.append((entry.id, why))
            continue
        plan = console.plans.load(entry.id)
        try:
            refuse_closed(console, plan)
            # Whatever the queue's own list says: somebody must read flagged lines.
            if plan.flagged_lines():
                raise Refused(APPROVED_ALONE, where=plan.id, hint=f"memdeck apply {plan.id}")
        except MemdeckError as error:
            left_out.append((entry.id, error.message))
        else:
            able.append(plan)
    if len(able) > MOST:
        hint = "choose fewer, with --system or --filter"
        raise Refused(f"{len(able)} plans: approve at most {MOST} at once", hint=hint)
    return tuple(able), tuple(left_out)


def _too_few(plans: Sequence[Plan], left_out: Sequence[LeftOut]) -> str:
    reasons = "; ".join(f"{noun(number, 'plan')}: {why}" for why, number in Counter(why for _, why in left_out).items())
    what = "no plan can be approved this way" if not plans else "only one plan can be approved this way"
    return f"{what} ({reasons})" if reasons else what


def _alone(plans: Sequence[Plan], entries: Sequence[QueueEntry]) -> str:
    plan_id = plans[0].id if plans else entries[0].id if entries else ""
    return f"memdeck apply {plan_id} asks for one alone" if plan_id else "memdeck queue lists what waits"


def _numbers(plan: Plan) -> tuple[int, ...]:
    return tuple(change.n for change in plan.changes)


def _shown_rows(console: Engine, plans: Sequence[Plan], left_out: Sequence[LeftOut]) -> Text:
    """Shows every plan in full with its diffs, then the list of all, and the omitted ones."""
    for number, plan in enumerate(plans, 1):
        yield Styled(f"━━ {number}/{len(plans)} ", bold=True)
        diffs = console.plans.diffs(plan)
        yield from plan_rows(plan, None, diffs)
        yield from plan_diffs_rows(plan, diffs, _numbers(plan))
    yield Styled(f"━━ {noun(len(plans), 'plan')}", bold=True)
    parts = [(plan, noun(len(plan.changes), "change")) for plan in plans]
    yield TextTable(
        [(each.id, tier_piece(each.risk_tier), each.system, changes, _gates(each)) for each, changes in parts]
    )
    for plan_id, why in left_out:
        yield Styled("omitted  ", fg="yellow"), f"{plan_id}: {why}"


def _gates(plan: Plan) -> Styled:
    warned = f" · {RISK.glyph} {noun(len(plan.warnings), 'warning')}" if plan.warnings else ""
    return Styled(f"{PASSED.glyph} {noun(len(plan.gates), 'gate')}{warned}", fg="yellow" if warned else "green")


def _answer(plans: Sequence[Plan], results: Sequence[Operation | MemdeckError]) -> Answer:
    """Says the outcome of each plan; the exit code is that of the first that failed."""
    facts: list[dict[str, Any]] = []
    lines, failed, problems, codes = [], [], [], []
    for plan, result in zip(plans, results, strict=False):
        if isinstance(result, MemdeckError):
            failed.append(f"{plan.id}: {result.line()}")
            facts.append({"plan": plan.id, "operation": None, "error": result.line()})
            codes.append(result.exit_code)
        else:
            done = noun(len(result.done), "file")
            lines.append(f"applied {plan.id} as {result.id} · {result.state.value} · {done}")
            problems += [f"{plan.id}: {problem}" for problem in result.problems]
            facts.append({**operation_json(result), "error": None})
            codes.append(0 if result.state is OperationState.DONE else Conflict.exit_code)
    if len(results) < len(plans):
        failed.append(f"{noun(len(plans) - len(results), 'plan')} not begun")
    code = next(filter(None, codes), 0 if len(results) == len(plans) else Refused.exit_code)
    return Answer(facts, lines, code, failed, problems)
