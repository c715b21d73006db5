"""The gauges whose course is followed: each with its value now and the limits it may cross."""

import msgspec

from engine.plans.policy.values import Limits, SemanticLimits, TierLimits
from engine.views import MemoryTiers, Status, TierFigures

MEMORY_MD_LINES = (("warning", 180), ("full", 200), ("over", 220))
"""Lines of MEMORY.md above which it is in a band (decision D23)."""


class Limit(msgspec.Struct, frozen=True):
    """A line that a gauge crosses when it is above `value` (`>`, decision A1)."""

    name: str
    value: int


class Gauge(msgspec.Struct, frozen=True, kw_only=True):
    """One figure at one instant. `id` stays the same over time; `unit` is `files`, `tokens`, `days` or `lines`."""

    id: str
    unit: str
    value: int
    limits: tuple[Limit, ...] = ()


def gauges_of(status: Status, limits: Limits) -> tuple[Gauge, ...]:
    """Every gauge of a status."""
    root, lines = status.tree.get("root", {}).get("tokens"), status.memory_md.get("lines")
    return gauges_from(
        status.memory_tiers,
        limits,
        root_tokens=root if isinstance(root, int) else None,
        memory_lines=lines if isinstance(lines, int) else 0,
    )


def gauges_from(tiers: MemoryTiers, limits: Limits, *, root_tokens: int | None, memory_lines: int) -> tuple[Gauge, ...]:
    """The gauges of these figures; an empty tier has no oldest file, so no gauge for it (decision A17)."""
    found = [
        *_tier("working", tiers.working, limits.working),
        *_tier("episodic", tiers.episodic, limits.episodic),
        *(
            Gauge(id=f"semantic:{shard.path}", unit="tokens", value=shard.tokens, limits=_semantic(limits.semantic))
            for shard in tiers.semantic.shards
        ),
        Gauge(id="archive.files", unit="files", value=tiers.archive.files),
    ]
    if root_tokens is not None:
        cap = (Limit("cap", limits.root_tokens),)
        found.append(Gauge(id="root.tokens", unit="tokens", value=root_tokens, limits=cap))
    if memory_lines:
        bands = tuple(Limit(name, value) for name, value in MEMORY_MD_LINES)
        found.append(Gauge(id="memory_md.lines", unit="lines", value=memory_lines, limits=bands))
    return tuple(found)


def _tier(name: str, figures: TierFigures, limits: TierLimits) -> list[Gauge]:
    found = [
        Gauge(id=f"{name}.files", unit="files", value=figures.files, limits=(Limit("pressure", limits.files),)),
        Gauge(id=f"{name}.tokens", unit="tokens", value=figures.tokens, limits=(Limit("pressure", limits.tokens),)),
    ]
    if figures.oldest_days is not None:
        days = (Limit("pressure", limits.age_days),)
        found.append(Gauge(id=f"{name}.oldest", unit="days", value=figures.oldest_days, limits=days))
    return found


def _semantic(limits: SemanticLimits) -> tuple[Limit, ...]:
    return (Limit("soft", limits.soft), Limit("risk", limits.risk), Limit("hard", limits.hard))
