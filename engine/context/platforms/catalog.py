"""Reads the platforms' data, with overrides from the operator's policy (decision D41)."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from engine.context.platforms.platform import CapUnit, CutRule, Platform
from engine.errors import PolicyError, UsageError
from engine.plans.policy.values import Policy

FOLDERS = (Path(__file__).parent, Path(__file__).parents[2] / "extras" / "platforms")
"""The folders of the specification's platforms and of the extra's."""
_FILES = {file.stem: file for folder in FOLDERS for file in folder.glob("*.toml")}
_ORDER = ("claude-code", "openclaw", "codex", "hermes", "gemini", "letta", "hipocampus")
NAMES = tuple(name for name in _ORDER if name in _FILES)
"""The installed platforms, in the order of display."""
_ONE_OF = f"one of: {', '.join(NAMES)}"
_SHARES = {CutRule.HEAD_TAIL: 2, CutRule.HEAD_DIGEST_TAIL: 3}
"""The number of shares that a cut rule needs: head and tail, or head, digest and tail."""
_UNITS = {
    CutRule.HEAD: CapUnit.BYTES,
    CutRule.MIDDLE: CapUnit.QUARTER_BYTES,
    CutRule.HEAD_TAIL: CapUnit.UTF16,
    CutRule.HEAD_DIGEST_TAIL: CapUnit.UTF16,
}
"""The cap that a cut rule needs."""


def platforms(policy: Policy) -> tuple[Platform, ...]:
    """Returns every platform; raises `PolicyError` with the key of a wrong override."""
    overrides = policy.context.platforms
    for name in overrides:
        if name not in NAMES:
            raise PolicyError(f"there is no platform {name!r}", where="context.platforms", hint=_ONE_OF)
    return tuple(_platform(name, overrides.get(name, {}), policy.limits.root_tokens) for name in NAMES)


def platform(policy: Policy, name: str) -> Platform:
    """Returns the platform of that name; raises `UsageError` with the known names."""
    if name not in NAMES:
        raise UsageError("there is no such platform", where=name, hint=_ONE_OF)
    return platforms(policy)[NAMES.index(name)]


@cache
def shipped(name: str) -> Mapping[str, Any]:
    """Reads a platform's data without overrides."""
    return tomllib.loads(_FILES[name].read_text("utf-8"))


def _platform(name: str, overrides: Mapping[str, Any], root_tokens: int) -> Platform:
    data = shipped(name)
    if name == "hipocampus":
        data = _merged(data, {"files": {"ROOT.md": {"caps": {"tokens": root_tokens}}}})
    try:
        found = msgspec.convert({**_merged(data, overrides), "name": name}, Platform)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        raise PolicyError(what[:1].lower() + what[1:], where=f"context.platforms.{name}{place.strip('`')}") from error
    if problem := _problem(found):
        raise PolicyError(problem, where=f"context.platforms.{name}")
    return found


def _merged(data: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(data)
    for key, value in overrides.items():
        before = made.get(key)
        made[key] = _merged(before, value) if isinstance(before, Mapping) and isinstance(value, Mapping) else value
    return made


def _problem(found: Platform) -> str:
    """Says what is wrong beyond types: an undescribed file, a missing share; empty if nothing."""
    for kind, names in found.sessions.items():
        for name in names:
            if name not in found.files:
                return f"sessions.{kind.value} names {name!r}, which is not among its files"
    for name, file in found.files.items():
        unit = _UNITS.get(file.rule)
        if unit is not None and unit not in file.caps:
            return f"files.{name}.caps needs a cap in {unit.value!r} for the rule {file.rule.value!r}"
        if file.rule is CutRule.ENTRIES and not file.divider:
            return f"files.{name}.divider needs what stands between two entries"
        shares = _SHARES.get(file.rule, 0)
        if len(file.shares) != shares or sum(file.shares) > 1:
            return f"files.{name}.shares needs {shares} shares of at most 1 in all for the rule {file.rule.value!r}"
    return ""
