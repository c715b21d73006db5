"""Makes plans and shows the outcome: the queued plan, or why there is none."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from engine.plans.flags import count_words
from engine.plans.plan import Plan
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.plans.system_request import SystemRequest
from engine.services.engine import Engine
from tui.cli.output import Answer, Styled, Text
from tui.cli.plan_json import outcome_json
from tui.cli.progress import progress
from tui.cli.settings import Settings
from tui.present.glyphs import FLAGGED
from tui.present.words import cost_words, noun


def dry_run(settings: Settings, console: Engine, system: str, asked: SystemRequest | None = None) -> PlanOutcome:
    """Lets a system make a plan, with its progress on the terminal."""
    with progress(settings) as tick:
        return console.plans.make(system, PlanRequest(tick=tick) if asked is None else PlanRequest(asked, tick=tick))


def outcome_answer(
    console: Engine, system: str, outcome: PlanOutcome, counted: str = "change", more: Mapping[str, Any] = {}
) -> Answer:
    """Shows the outcome of a dry run. `counted` is the noun for the plan's changes, `more` adds keys to the JSON."""
    return Answer(lambda: outcome_json(console, system, outcome) | dict(more), _outcome_rows(outcome, counted))


def _outcome_rows(outcome: PlanOutcome, counted: str) -> Text:
    if outcome.report:
        yield from outcome.report.rstrip("\n").split("\n")
    if outcome.cost.calls:
        yield f"cost: {cost_words(outcome.cost)}"
    if outcome.plan is None:
        yield f"no plan: {outcome.reason_no_action or 'nothing to do'}"
    for made in filter(None, (outcome.plan, *outcome.also)):
        yield queued_line(made, f" · {noun(len(made.changes), counted)}")
        if flagged := count_words(made.changes):
            yield Styled(f"{FLAGGED.glyph} {flagged}", fg="red")


def queued_answer(console: Engine, system: str, outcome: PlanOutcome, old: str = "") -> Answer:
    """Says which plan was queued, and which `old` one it replaces."""
    if outcome.plan is not None:
        line = queued_line(outcome.plan, f" · instead of {old}" if old else "")
    else:
        line = f"no plan: nothing is left of it; `memdeck reject {old} --reason TEXT`" if old else "no plan"
    return Answer(partial(outcome_json, console, system, outcome), [line])


def queued_line(plan: Plan, words: str) -> str:
    return f"queued {plan.id} · {plan.risk_tier.value}{words} · see it with `memdeck show {plan.id} --diff`"
