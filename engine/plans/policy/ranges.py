"""Checks the ranges of a policy's values, and what must hold between them, beyond each having the right type."""

import math
from collections.abc import Iterator
from pathlib import PurePath

import msgspec

from engine.plans.policy.values import Policy, SearchPolicy

_MOST = 1_000_000_000
_MOST_DAYS = 36_500
"""A hundred years: dates reckoned with it stay dates."""


class BrokenRule(msgspec.Struct, frozen=True):
    """The dotted key at fault, what is wrong with it, and what to do."""

    key: str
    what: str
    hint: str = ""


def broken_rule(policy: Policy) -> BrokenRule | None:
    """The first rule that the policy breaks."""
    return next((rule for rule in (*_numbers(policy), *_order(policy), *_rest(policy)) if rule), None)


def _numbers(policy: Policy) -> Iterator[BrokenRule | None]:
    limits = policy.limits
    for name in ("soft", "risk", "hard"):
        yield _within(f"limits.semantic.{name}", getattr(limits.semantic, name), 1, _MOST)
    for tier, values in (("working", limits.working), ("episodic", limits.episodic)):
        yield _within(f"limits.{tier}.files", values.files, 0, _MOST)
        yield _within(f"limits.{tier}.tokens", values.tokens, 0, _MOST)
        yield _within(f"limits.{tier}.age_days", values.age_days, 0, _MOST_DAYS)
        yield _within(f"limits.{tier}.eligible_days", values.eligible_days, 0, _MOST_DAYS)
    yield _within("limits.root_tokens", limits.root_tokens, 1, _MOST)
    yield _within("limits.cooldown_hours", limits.cooldown_hours, 0, _MOST_DAYS * 24)
    yield _within("context.window_tokens", policy.context.window_tokens, 1, _MOST)
    yield _within("qmd.timeout_seconds", policy.qmd.timeout_seconds, 1, 3600)
    yield _within("llm.max_usd_per_plan", policy.llm.max_usd_per_plan, 0, _MOST)
    yield _within("llm.usd_per_million_input", policy.llm.usd_per_million_input, 0, _MOST)
    yield _within("llm.usd_per_million_output", policy.llm.usd_per_million_output, 0, _MOST)
    yield _within("search.usd_per_million_tokens", policy.search.usd_per_million_tokens, 0, _MOST)
    yield _within("search.max_usd", policy.search.max_usd, 0, _MOST)


def _within(key: str, value: float, least: int, most: int) -> BrokenRule | None:
    if math.isfinite(value) and least <= value <= most:
        return None
    return BrokenRule(key, f"must be from {least} to {most}, not {value}")


def _order(policy: Policy) -> Iterator[BrokenRule | None]:
    semantic = policy.limits.semantic
    if semantic.soft > semantic.risk:
        what = f"({semantic.soft}) is above limits.semantic.risk ({semantic.risk})"
        yield BrokenRule("limits.semantic.soft", what, "soft ≤ risk ≤ hard")
    if semantic.risk > semantic.hard:
        what = f"({semantic.risk}) is above limits.semantic.hard ({semantic.hard})"
        yield BrokenRule("limits.semantic.risk", what, "soft ≤ risk ≤ hard")


def _rest(policy: Policy) -> Iterator[BrokenRule | None]:
    yield _zone(policy.zone)
    yield _embedder(policy.search)
    for folder in policy.git.outside:
        if not PurePath(folder).is_absolute():
            yield BrokenRule("git.outside", f"must hold absolute paths, not {folder!r}")
    for name, command in policy.git.filters.items():
        if not name.strip() or not command.strip():
            yield BrokenRule("git.filters", "must give each filter's name its command")


def _embedder(search: SearchPolicy) -> BrokenRule | None:
    if search.embedder == "transformer" and not PurePath(search.model).is_absolute():
        return BrokenRule("search.model", "must be the absolute path of a folder", "or set search.embedder: static")
    if search.embedder == "endpoint" and not search.model:
        return BrokenRule("search.model", "must name the model to ask for", "or set search.embedder: static")
    if search.embedder == "endpoint" and not search.url.startswith(("https://", "http://")):
        return BrokenRule("search.url", "must be an http address", "or set search.embedder: static")
    return None


def _zone(name: str) -> BrokenRule | None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        from rapidfuzz import process

        best = process.extractOne(name, available_timezones(), score_cutoff=60)
        hint = f"did you mean {best[0]}?" if best else "for example Europe/Berlin"
        return BrokenRule("zone", f"is not a time zone: {name!r}", hint)
    return None
