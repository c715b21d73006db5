"""Runs `plan`, `queue`, `show` and `redo`: makes plans and shows those that wait."""

from collections.abc import Sequence
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.monitoring.comments import DiffComment
from engine.plans.diff import FileDiff, unified
from engine.plans.plan import OPEN_STATES, Plan, PlanState, QueueEntry
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.plans.sizes import PlanSizes
from engine.services.engine import Engine
from tui.cli.outcomes import outcome_answer
from tui.cli.output import Answer, Styled, Text, TextTable, stderr
from tui.cli.plan_json import comment_json, effect_json, entry_json, file_diffs, outcome_json, plan_json, plan_state
from tui.cli.plan_text import effect_rows, flag_notes, plan_diffs_rows, plan_rows, queue_rows
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, opened
from tui.cli.system_command import SystemCommand, request_of
from tui.present.glyphs import CONSOLIDATED
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.compactor.notes.left_out import LeftOutLine


@command("plan", cls=SystemCommand)
def plan_command(
    settings: Settings,
    system: str | None,
    list_systems: bool,
    scheduled: bool,
    only_estimate: bool,
    preview: bool,
    **options: Any,
) -> Answer:
    console = opened(settings)
    known = dict(console.plans.systems(named=True))
    if list_systems:
        from engine.services.systems import described

        return Answer(described(known), [TextTable(tuple(known.items()))])
    if system is None or system not in known:
        raise UsageError(_no_system(system, list(known)), hint=f"there is: {', '.join(known)}")
    with progress(settings) as tick:
        request = PlanRequest(request_of(system, options), scheduled=scheduled, tick=tick)
        price = console.plans.estimate(system, request)
        if only_estimate:
            return Answer(price, [price.line()])
        # What Claude would cost is said before it is asked (decision D49).
        if price.calls:
            stderr(settings.no_color).line(price.line())
        if preview:
            return _preview(console, system, console.plans.preview(system, request))
        return outcome_answer(console, system, console.plans.make(system, request))


def _preview(console: Engine, system: str, outcome: PlanOutcome) -> Answer:
    """Shows what a plan would change, with its report, without queueing it."""
    rows: Text = [f"no plan: {outcome.reason_no_action or 'nothing to do'}"]
    if (plan := outcome.plan) is not None:
        diffs = console.plans.diffs(plan)
        rows = chain(plan_diffs_rows(plan, diffs, [change.n for change in plan.changes]), ["nothing was queued"])
    return Answer(partial(outcome_json, console, system, outcome), chain(outcome.report.splitlines(), rows))


@command("queue")
def queue_command(settings: Settings, snooze: tuple[str, str] | None) -> Answer:
    console = opened(settings)
    if snooze is not None:
        from engine.monitoring.snooze import parse_until

        console.queue.snooze(snooze[0], parse_until(snooze[1], console.real_now(), console.zone))
    entries = console.plans.queue()
    return Answer(lambda: [entry_json(entry) for entry in entries], _queue_text(console, entries))


def _queue_text(console: Engine, entries: Sequence[QueueEntry]) -> Text:
    yield from queue_rows(entries, console.real_now())
    if waiting := len(console.consolidations.look()):
        more = noun(waiting, "consolidation by another tool", "consolidations by other tools")
        yield Styled(f"{CONSOLIDATED.glyph} {more} · memdeck consolidations", fg="yellow")


@command("show")
def show_command(settings: Settings, plan_id: str, with_diff: bool, with_hunks: bool, left_out: bool) -> Answer:
    console = opened(settings)
    plan = console.plans.load(plan_id)
    if left_out:
        lines = console.entries.left_out(plan)
        return Answer(lines, _left_out_rows(lines))
    if with_hunks:
        from tui.cli.objections import hunks_answer

        return hunks_answer(plan.id, console.hunks.of_plan(plan))
    state = plan_state(console, plan)
    diffs = console.plans.diffs(plan) if with_diff else file_diffs(console, plan)
    comments = console.comments.of_plan(plan.id) if with_diff else ()
    sizes = console.plans.sizes(plan) if state in OPEN_STATES and len(diffs) == len(plan.changes) else PlanSizes()
    report = [*plan.report.rstrip("\n").split("\n"), ""] if plan.report else []
    rows = chain(report, plan_rows(plan, state, diffs), effect_rows(plan, sizes))
    if with_diff:
        rows = chain(rows, plan_diffs_rows(plan, diffs, [change.n for change in plan.changes], comments))

    def facts() -> dict[str, Any]:
        shown = plan_json(plan, state, diffs) | {"effect": effect_json(plan, sizes)}
        return shown | _diffs_json(plan, diffs, comments) if with_diff else shown

    return Answer(facts, rows)


def _diffs_json(plan: Plan, diffs: Sequence[FileDiff], comments: Sequence[DiffComment]) -> dict[str, Any]:
    texts = [unified(diff, notes=flag_notes(change, diff)) for change, diff in zip(plan.changes, diffs, strict=True)]
    return {"diffs": texts, "comments": [comment_json(comment) for comment in comments]}


def _left_out_rows(lines: "Sequence[LeftOutLine]") -> Text:
    if not lines:
        yield "its summaries left no line out"
    for path, of_file in groupby(lines, key=lambda line: line.path):
        yield Styled(path, bold=True)
        for line in of_file:
            yield f"  {line.line:>5}  ", Styled(f"{line.reason}  ", dim=True), line.text


@command("redo")
def redo_command(settings: Settings, operation: str | None) -> Answer:
    console = opened(settings)
    plan = console.history.redo(operation)
    diffs = file_diffs(console, plan)
    rows = chain(
        plan_rows(plan, PlanState.PENDING, diffs), [f"queued {plan.id} · apply it with `memdeck apply {plan.id}`"]
    )
    return Answer(partial(plan_json, plan, PlanState.PENDING, diffs), rows)


def _no_system(system: str | None, known: Sequence[str]) -> str:
    if system is None:
        return "which system?"
    import difflib

    close = difflib.get_close_matches(system, map(str, known), n=1)
    return f"no system {system!r}" + (f"; did you mean {close[0]!r}?" if close else "")
