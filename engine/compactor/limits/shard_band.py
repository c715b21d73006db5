"""Puts the size of a shard into its band, and warns above the soft limit (compactor §Semantic Risk Trigger, A1)."""

from engine.plans.policy.values import SemanticLimits
from engine.plans.status import SemanticBand


def band_of(tokens: int, limits: SemanticLimits) -> SemanticBand:
    """The band of a shard; a limit itself belongs to the band below it (decision A1)."""
    # `>` in each: 900, 1,020 and 1,200 themselves are still in the band below (decision A1).
    if tokens > limits.hard:
        return SemanticBand.BLOCKED
    if tokens > limits.risk:
        return SemanticBand.RISK
    if tokens > limits.soft:
        return SemanticBand.WARNING
    return SemanticBand.OK


def band_warning(tokens: int, limits: SemanticLimits) -> str:
    """Warns of a shard of this size; an empty string for one within the soft limit."""
    match band_of(tokens, limits):
        case SemanticBand.OK:
            return ""
        case SemanticBand.WARNING:
            return f"{tokens:,} tokens: above the soft limit of {limits.soft:,}"
        case SemanticBand.RISK:
            return f"{tokens:,} tokens: above the risk line of {limits.risk:,}; consider sharding"
        case SemanticBand.BLOCKED:
            return f"{tokens:,} tokens: above the hard limit of {limits.hard:,}; appends are blocked"
