"""The policy's defaults are the specification's figures, and its digest binds every one of them."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from engine.plans.policy.file import policy_values
from engine.plans.policy.rules import broken_rule
from engine.plans.policy.values import ApprovalPolicy, Policy, PolicyValue, TopicsPolicy

DEFAULTS = {
    "approval.auto": (),
    "probes.on_loss": "warn",
    "lifecycle.most_left_out": 0.5,
    "lifecycle.transcript_roots": (),
    "limits.semantic.soft": 900,
    "limits.semantic.risk": 1020,
    "limits.semantic.hard": 1200,
    "limits.working.files": 10,
    "limits.working.tokens": 4000,
    "limits.working.age_days": 10,
    "limits.working.eligible_days": 7,
    "limits.episodic.files": 20,
    "limits.episodic.tokens": 8000,
    "limits.episodic.age_days": 45,
    "limits.episodic.eligible_days": 30,
    "limits.root_tokens": 3000,
    "limits.cooldown_hours": 24,
    "context.window_tokens": 200_000,
    "context.model_windows": {},
    "context.prompt_tokens": 8192,
    "context.flush_tokens": 500,
    "context.hold_compaction": "off",
    "context.hold_seconds": 120,
    "context.system_prompt": "",
    "context.platforms": {},
    "llm.provider": "extractive",
    "llm.models.gate": None,
    "llm.models.extract": None,
    "llm.models.summarise": None,
    "llm.models.commit": None,
    "llm.key_variable": "ANTHROPIC_API_KEY",
    "llm.url": "",
    "llm.seconds": 0,
    "llm.window": 4096,
    "llm.most_ungrounded": 0.25,
    "llm.max_usd_per_plan": 0.50,
    "llm.usd_per_million_input": 1.0,
    "llm.usd_per_million_output": 5.0,
    "llm.prices": {},
    "llm.batch_from": 0,
    "verify.repositories": {},
    "verify.urls": "off",
    "git.commit": True,
    "git.push": False,
    "git.remote": "",
    "git.branch": "",
    "git.commit_others": False,
    "git.filters": {},
    "git.private": ("knowledge/private", "archive/private"),
    "git.shared": {},
    "git.outside": (),
    "tokens.counter": "o200k_base",
    "search.embedder": "auto",
    "search.model": "",
    "search.url": "",
    "search.key_variable": "OPENAI_API_KEY",
    "search.usd_per_million_tokens": 0.02,
    "search.max_usd": 0.50,
    "search.merge": "adaptive",
    "topics.scorer": "blend",
    "qmd.run": "off",
    "qmd.timeout_seconds": 30,
    "digest.command": (),
    "zone": "UTC",
}
OTHER: dict[type, Any] = {int: 77, bool: None, float: 1.5, str: "x", tuple: ("/x",), dict: {"a": "b"}, type(None): "m"}


def test_the_defaults_are_the_figures_of_the_specification() -> None:
    assert {value.key: value.value for value in policy_values(Policy(), {})} == DEFAULTS
    assert broken_rule(Policy()) is None


def varied(section: msgspec.Struct) -> Iterator[msgspec.Struct]:
    """The section with each of its values changed in turn."""
    for field in msgspec.structs.fields(section):
        value = getattr(section, field.name)
        if isinstance(value, msgspec.Struct):
            for inner in varied(value):
                yield msgspec.structs.replace(section, **{field.name: inner})
        else:
            other = not value if isinstance(value, bool) else OTHER[type(value)]
            yield msgspec.structs.replace(section, **{field.name: other})


def test_plans_are_bound_to_every_value_of_the_policy() -> None:
    others = [policy for policy in varied(Policy()) if isinstance(policy, Policy)]
    assert len({policy.sha256 for policy in others} | {Policy().sha256}) == len(DEFAULTS) + 1
    assert Policy().sha256 == Policy().sha256


def test_an_unknown_key_never_enters_a_policy() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({"approval": {"autos": ["A"]}}, Policy)
    for tier in ("B", "C", "a", ""):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"auto": [tier]}, ApprovalPolicy)


def test_a_policy_value_is_plain_json() -> None:
    values = msgspec.json.encode(policy_values(Policy(), {"zone": "/home/ana/policy.yaml"}))
    decoded = msgspec.json.decode(values, type=list[PolicyValue])
    assert decoded[-1] == PolicyValue(key="zone", value="UTC", origin="/home/ana/policy.yaml")


def test_a_scorer_that_is_gone_counts_as_the_blend() -> None:
    assert [TopicsPolicy(scorer=name).used for name in ("transformer", "blend", "bm25")] == ["blend", "blend", "bm25"]
