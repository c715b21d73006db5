"""`extraction`: the entries of an extraction beside the turns that say them, and its plan without some of them."""

from collections.abc import Sequence

import click

from engine.errors import UsageError
from engine.lifecycle.extract.review import ReviewedEntry
from tui.cli.output import Printer, Styled, print_json, stdout
from tui.cli.plan_json import outcome_json
from tui.cli.settings import Settings, command, open_console


@command("extraction", short_help="The entries of an extraction, each with its turn; the plan without some.")
@click.argument("plan_id", metavar="[PLAN]", required=False)
@click.option("--refuse", "refused", metavar="ID", multiple=True, help="Leave this entry out; may be repeated.")
def extraction_command(settings: Settings, plan_id: str | None, refused: Sequence[str]) -> None:
    """Lists the entries that a plan adds, where each goes, and the line of the transcript that says it.

    PLAN is one that `memdeck plan extract` made; without it the newest that waits. With --refuse it queues the plan
    again without those entries, and that one supersedes the old; once it is applied they do not come back.
    """
    with open_console(settings) as console:
        name = plan_id or console.extractions.latest()
        if name is None:
            raise UsageError("no extraction waits", hint="memdeck plan extract")
        plan = console.plans.load(name)
        if not refused:
            _print(settings, plan.id, console.extractions.entries(plan.id))
            return
        outcome = console.extractions.without(plan.id, refused)
        if settings.json:
            print_json(outcome_json(console, plan.system, outcome))
        elif outcome.plan is None:
            reject = f"`memdeck reject {plan.id} --reason TEXT`"
            stdout(settings.no_color).line(f"no plan: nothing is left of it; {reject}")
        else:
            stdout(settings.no_color).line(
                f"queued {outcome.plan.id} · {outcome.plan.risk_tier.value} · instead of {plan.id}"
                f" · see it with `memdeck show {outcome.plan.id} --diff`"
            )


def _print(settings: Settings, plan: str, entries: Sequence[ReviewedEntry]) -> None:
    if settings.json:
        print_json({"plan": plan, "entries": list(entries)})
        return
    printer = stdout(settings.no_color)
    for one in entries:
        _entry(printer, one)
    if entries:
        printer.line(Styled(f"memdeck extraction {plan} --refuse ID", dim=True))
    else:
        printer.line("the plan adds no entry")


def _entry(printer: Printer, one: ReviewedEntry) -> None:
    printer.line(Styled(f"{one.id}  {one.kind.value} ({one.grade.value})", bold=True), f"  {one.quote}")
    printer.line(Styled(f"    → {one.path}:{one.line} · said in {one.source.path}:{one.source.start}", dim=True))
    for earlier in one.supersedes:
        printer.line(Styled(f"    supersedes {earlier}", dim=True))
    if one.superseded is not None:
        printer.line(Styled(f"    superseded by {one.superseded.by} on {one.superseded.since}", dim=True))
