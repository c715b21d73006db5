"""Prints what a dry run came to: its report, the plans that it queued, or why there is none."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.plans.flag_words import count_words
from engine.plans.status import PlanOutcome
from tui.cli.output import Styled, print_json, stdout
from tui.cli.plan_json import outcome_json
from tui.cli.settings import Settings
from tui.present.glyphs import FLAGGED
from tui.present.words import cost_words, noun

if TYPE_CHECKING:
    from engine.services.engine import Engine


def print_outcome(
    settings: Settings,
    console: "Engine",
    system: str,
    outcome: PlanOutcome,
    counted: str = "change",
    more: Mapping[str, Any] | None = None,
) -> None:
    """Prints the outcome of a dry run of `system`. `counted` is the noun for the changes of a plan.

    `more`: keys of the system's own that its JSON has.
    """
    if settings.json:
        print_json(outcome_json(console, system, outcome) | dict(more or {}))
        return
    printer = stdout(settings.no_color)
    if outcome.report:
        printer.block(outcome.report.rstrip("\n"))
    if outcome.cost.calls:
        printer.line(f"cost: {cost_words(outcome.cost)}")
    if outcome.plan is None:
        printer.line(f"no plan: {outcome.reason_no_action or 'nothing to do'}")
    for made in filter(None, (outcome.plan, *outcome.also)):
        printer.line(
            f"queued {made.id} · {made.risk_tier.value} · {noun(len(made.changes), counted)}"
            f" · see it with `memdeck show {made.id} --diff`"
        )
        if flagged := count_words(made.changes):
            printer.line(Styled(f"{FLAGGED.glyph} {flagged}", fg="red"))
