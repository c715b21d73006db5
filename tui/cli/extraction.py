"""`extraction`: the entries of an extraction beside the turns that say them, and its plan by the operator's choice."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from engine.errors import UsageError
from engine.lifecycle.extract.review import ReviewedEntry
from tui.cli.output import Printer, Styled, print_json, stdout
from tui.cli.plan_json import outcome_json
from tui.cli.settings import Settings, command, open_console

if TYPE_CHECKING:
    from engine.plans.status import PlanOutcome
    from engine.services.engine import Engine


@command("extraction", short_help="The entries of an extraction, each with its turn; the plan by your choice.")
@click.argument("plan_id", metavar="[PLAN]", required=False)
@click.option("--refuse", "refused", metavar="ID", multiple=True, help="Omit this entry; may be repeated.")
@click.option("--accept", "accepted", metavar="ID", multiple=True, help="Take this inferred or proposed entry too.")
@click.option("--offered", is_flag=True, help="Where no extraction waits: what could be accepted, by a dry run.")
def extraction_command(
    settings: Settings, plan_id: str | None, refused: Sequence[str], accepted: Sequence[str], offered: bool
) -> None:
    """Lists the entries that a plan adds, where each goes, and the line of the transcript that says it.

    PLAN is one that `memdeck plan extract` made; without it the newest that waits. Behind them stand the entries that
    nobody stated: an agent inferred or proposed them, and the plan does not add them. With --refuse and --accept it
    queues the plan again without the ones and with the others, and that one supersedes the old; what is refused does
    not come back once it is applied. Where no plan waits, --accept queues one.
    """
    with open_console(settings) as console:
        name = plan_id or console.extractions.latest()
        if name is None and accepted and not refused:
            print_queued(settings, console, "extract", console.extractions.accept(accepted))
        elif name is None and offered and not refused:
            _print(settings, "", (), console.extractions.offered())
        elif name is None:
            raise UsageError("no extraction waits", hint="memdeck plan extract, or memdeck extraction --offered")
        elif not refused and not accepted:
            plan = console.plans.load(name)
            _print(settings, plan.id, console.extractions.entries(plan.id), console.extractions.offered(plan.id))
        else:
            plan = console.plans.load(name)
            outcome = console.extractions.chosen(plan.id, refused, accepted)
            print_queued(settings, console, plan.system, outcome, plan.id)


def print_queued(settings: Settings, console: "Engine", system: str, outcome: "PlanOutcome", old: str = "") -> None:
    """Says which plan was queued, and instead of which `old` one."""
    if settings.json:
        print_json(outcome_json(console, system, outcome))
    elif outcome.plan is None:
        reject = f": nothing is left of it; `memdeck reject {old} --reason TEXT`" if old else ""
        stdout(settings.no_color).line(f"no plan{reject}")
    else:
        instead = f" · instead of {old}" if old else ""
        stdout(settings.no_color).line(
            f"queued {outcome.plan.id} · {outcome.plan.risk_tier.value}{instead}"
            f" · see it with `memdeck show {outcome.plan.id} --diff`"
        )


def _print(settings: Settings, plan: str, entries: Sequence[ReviewedEntry], offered: Sequence[ReviewedEntry]) -> None:
    if settings.json:
        print_json({"plan": plan, "entries": list(entries), "offered": list(offered)})
        return
    printer = stdout(settings.no_color)
    for one in entries:
        _entry(printer, one)
    if not entries:
        printer.line("the plan adds no entry" if plan else "no extraction waits")
    if offered:
        printer.line(Styled("not promoted, nobody stated them:", dim=True))
    for one in offered:
        _entry(printer, one)
    said = (" --refuse ID" if entries else "") + (" --accept ID" if offered else "")
    if said:
        printer.line(Styled(f"memdeck extraction{f' {plan}' if plan else ''}{said}", dim=True))


def _entry(printer: Printer, one: ReviewedEntry) -> None:
    printer.line(Styled(f"{one.id}  {one.kind.value} ({one.grade.value})", bold=True), f"  {one.quote}")
    place = one.path if one.offered else f"{one.path}:{one.line}"
    printer.line(Styled(f"    → {place} · said in {one.source.path}:{one.source.start}", dim=True))
    for earlier in one.supersedes:
        printer.line(Styled(f"    supersedes {earlier}", dim=True))
    if one.superseded is not None:
        printer.line(Styled(f"    superseded by {one.superseded.by} on {one.superseded.since}", dim=True))
