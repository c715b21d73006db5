"""The models of the operator's policy, their prices, and clients for them (decision D30)."""

from collections.abc import Mapping

from msgspec.structs import asdict

from engine.models.claude import SECONDS, Claude, HomeModel
from engine.models.model_task import ModelRole, Price
from engine.plans.policy.values import LlmPolicy
from engine.text.pattern_file import toml_file


def model_name(llm: LlmPolicy, role: ModelRole) -> str:
    """Gives the policy's model for a role; empty if there is none. No other file can name one."""
    return (getattr(llm.models, role.value) or "") if llm.provider != "extractive" else ""


def known_models() -> tuple[str, ...]:
    """Gives the names of Anthropic's models."""
    return tuple(toml_file("engine.models", "known_models.toml")["models"])


def unknown_models(llm: LlmPolicy) -> tuple[str, ...]:
    """Gives the policy's models that Anthropic does not have, as far as is known offline."""
    if llm.provider != "claude" or llm.url:
        return ()
    named = {name for name in asdict(llm.models).values() if name and name not in llm.prices}
    return tuple(sorted(named.difference(known_models())))


def price_of(llm: LlmPolicy, model: str) -> Price:
    """Gives a model's price: its own in the policy, else the general one; zero for a local one."""
    if llm.provider == "local":
        return Price(0, 0)
    if own := llm.prices.get(model):
        return Price(own.input, own.output)
    return Price(llm.usd_per_million_input, llm.usd_per_million_output)


def claude_for(llm: LlmPolicy, env: Mapping[str, str], role: ModelRole, seconds: float = 0) -> Claude:
    """Gives a client for the role's model; `seconds` is the time for an answer, 0 for the default."""
    name, key = model_name(llm, role), llm.key_variable
    if llm.provider == "local":
        return HomeModel(name, env, key_variable=key, url=llm.url, seconds=seconds or SECONDS, window=llm.window)
    return Claude(name, env, key_variable=key, url=llm.url, seconds=seconds)
