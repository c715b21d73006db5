"""Compares two prompts for the front ends: before and after a plan, of two dates, or of two budgets."""

import re
from datetime import datetime

from engine.context.compile.prompt import CompiledPrompt, PromptComparison, compare_prompts
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError, UsageError
from engine.plans.prediction import contents_after
from engine.services.context import NO_HISTORY, ContextService
from engine.services.open_workspace import OpenWorkspace
from engine.services.planned_workspace import past_context, planned_workspace
from engine.services.recall import RecallService
from engine.services.search import SearchService
from engine.services.topics import TopicService

_BUDGET = re.compile(r"\d{1,3}(?:,?\d{3})*|\d+")
_BETWEEN = ".."


class PromptComparisonService:
    """Compiles a message twice. Writes only the search index."""

    def __init__(
        self,
        opened: OpenWorkspace,
        context: ContextService,
        search: SearchService,
        topics: TopicService,
        recall: RecallService,
    ) -> None:
        self._opened = opened
        self._context, self._search, self._topics, self._recall = context, search, topics, recall

    def compare(self, message: str, session: SessionKind, other: str, *, budget: int | None = None) -> PromptComparison:
        """Compares today's prompt with another, which `other` names: a plan `p-20260315-0001`, a budget `4096`, a
        date `2026-03-01`, or two dates `2026-02-01..2026-03-01`. For budgets the turns count too."""
        first, two, last = other.strip().partition(_BETWEEN)
        if not first or (two and not last):
            raise UsageError("compare with what?", where="compare", hint="a plan, a date, a budget, or A..B of two")
        if _BUDGET.fullmatch(first):
            tokens = [int(one.replace(",", "")) for one in filter(None, (first, last)) if _BUDGET.fullmatch(one)]
            return self._of_budgets(message, session, tokens if two else [budget or self._usual, *tokens])
        if first.startswith("p-") and not two:
            return self._of_plan(message, session, first, budget)
        return self._of_dates(message, session, first, last, budget or self._usual)

    def then(self, source: str, line: int, session: SessionKind) -> tuple[CompiledPrompt, bool]:
        """Gives the prompt for the person's last message up to a line of a session, by the notes of that time; False
        where these are unknown, and today's count. `UsageError` without a message."""
        from engine.context.compile.recalled import GivenSources

        turns = self._context.turns(source)
        asked = next((turn for turn in reversed(turns) if turn.role == "user" and turn.line <= line), None)
        if asked is None:
            raise UsageError("nobody said anything before this turn", where=source[:200])
        given = GivenSources(turns=tuple(turn for turn in turns if turn.number < asked.number))
        try:
            if asked.said_at is not None:
                with past_context(self._recall, asked.said_at, self._opened) as context:
                    return context.compile(asked.text, session, given=given), True
        except MemdeckError:  # nothing tells of the notes of then
            pass
        return self._context.compile(asked.text, session, given=given), False

    def _of_budgets(self, message: str, session: SessionKind, budgets: list[int]) -> PromptComparison:
        if len(budgets) != 2 or not all(budgets):
            raise UsageError("compare two budgets", where="compare", hint="like 4096..8192")
        before, after = (self._context.compile(message, session, budget=budget) for budget in budgets)
        return compare_prompts((f"{budgets[0]:,} tokens", f"{budgets[1]:,} tokens"), before, after)

    def _of_plan(self, message: str, session: SessionKind, plan_id: str, budget: int | None) -> PromptComparison:
        plan = self._opened.queue.load(plan_id)
        before = self._context.compile(message, session, budget=budget, history=NO_HISTORY)
        after = contents_after(plan, self._opened.root.read)
        with planned_workspace(self._opened, after, self._search, self._topics) as planned:
            then = planned.context.compile(message, session, budget=budget, history=NO_HISTORY)
        return compare_prompts(("now", f"after {plan.id}"), before, then)

    def _of_dates(self, message: str, session: SessionKind, first: str, last: str, budget: int) -> PromptComparison:
        before = self._of_date(message, session, self._recall.instant(first), budget)
        if last:
            after = self._of_date(message, session, self._recall.instant(last), budget)
        else:
            after = self._context.compile(message, session, budget=budget, history=NO_HISTORY)
        return compare_prompts((first, last or "now"), before, after)

    def _of_date(self, message: str, session: SessionKind, at: datetime, budget: int) -> CompiledPrompt:
        with past_context(self._recall, at, self._opened) as context:
            return context.compile(message, session, budget=budget, history=NO_HISTORY)

    @property
    def _usual(self) -> int:
        return self._opened.settings.prompt_tokens()
