"""Chooses who answers a task: the offline rules, or the policy's model for the role (D30)."""

import time
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from engine.extra_registry import needs
from engine.models.claude_model import ClaudeModel, CountingModel
from engine.models.cost_ledger import CostLedger
from engine.models.model_task import ModelQuestion, ModelRole, RuleModel, TextModel, estimate
from engine.models.spending_cap import TRIES, Budget, PaidModel
from engine.models.summary import Summariser
from engine.plans.plan import Cost
from engine.plans.planning import Planning, PlanOutcome, PlanRequest
from engine.services.answers import AnswerFolder
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import claude_for, model_name, price_of

SECONDS = {"claude": 120.0, "local": 600.0}
"""The seconds for an answer about one text by provider, where the policy has none."""


class ModelUse(msgspec.Struct, frozen=True):
    """A model for one plan; `spent` gives its cost, None where it is free."""

    model: TextModel = RuleModel()
    spent: Callable[[], Cost] | None = None

    def with_cost(self, outcome: PlanOutcome) -> PlanOutcome:
        """Gives the outcome and its plan with the cost of making it (decision G17: outside the digest)."""
        if self.spent is None:
            return outcome
        cost = _sum(outcome.cost, self.spent())
        plan = outcome.plan
        plan = msgspec.structs.replace(plan, cost=cost) if plan is not None else None
        return msgspec.structs.replace(outcome, plan=plan, cost=cost)


def _sum(cost: Cost, other: Cost) -> Cost:
    return Cost(
        cost.calls + other.calls,
        cost.input_tokens + other.input_tokens,
        cost.output_tokens + other.output_tokens,
        f"{float(cost.usd) + float(other.usd):.4f}",
        f"{float(cost.estimated_usd or 0) + float(other.estimated_usd or 0):.4f}",
    )


def text_model(
    opened: OpenWorkspace, role: ModelRole, planning: Planning, request: PlanRequest, system: str, *, spent: float = 0.0
) -> ModelUse:
    """Chooses the model for a plan's texts, for which `spent` US dollars were spent; or one that only counts."""
    llm, name = opened.policy.llm, model_name(opened.policy.llm, role)
    if not name:
        return ModelUse()
    answers = AnswerFolder(opened.state.answers)
    if request.counted is not None:
        return ModelUse(CountingModel(role, name, request.counted, answers, llm.provider))
    cap = max(0.0, llm.max_usd_per_plan - spent)
    budget = Budget(
        cap,
        ledger=CostLedger(opened.state.ledger),
        price=price_of(llm, name),
        role=role.value,
        model=name,
        clock=opened.real_clock,
        timer=time.perf_counter,
        plan=f"{system} {planning.made_at or planning.now:%Y-%m-%d %H:%M:%S}",
    )
    model = PaidModel(claude_for(llm, opened.env, role, llm.seconds or SECONDS[llm.provider]), budget, tries=TRIES)
    if llm.provider == "local":  # it answers one after the other, and costs nothing
        single = ClaudeModel(model, role, answers, name=llm.provider, at_once=1)
        return ModelUse(single, lambda: _cost(opened, budget, single.asked, (), cap))
    single = ClaudeModel(model, role, answers)
    asking, batched = _batching(opened, single, budget, role, answers) if llm.batch_from else (single, [])
    return ModelUse(asking, lambda: _cost(opened, budget, single.asked, batched, cap))


def summary_writer(
    opened: OpenWorkspace, planning: Planning, request: PlanRequest, system: str
) -> "tuple[Summariser, ModelUse]":
    """Chooses who writes a plan's summaries, the policy's model or else the rules; gives the model too."""
    from engine.models.extractive import ExtractiveSummariser

    offline, llm = ExtractiveSummariser(), opened.policy.llm
    use = text_model(opened, ModelRole.SUMMARISE, planning, request, system)
    if not model_name(llm, ModelRole.SUMMARISE):
        return offline, use
    # Only where Claude is asked is there a use for it.
    from engine.models.summary_task import ModelSummariser, SummaryTask

    return ModelSummariser(use.model, SummaryTask(offline, llm.most_ungrounded)), use


def _cost(
    opened: OpenWorkspace, budget: Budget, asked: Sequence[ModelQuestion], batched: Sequence[ModelQuestion], cap: float
) -> Cost:
    """Counts what was spent beside its estimate, which is at most the cap."""
    price, used = partial(price_of, opened.policy.llm), budget.spent
    usd = estimate(asked, opened.counter, price, cap).usd
    # Batched answers cost half the price: their estimate is one of its own (decision D48).
    usd += estimate(batched, opened.counter, price, cap, batch_from=1).usd
    return Cost(used.calls, used.input, used.output, f"{used.usd:.4f}", f"{min(cap, usd):.4f}")


def _batching(
    opened: OpenWorkspace, single: ClaudeModel, budget: Budget, role: ModelRole, answers: AnswerFolder
) -> tuple[TextModel, list[ModelQuestion]]:
    with needs("batches"):
        from engine.extras.batches.batch_service import BatchingModel, batch_desk
    made = BatchingModel(
        single,
        lambda: batch_desk(opened, role),
        budget,
        role,
        answers,
        least=opened.policy.llm.batch_from,
        plan=budget.plan,
    )
    return made, made.batched
