"""Chooses who writes the summaries of a dry run: offline rules, or Claude where the operator's policy names a model."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from engine.models.extractive import ExtractiveSummariser
from engine.models.price import Price
from engine.models.summary import Summariser
from engine.plans.plan import Cost
from engine.plans.planning import Planning, PlanRequest
from engine.plans.policy.values import LlmPolicy
from engine.plans.status import PlanOutcome
from engine.services.wiring import Wiring

if TYPE_CHECKING:
    from engine.models.budget import Budget

ROLE = "summarise"
SECONDS = 120.0
"""Seconds that an answer about one note may take."""


class SummaryWriter(msgspec.Struct, frozen=True):
    """A summariser and the budget it is paid from; None where it costs nothing."""

    summariser: Summariser
    budget: "Budget | None" = None

    def with_cost(self, outcome: PlanOutcome) -> PlanOutcome:
        """The outcome with what it has cost to make it, on its plan (decision G17: outside the digest)."""
        if self.budget is None or outcome.plan is None:
            return outcome
        spent = self.budget.spent
        cost = Cost(spent.calls, spent.input, spent.output, f"{spent.usd:.4f}")
        return msgspec.structs.replace(outcome, plan=msgspec.structs.replace(outcome.plan, cost=cost))


def asks_claude(llm: LlmPolicy) -> bool:
    """Tells whether the operator's policy has Claude write summaries. No other file can say so."""
    return llm.provider == "claude" and bool(llm.models.summarise)


def summary_writer(parts: Wiring, planning: Planning, request: PlanRequest, system: str) -> SummaryWriter:
    """The one that the policy names. Where the request only estimates, the one that tells what would be asked."""
    offline, llm = ExtractiveSummariser(), parts.policy.llm
    if not asks_claude(llm):
        return SummaryWriter(offline)
    return _claude(parts, planning, system, offline, request.counted)


def _claude(
    parts: Wiring,
    planning: Planning,
    system: str,
    offline: ExtractiveSummariser,
    counted: Callable[[str], None] | None,
) -> SummaryWriter:
    # Only where Claude is asked is there a use for all of it.
    from engine.models.budget import Budget
    from engine.models.claude import Claude
    from engine.models.claude_summariser import ClaudeSummariser, CountingSummariser
    from engine.models.cost_ledger import CostLedger
    from engine.models.paid_model import TRIES, PaidModel
    from engine.services.answers import AnswerFolder

    llm, name = parts.policy.llm, parts.policy.llm.models.summarise or ""
    answers = AnswerFolder(parts.state.path / "answers")
    if counted is not None:
        return SummaryWriter(CountingSummariser(offline, counted, answers, name))
    budget = Budget(
        llm.max_usd_per_plan,
        ledger=CostLedger(parts.state.path / "ledger.jsonl"),
        price=price_of(llm),
        role=ROLE,
        model=name,
        clock=parts.real_clock,
        timer=time.perf_counter,
        plan=f"{system} {planning.made_at or planning.now:%Y-%m-%d %H:%M:%S}",
    )
    claude = Claude(name, parts.env, key_variable=llm.key_variable, url=llm.url, seconds=SECONDS)
    model = PaidModel(claude, budget, tries=TRIES)
    return SummaryWriter(ClaudeSummariser(model, offline, answers, most_ungrounded=llm.most_ungrounded), budget)


def price_of(llm: LlmPolicy) -> Price:
    """The price of the models that the policy names."""
    return Price(llm.usd_per_million_input, llm.usd_per_million_output)
