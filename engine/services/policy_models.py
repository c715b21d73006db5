"""Names the models of the operator's policy: their prices, and each as the policy wants it asked (decision D30)."""

from collections.abc import Mapping

from msgspec.structs import asdict

from engine.models.claude import SECONDS, Claude, HomeModel
from engine.models.model_task import ModelRole, Price
from engine.plans.policy.values import LlmPolicy
from engine.text.pattern_file import toml_file


def model_name(llm: LlmPolicy, role: ModelRole) -> str:
    """Gives the model that the operator's policy names for a role; empty for none. No other file can name one."""
    return (getattr(llm.models, role.value) or "") if llm.provider != "extractive" else ""


def known_models() -> tuple[str, ...]:
    """Lists the names of Anthropic's models, as their SDK has them."""
    return tuple(toml_file("engine.models", "known_models.toml")["models"])


def unknown_models(llm: LlmPolicy) -> tuple[str, ...]:
    """Gives the models of the policy that Anthropic's own service does not have, as far as can be known offline."""
    if llm.provider != "claude" or llm.url:
        return ()
    named = {name for name in asdict(llm.models).values() if name and name not in llm.prices}
    return tuple(sorted(named.difference(known_models())))


def price_of(llm: LlmPolicy, model: str) -> Price:
    """Gives the price of a model: its own where the policy has one, else that of all; a local one has none."""
    if llm.provider == "local":
        return Price(0, 0)
    if own := llm.prices.get(model):
        return Price(own.input, own.output)
    return Price(llm.usd_per_million_input, llm.usd_per_million_output)


def claude_for(llm: LlmPolicy, env: Mapping[str, str], role: ModelRole, seconds: float = 0) -> Claude:
    """The model that the policy names for a role; `seconds` that an answer may take, 0: as long as a message waits."""
    name, key = model_name(llm, role), llm.key_variable
    if llm.provider == "local":
        return HomeModel(name, env, key_variable=key, url=llm.url, seconds=seconds or SECONDS, window=llm.window)
    return Claude(name, env, key_variable=key, url=llm.url, seconds=seconds)
