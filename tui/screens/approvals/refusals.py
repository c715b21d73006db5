"""Asks why a part of a plan is refused, and names what goes with it; the rest becomes a new plan."""

from collections.abc import Callable, Sequence

from engine.plans.plan import Plan
from engine.plans.planning import PlanOutcome
from engine.plans.refusal import PartialRefusal
from tui.dialogs.line_input import AskLine
from tui.present.approvals.hunks import refusal_lines, refusal_title
from tui.screen_host import ScreenHost

_NO_REASON = "refused without a word"  # the reason that is recorded where the operator gives none


class RefusalQuestion:
    """Asks for one plan; `made` is called with the id of the new plan."""

    def __init__(self, deck: ScreenHost, plan: Plan, made: Callable[[str], None]) -> None:
        self._deck, self._plan, self._made = deck, plan, made

    def ask(self, names: Sequence[str]) -> None:
        """Reads what goes with the refused hunks (`2#1`) or changes (`2`), then asks."""
        plan = self._plan
        if self._deck.may_write() and self._deck.bridge.work is None:
            self._deck.bridge.read(lambda engine: engine.hunks.refusal(plan, names), self._asked)

    def _asked(self, refused: PartialRefusal) -> None:
        if len(refused.changes) == len(self._plan.changes):
            self._deck.say("that is all of the plan, since it goes together: r rejects it", severity="warning")
            return
        title, body = refusal_title(refused), refusal_lines(self._plan, refused)
        why = "why? enter alone records no reason"
        dialog = AskLine(title, why, "plans the rest", body=body, instead=_NO_REASON)
        self._deck.clear_notifications()
        self._deck.ask(dialog, lambda reason: self._make(refused.names, reason))

    def _make(self, names: Sequence[str], reason: str) -> None:
        plan, title = self._plan.id, "the plan without what is refused"
        self._deck.bridge.long(title, lambda engine, _: engine.hunks.refuse(plan, names, reason), self._took)

    def _took(self, outcome: PlanOutcome) -> None:
        self._deck.read_all()
        if outcome.plan is None:
            self._deck.say(outcome.reason_no_action or "nothing would be left of the plan", severity="warning")
            return
        self._deck.expect(outcome.plan.id)
        self._made(outcome.plan.id)
