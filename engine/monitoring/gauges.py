"""Defines the gauges, each with its value and its limits."""

import msgspec

from engine.plans.memory_status import MemoryTiers, Status, TierFigures
from engine.plans.policy.values import Limits, TierLimits
from engine.workspace.layout import MEMORY_MD_LINES


class GaugeLimit(msgspec.Struct, frozen=True):
    """A limit that a gauge crosses above `value` (`>`, decision A1)."""

    name: str
    value: int


class GaugeReading(msgspec.Struct, frozen=True, kw_only=True):
    """One figure at one instant. `id` never changes; `unit`: `files`, `tokens`, `days` or `lines`."""

    id: str
    unit: str
    value: int
    limits: tuple[GaugeLimit, ...] = ()


def gauges_of(status: Status, limits: Limits) -> tuple[GaugeReading, ...]:
    """Gives every gauge of a status."""
    root, lines = status.tree.get("root", {}).get("tokens"), status.memory_md.get("lines")
    return gauges_from(
        status.memory_tiers,
        limits,
        root_tokens=root if isinstance(root, int) else None,
        memory_lines=lines if isinstance(lines, int) else 0,
    )


def gauges_from(
    tiers: MemoryTiers, limits: Limits, *, root_tokens: int | None, memory_lines: int
) -> tuple[GaugeReading, ...]:
    """Returns the gauges of these figures; an empty tier has no gauge for its oldest file (decision A17)."""
    semantic = (limits.semantic.soft, limits.semantic.risk, limits.semantic.hard)
    of_shards = tuple(map(GaugeLimit, ("soft", "risk", "hard"), semantic))
    found = [
        *_tier("working", tiers.working, limits.working),
        *_tier("episodic", tiers.episodic, limits.episodic),
        *(
            GaugeReading(id=f"semantic:{shard.path}", unit="tokens", value=shard.tokens, limits=of_shards)
            for shard in tiers.semantic.shards
        ),
        GaugeReading(id="archive.files", unit="files", value=tiers.archive.files),
    ]
    if root_tokens is not None:
        cap = (GaugeLimit("cap", limits.root_tokens),)
        found.append(GaugeReading(id="root.tokens", unit="tokens", value=root_tokens, limits=cap))
    if memory_lines:
        bands = tuple(GaugeLimit(name, value) for name, value in MEMORY_MD_LINES)
        found.append(GaugeReading(id="memory_md.lines", unit="lines", value=memory_lines, limits=bands))
    return tuple(found)


def _tier(name: str, figures: TierFigures, limits: TierLimits) -> list[GaugeReading]:
    files, tokens = ((GaugeLimit("pressure", most),) for most in (limits.files, limits.tokens))
    found = [
        GaugeReading(id=f"{name}.files", unit="files", value=figures.files, limits=files),
        GaugeReading(id=f"{name}.tokens", unit="tokens", value=figures.tokens, limits=tokens),
    ]
    if figures.oldest_days is not None:
        days = (GaugeLimit("pressure", limits.age_days),)
        found.append(GaugeReading(id=f"{name}.oldest", unit="days", value=figures.oldest_days, limits=days))
    return found
