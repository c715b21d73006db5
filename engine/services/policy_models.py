"""Names the models of the operator's policy: their prices, and Claude as the policy wants it asked (decision D30)."""

from collections.abc import Mapping

from engine.models.claude import Claude
from engine.models.model_task import ModelRole
from engine.models.price import Price
from engine.plans.policy.values import LlmPolicy


def model_name(llm: LlmPolicy, role: ModelRole) -> str:
    """The model that the operator's policy names for a role; empty for none. No other file can name one."""
    return (getattr(llm.models, role.value) or "") if llm.provider == "claude" else ""


def price_of(llm: LlmPolicy, model: str) -> Price:
    """The price of a model: its own where the policy has one, else that of all."""
    if own := llm.prices.get(model):
        return Price(own.input, own.output)
    return Price(llm.usd_per_million_input, llm.usd_per_million_output)


def claude_for(llm: LlmPolicy, env: Mapping[str, str], role: ModelRole, seconds: float = 0) -> Claude:
    """Claude as the policy names it for a role; `seconds` that an answer may take, 0 for as long as a message waits."""
    return Claude(model_name(llm, role), env, key_variable=llm.key_variable, url=llm.url, seconds=seconds)
