"""The keys of `memory-config.yaml` (autopoiesis §9.3): honoured, safety keys, or obsolete (G12, A28). The agent can
write this file, so a key that opens egress, spends money or runs a program is reported and ignored."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

import msgspec

from engine.text.digits import whole_number
from engine.text.limited_yaml import YamlProblem, load
from engine.text.pattern_file import pattern_file
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.layout import MEMORY_MD_CAP
from engine.workspace.values import Finding, notice

CONFIG_FILE = "memory-config.yaml"
FINDING_ID = "workspace_policy"
MOST = 20  # keys told one by one; a file of thousands is no reason for a status of thousands of lines
_SAFETY = frozenset({"approval", "limits", "cooldown", "cooldown_hours", "egress", "llm", "policy", "prices"})
_GIT_SAFETY = frozenset({"branch", "commit_others", "filters", "outside", "push", "remote", "shared"})
_FIX = "take it out; set it in the operator's own policy: memdeck policy"


def workspace_safety_keys(data: bytes, where: str = CONFIG_FILE) -> tuple[Finding, ...]:
    """Reports each safety key of the file with its value, made safe to show; at most `MOST`."""
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
    """Reports a file whose keys cannot be read."""
    return notice(FINDING_ID, where, f"it cannot be read, nothing in it is heeded: {shown_value(reason)}", "correct it")


def _safety_keys(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        name = key.replace("-", "_").casefold()
        if name in _SAFETY:
            yield from _settings_in(key, value)
        elif isinstance(value, dict):
            for inner, setting in value.items():
                own = inner.replace("-", "_").casefold()
                if f"{name}.{own}" in safety_keys() or (name == "git" and own in _GIT_SAFETY):
                    yield from _settings_in(f"{key}.{inner}", setting)


def _settings_in(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for inner, setting in value.items():
            yield from _settings_in(f"{key}.{inner}", setting)
    else:
        yield key, value


LEAST_BUDGET, LEAST_CAP, LEAST_DAYS, MOST_DAYS = 256, 40, 7, 3650
"""The bounds of useful values: the prompt's tokens, MEMORY.md's lines, the journals' days."""
_MOST_DIGITS = 9  # of a number in the file: more say nothing that any bound allows
_LONGEST = 80  # characters of a value of the agent's own file that are shown


class KeyStatus(StrEnum):
    """The effect of a key: honoured, ignored for safety, or obsolete."""

    HONOURED = "honoured"
    SAFETY = "safety key"
    OBSOLETE = "obsolete"


class WorkspaceKey(msgspec.Struct, frozen=True):
    """A key of §9.3: its status, its effect or the reason why it has none, and its value."""

    key: str
    status: KeyStatus
    reason: str
    value: str = ""  # the value that this workspace's file gives it; empty where it gives none


class WorkspaceTuning(msgspec.Struct, frozen=True, kw_only=True):
    """The values of the honoured keys, within their bounds; None where a key is missing or invalid."""

    token_budget: int | None = None
    journal_retention_days: int | None = None
    memory_line_cap: int | None = None
    transcript_root: str = ""


@cache
def workspace_keys() -> tuple[WorkspaceKey, ...]:
    """Gives every key of §9.3 in its order."""
    bounds = {"least_budget": LEAST_BUDGET, "least_cap": LEAST_CAP, "most_cap": MEMORY_MD_CAP}
    bounds |= {"least_days": LEAST_DAYS, "most_days": MOST_DAYS}
    return tuple(
        WorkspaceKey(f"{section}.{name}", KeyStatus(status), reason.format_map(bounds))
        for section, keys in pattern_file(__package__, "workspace_keys.toml").items()
        for name, said in keys.items()
        for status, reason in said.items()
    )


@cache
def safety_keys() -> frozenset[str]:
    return frozenset(key.key for key in workspace_keys() if key.status is KeyStatus.SAFETY)


def workspace_settings(data: bytes | None) -> tuple[WorkspaceKey, ...]:
    """Gives every key of §9.3 in its order, with its value in the file, made safe to show."""
    values = dict(_leaves(_read(data)))
    shown = {key: shown_value(value) for key, value in values.items()}
    return tuple(msgspec.structs.replace(setting, value=shown.get(setting.key, "")) for setting in workspace_keys())


@lru_cache(maxsize=4)
def workspace_tuning(data: bytes | None) -> WorkspaceTuning:
    """Reads the values of the honoured keys; none from a file that cannot be read."""
    values = dict(_leaves(_read(data)))
    return WorkspaceTuning(
        token_budget=_count(values.get("context_compiler.token_budget"), LEAST_BUDGET, None),
        journal_retention_days=_count(values.get("lifecycle.journal_retention_days"), LEAST_DAYS, MOST_DAYS),
        memory_line_cap=_count(values.get("lifecycle.memory_line_cap"), LEAST_CAP, MEMORY_MD_CAP),
        transcript_root=root if isinstance(root := values.get("lifecycle.transcript_root"), str) else "",
    )


def _read(data: bytes | None) -> Mapping[str, Any]:
    try:
        values = load(data.decode("utf-8-sig")) if data is not None else {}
    except (YamlProblem, UnicodeDecodeError):
        return {}
    return values if isinstance(values, dict) else {}


def _leaves(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, inner in values.items():
        if isinstance(inner, dict):
            yield from ((f"{name}.{key}", value) for key, value in inner.items())


def _count(value: Any, least: int, most: int | None) -> int | None:
    """Limits a whole number to its bounds; None for anything else. YAML scalars of the workspace are strings."""
    read = whole_number(value, _MOST_DIGITS) if isinstance(value, str) else None
    if read is None:
        return None
    number = max(least, read)
    return number if most is None else min(number, most)


def shown_value(value: Any) -> str:
    """Makes a value safe to show and cuts it; redacts first, because half a secret is not recognised."""
    text = visible_line(redact(value if isinstance(value, str) else msgspec.json.encode(value).decode()))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
