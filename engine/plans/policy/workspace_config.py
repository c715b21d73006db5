"""Finds safety keys in `memory-config.yaml`, which the agent can write: reported, never heeded (decisions G12, A28)."""

from collections.abc import Iterator
from typing import Any

from engine.plans.policy.workspace_keys import safety_keys, shown_value
from engine.text.limited_yaml import YamlProblem, load
from engine.workspace.findings import Finding, notice

CONFIG_FILE = "memory-config.yaml"
FINDING_ID = "workspace_policy"
MOST = 20
"""Keys told one by one; a file of thousands is no reason for a status of thousands of lines."""
_SAFETY = frozenset({"approval", "limits", "cooldown", "cooldown_hours", "egress", "llm", "policy", "prices"})
_GIT_SAFETY = frozenset({"branch", "commit_others", "filters", "outside", "push", "remote", "shared"})
_FIX = "take it out; set it in the operator's own policy: memdeck policy"


def workspace_safety_keys(data: bytes, where: str = CONFIG_FILE) -> tuple[Finding, ...]:
    """Reports each safety key in the bytes of the file with its value, made safe to show; at most `MOST` of them."""
    try:
        values = load(data.decode("utf-8-sig"))
    except (YamlProblem, UnicodeDecodeError) as error:
        return (unreadable(str(error), where),)
    found = list(_safety_keys(values)) if isinstance(values, dict) else []
    told = [
        f"the safety key `{shown_value(key)}` is ignored here: {shown_value(value) or 'empty'}" for key, value in found
    ]
    if len(told) > MOST:
        told = [*told[: MOST - 1], f"{len(told) - MOST + 1:,} more safety keys are ignored here"]
    return tuple(notice(FINDING_ID, where, what, _FIX) for what in told)


def unreadable(reason: str, where: str = CONFIG_FILE) -> Finding:
    """Reports a file of which nobody can say which keys it holds."""
    return notice(FINDING_ID, where, f"it cannot be read, nothing in it is heeded: {shown_value(reason)}", "correct it")


def _safety_keys(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        name = key.replace("-", "_").casefold()
        if name in _SAFETY:
            yield from _leaves(key, value)
        elif isinstance(value, dict):
            for inner, setting in value.items():
                own = inner.replace("-", "_").casefold()
                if f"{name}.{own}" in safety_keys() or (name == "git" and own in _GIT_SAFETY):
                    yield from _leaves(f"{key}.{inner}", setting)


def _leaves(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for inner, setting in value.items():
            yield from _leaves(f"{key}.{inner}", setting)
    else:
        yield key, value
