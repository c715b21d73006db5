"""Asks why a part of a plan is refused, and names what goes with it; the rest becomes a new plan."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.plans.partial_refusal import PartialRefusal
from engine.plans.plan import Plan
from engine.plans.planning import PlanOutcome
from tui.dialogs.line_input import AskLine
from tui.present.approvals.hunks import refusal_lines, refusal_title
from tui.screen_host import ScreenHost

if TYPE_CHECKING:
    from engine.services.engine import Engine

_NO_REASON = "refused without a word"  # the reason that is recorded where the operator gives none


def ask_refusal(
    deck: ScreenHost, plan: Plan, find: "Callable[[Engine], PartialRefusal]", made: Callable[[str], object]
) -> None:
    """Asks why the hunks or changes that `find` returns are refused; `made` receives the id of the new plan."""

    def took(outcome: PlanOutcome) -> None:
        if plan_id := deck.took(outcome):
            made(plan_id)

    def make(refused: PartialRefusal, reason: str) -> None:
        title = "the plan without what is refused"
        deck.bridge.long(title, lambda engine, _: engine.hunks.refuse(plan.id, refused.names, reason), took)

    def asked(refused: PartialRefusal) -> None:
        if len(refused.changes) == len(plan.changes):
            deck.say("that is all of the plan, since it goes together: r rejects it", severity="warning")
            return
        title, body, why = refusal_title(refused), refusal_lines(plan, refused), "why? enter alone records no reason"
        deck.clear_notifications()
        dialog = AskLine(title, why, "plans the rest", body=body, instead=_NO_REASON)
        deck.ask(dialog, lambda reason: make(refused, reason))

    if deck.may_write() and deck.bridge.work is None:
        deck.bridge.read(find, asked)
