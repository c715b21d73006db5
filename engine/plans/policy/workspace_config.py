"""Finds safety keys in `memory-config.yaml`, which the agent can write: reported, never heeded (decisions G12, A28)."""

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.plans.policy.workspace_keys import safety_keys
from engine.text.limited_yaml import YamlProblem, load
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.findings import Finding, FindingKind

CONFIG_FILE = "memory-config.yaml"
FINDING_ID = "workspace_policy"
MOST = 20
"""Keys told one by one; a file of thousands is no reason for a status of thousands of lines."""
_SAFETY = frozenset({"approval", "limits", "cooldown", "cooldown_hours", "egress", "llm", "policy", "prices"})
_GIT_SAFETY = frozenset({"branch", "commit_others", "filters", "outside", "push", "remote", "shared"})
_LONGEST = 80
"""Characters of a value of the agent's own file that are shown."""
_FIX = "take it out; set it in the operator's own policy: memdeck policy"


def workspace_safety_keys(data: bytes, where: str = CONFIG_FILE) -> tuple[Finding, ...]:
    """Reports each safety key in the bytes of the file with its value, made safe to show; at most `MOST` of them."""
    try:
        values = load(data.decode("utf-8-sig"))
    except (YamlProblem, UnicodeDecodeError) as error:
        return (unreadable(str(error), where),)
    found = list(_safety_keys(values)) if isinstance(values, dict) else []
    told = [_ignored(where, f"the safety key `{_shown(key)}` is ignored here: {_value(value)}") for key, value in found]
    if len(told) > MOST:
        rest = _ignored(where, f"{len(told) - MOST + 1:,} more safety keys are ignored here")
        return (*told[: MOST - 1], rest)
    return tuple(told)


def unreadable(reason: str, where: str = CONFIG_FILE) -> Finding:
    """Reports a file of which nobody can say which keys it holds."""
    what = f"it cannot be read, nothing in it is heeded: {_shown(reason)}"
    return Finding(kind=FindingKind.NOTICE, id=FINDING_ID, where=where, what=what, fix="correct it")


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


def _value(value: Any) -> str:
    return _shown(value if isinstance(value, str) else msgspec.json.encode(value).decode()) or "empty"


def _shown(text: str) -> str:
    """The text without secrets and hidden characters, cut: redacted first, for half a secret is not known as one."""
    shown = visible_line(redact(text))
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def _ignored(where: str, what: str) -> Finding:
    return Finding(kind=FindingKind.NOTICE, id=FINDING_ID, where=where, what=what, fix=_FIX)
