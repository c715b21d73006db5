"""Chooses who answers a task: offline rules, or the model that the operator's policy names for the role (D30)."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from engine.models.model_task import ModelQuestion, ModelRole, RuleModel, TextModel
from engine.models.price import Price
from engine.plans.plan import Cost
from engine.plans.planning import Planning, PlanRequest
from engine.plans.policy.values import LlmPolicy
from engine.plans.status import PlanOutcome
from engine.services.wiring import Wiring

if TYPE_CHECKING:
    from engine.models.budget import Budget
    from engine.models.claude import Claude
    from engine.models.claude_model import ClaudeModel
    from engine.services.answers import AnswerFolder

SECONDS = 120.0
"""Seconds that an answer about one text may take."""


class ModelUse(msgspec.Struct, frozen=True):
    """A model for one plan, and how its cost is told; None where it costs nothing."""

    model: TextModel = RuleModel()
    spent: Callable[[], Cost] | None = None

    def with_cost(self, outcome: PlanOutcome) -> PlanOutcome:
        """The outcome and its plan with what it has cost to make it (decision G17: outside the digest)."""
        if self.spent is None:
            return outcome
        cost = _sum(outcome.cost, self.spent())
        plan = outcome.plan
        plan = msgspec.structs.replace(plan, cost=cost) if plan is not None else None
        return msgspec.structs.replace(outcome, plan=plan, cost=cost)


def _sum(one: Cost, other: Cost) -> Cost:
    return Cost(
        one.calls + other.calls,
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        f"{float(one.usd) + float(other.usd):.4f}",
        f"{float(one.estimated_usd or 0) + float(other.estimated_usd or 0):.4f}",
    )


def model_name(llm: LlmPolicy, role: ModelRole) -> str:
    """The model that the operator's policy names for a role; empty for none. No other file can name one."""
    return (getattr(llm.models, role.value) or "") if llm.provider == "claude" else ""


def price_of(llm: LlmPolicy, model: str) -> Price:
    """The price of a model: its own where the policy has one, else that of all."""
    if own := llm.prices.get(model):
        return Price(own.input, own.output)
    return Price(llm.usd_per_million_input, llm.usd_per_million_output)


def claude_for(parts: Wiring, role: ModelRole, seconds: float = 0) -> "Claude":
    """Claude as the policy names it for a role; `seconds` that an answer may take, 0 for as long as a message waits."""
    from engine.models.claude import Claude

    llm = parts.policy.llm
    return Claude(model_name(llm, role), parts.env, key_variable=llm.key_variable, url=llm.url, seconds=seconds)


def text_model(
    parts: Wiring, role: ModelRole, planning: Planning, request: PlanRequest, system: str, *, spent: float = 0.0
) -> ModelUse:
    """The model for the texts of one plan, for which so many US dollars are `spent` already. Where the request only
    counts, the one that tells what would be asked."""
    if not model_name(parts.policy.llm, role):
        return ModelUse()
    return _claude(parts, role, planning, system, request.counted, max(0.0, parts.policy.llm.max_usd_per_plan - spent))


def _claude(
    parts: Wiring,
    role: ModelRole,
    planning: Planning,
    system: str,
    counted: Callable[[ModelQuestion], None] | None,
    cap: float,
) -> ModelUse:
    # Only where Claude is asked is there a use for all of it.
    from engine.models.budget import Budget
    from engine.models.claude_model import ClaudeModel, CountingModel
    from engine.models.cost_ledger import CostLedger
    from engine.models.paid_model import TRIES, PaidModel
    from engine.services.answers import AnswerFolder

    llm, name = parts.policy.llm, model_name(parts.policy.llm, role)
    answers = AnswerFolder(parts.state.answers)
    if counted is not None:
        return ModelUse(CountingModel(role, name, counted, answers))
    budget = Budget(
        cap,
        ledger=CostLedger(parts.state.ledger),
        price=price_of(llm, name),
        role=role.value,
        model=name,
        clock=parts.real_clock,
        timer=time.perf_counter,
        plan=f"{system} {planning.made_at or planning.now:%Y-%m-%d %H:%M:%S}",
    )
    model = PaidModel(claude_for(parts, role, SECONDS), budget, tries=TRIES)
    single = ClaudeModel(model, role, answers)
    asking, batched = _batching(parts, single, budget, role, answers) if llm.batch_from else (single, [])
    return ModelUse(asking, lambda: _cost(parts, budget, single.asked, batched, cap))


def _cost(
    parts: Wiring, budget: "Budget", asked: Sequence[ModelQuestion], batched: Sequence[ModelQuestion], cap: float
) -> Cost:
    """Counts what was spent beside what was estimated; no estimate is above the cap, since no call passes it."""
    from engine.models.estimate import estimate

    price, used = partial(price_of, parts.policy.llm), budget.spent
    usd = estimate(asked, parts.counter, price, cap).usd
    # Batched answers cost half the price: their estimate is one of its own (decision D48).
    usd += estimate(batched, parts.counter, price, cap, batch_from=1).usd
    return Cost(used.calls, used.input, used.output, f"{used.usd:.4f}", f"{min(cap, usd):.4f}")


def _batching(
    parts: Wiring, single: "ClaudeModel", budget: "Budget", role: ModelRole, answers: "AnswerFolder"
) -> tuple[TextModel, list[ModelQuestion]]:
    """The model that sends many questions as a batch, and the list of those that it sent."""
    from engine.extras.batches.batch_model import BatchingModel
    from engine.services.batches import batch_desk

    made = BatchingModel(
        single,
        lambda: batch_desk(parts, role),
        budget,
        role,
        answers,
        least=parts.policy.llm.batch_from,
        plan=budget.plan,
    )
    return made, made.batched
