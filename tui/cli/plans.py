"""`plan`, `queue`, `show`, `redo`: dry runs and what waits for the operator."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click
import msgspec

from engine.errors import UsageError
from engine.plans.plan import OPEN_STATES, PlanState
from engine.plans.sizes import PlanSizes
from tui.cli.output import Styled, print_json, stderr, stdout
from tui.cli.plan_json import comment_json, effect_json, entry_json, file_diffs, plan_json, plan_state, print_outcome
from tui.cli.plan_text import flag_notes, print_effect, print_plan, print_plan_diffs, print_queue
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console
from tui.cli.system_command import SystemCommand, request_of
from tui.present.glyphs import CONSOLIDATED
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.compactor.notes.left_out import LeftOutLine
    from engine.plans.planning import PlanRequest
    from engine.services.engine import Engine


@command("plan", short_help="Dry run: puts a plan into the queue and prints its report.", cls=SystemCommand)
@click.argument("system", required=False)
@click.option("--list", "list_systems", is_flag=True, help="The systems that can plan.")
@click.option("--scheduled", is_flag=True, help="Act only under pressure, as the schedule does.")
@click.option("--estimate", "only_estimate", is_flag=True, help="Only say what Claude would cost; nothing is sent.")
def plan_command(
    settings: Settings, system: str | None, list_systems: bool, scheduled: bool, only_estimate: bool, **options: Any
) -> None:
    """Makes a plan without changing anything, puts it into the queue and prints its report.

    SYSTEM is one of `memdeck plan --list`; `memdeck plan SYSTEM --help` shows its own options.
    """
    from engine.plans.planning import PlanRequest

    with open_console(settings) as console:
        if (chosen := _chosen_system(settings, console, system, list_systems)) is None:
            return
        request = PlanRequest(request_of(chosen, options), scheduled=scheduled)
        _make(settings, console, chosen, request, only_estimate)


def _chosen_system(settings: Settings, console: "Engine", system: str | None, list_systems: bool) -> str | None:
    """The system; None where the systems were asked for and are printed. `UsageError` names those that can plan."""
    known = dict(console.plans.systems(named=True))
    if list_systems:
        if settings.json:
            print_json([{"system": name, "does": does} for name, does in known.items()])
        else:
            stdout(settings.no_color).table([[name, does] for name, does in known.items()])
        return None
    if system is None or system not in known:
        raise UsageError(_no_system(system, list(known)), hint=f"there is: {', '.join(known)}")
    return system


def _make(settings: Settings, console: "Engine", system: str, request: "PlanRequest", only_estimate: bool) -> None:
    """Makes the plan; what Claude would cost is said before it is asked (decision D49)."""
    with progress(settings) as tick:
        request = msgspec.structs.replace(request, tick=tick)
        price = console.plans.estimate(system, request)
        if only_estimate:
            if settings.json:
                print_json(price)
            else:
                stdout(settings.no_color).line(price.line())
            return
        if price.calls:
            stderr(settings.no_color).line(price.line())
        outcome = console.plans.make(system, request)
    print_outcome(settings, console, system, outcome)


@command("queue", short_help="The plans that wait, and what became of earlier ones.")
@click.option(
    "--snooze",
    nargs=2,
    metavar="PLAN UNTIL",
    help="Hide a plan until then: 2h, 3d, 'tomorrow 9:00', a date; `unsnooze` ends it.",
)
def queue_command(settings: Settings, snooze: tuple[str, str] | None) -> None:
    """Lists the plans of this workspace with their state."""
    with open_console(settings) as console:
        if snooze is not None:
            from engine.monitoring.snooze import parse_until

            console.plans.snooze(snooze[0], parse_until(snooze[1], console.real_now(), console.zone))
        entries = console.plans.queue()
        if settings.json:
            print_json([entry_json(entry) for entry in entries])
        else:
            printer = stdout(settings.no_color)
            print_queue(printer, entries, console.real_now())
            if waiting := len(console.consolidations.look()):
                more = noun(waiting, "consolidation by another tool", "consolidations by other tools")
                printer.line(Styled(f"{CONSOLIDATED.glyph} {more} · memdeck consolidations", fg="yellow"))


@command("show", short_help="One plan, with its unified diffs.")
@click.argument("plan_id", metavar="PLAN")
@click.option("--diff", "with_diff", is_flag=True, help="The unified diff of every change.")
@click.option("--hunks", "with_hunks", is_flag=True, help="Only the hunks that can be refused, each with its name.")
@click.option("--left-out", is_flag=True, help="Only the lines that its summaries did not read, each with the reason.")
def show_command(settings: Settings, plan_id: str, with_diff: bool, with_hunks: bool, left_out: bool) -> None:
    """Shows a plan: why it was made, what was checked, and every change."""
    with open_console(settings) as console:
        plan = console.plans.load(plan_id)
        if left_out:
            _show_left_out(settings, console.entries.left_out(plan))
            return
        if with_hunks:
            from tui.cli.objections import print_hunks

            print_hunks(settings, plan.id, console.hunks.of_plan(plan))
            return
        state = plan_state(console, plan)
        diffs = console.plans.diffs(plan) if with_diff else file_diffs(console, plan)
        comments = console.comments.of_plan(plan.id) if with_diff else ()
        is_open = state in OPEN_STATES and len(diffs) == len(plan.changes)
        sizes = console.plans.sizes(plan, diffs) if is_open else PlanSizes()
        if settings.json:
            from engine.plans.diff import unified

            shown = plan_json(plan, state, diffs)
            pairs = zip(plan.changes, diffs, strict=True) if with_diff else ()
            texts = [unified(diff, notes=flag_notes(change, diff)) for change, diff in pairs]
            more = {"diffs": texts, "comments": [comment_json(one) for one in comments]} if with_diff else {}
            print_json(shown | {"effect": effect_json(plan, sizes)} | more)
            return
        printer = stdout(settings.no_color)
        if plan.report:
            printer.block(plan.report.rstrip("\n"))
            printer.line("")
        print_plan(printer, plan, state, diffs)
        print_effect(printer, plan, sizes)
        if with_diff:
            print_plan_diffs(printer, plan, diffs, [change.n for change in plan.changes], comments)


def _show_left_out(settings: Settings, found: "Sequence[LeftOutLine]") -> None:
    if settings.json:
        print_json(found)
        return
    printer = stdout(settings.no_color)
    if not found:
        printer.line("its summaries left no line out")
    for path, lines in groupby(found, key=lambda one: one.path):
        printer.line(Styled(path, bold=True))
        for one in lines:
            printer.line(f"  {one.line:>5}  ", Styled(f"{one.reason}  ", dim=True), one.text)


@command("redo", short_help="Plans an undone operation again.")
@click.argument("operation", required=False, metavar="[OP]")
def redo_command(settings: Settings, operation: str | None) -> None:
    """Makes a new plan, of the original risk tier, of an operation that was undone (decision G20)."""
    with open_console(settings) as console:
        plan = console.history.redo(operation)
        diffs = file_diffs(console, plan)
        if settings.json:
            print_json(plan_json(plan, PlanState.PENDING, diffs))
            return
        printer = stdout(settings.no_color)
        print_plan(printer, plan, PlanState.PENDING, diffs)
        printer.line(f"queued {plan.id} · apply it with `memdeck apply {plan.id}`")


def _no_system(system: str | None, known: Sequence[str]) -> str:
    if system is None:
        return "which system?"
    import difflib

    close = difflib.get_close_matches(system, map(str, known), n=1)
    return f"no system {system!r}" + (f"; did you mean {close[0]!r}?" if close else "")
