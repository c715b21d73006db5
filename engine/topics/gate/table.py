"""Tier 3's table: which rule decides about a candidate (decision D17, autopoiesis §5.4).

disabled → manual → auto → critical with a Tier 1 match → the table. No Tier 1 match, no activation, unless the topic is
`similarity_only`. The figures are on the table's scale; `>=` throughout.
"""

from typing import assert_never

from engine.topics.outcome import Rule
from engine.topics.topic import Activation, Priority, Topic

HIGH_SURE = 0.3
MEDIUM_FLOOR = 0.2
LOW_FLOOR = 0.3

ACTIVATES = frozenset({Rule.AUTO, Rule.CRITICAL, Rule.HIGH_SURE})
"""Rules that make a topic active without the gate."""
ASKS = frozenset({Rule.CRITICAL_GATE, Rule.HIGH_GATE, Rule.MEDIUM_GATE, Rule.LOW_GATE})
"""Rules that ask the gate."""


def is_candidate(topic: Topic, *, tier1: bool, score: float) -> bool:
    """Whether a topic is looked at more closely (decisions D17, D18)."""
    return tier1 or (topic.similarity_only and score >= threshold(topic))


def threshold(topic: Topic) -> float:
    """The least score by which a topic without a Tier 1 match becomes a candidate (autopoiesis §4.4)."""
    return Topic.DEFAULT_THRESHOLD if topic.similarity_threshold is None else topic.similarity_threshold


def rule_for(topic: Topic, *, tier1: bool, score: float) -> Rule:
    """The rule for a candidate. `score` is Tier 2's figure; a threshold that the topic itself names is its floor."""
    if not topic.enabled:
        return Rule.DISABLED
    if topic.activation is Activation.MANUAL:
        return Rule.MANUAL
    if topic.activation is Activation.AUTO:
        return Rule.AUTO
    if topic.priority is Priority.CRITICAL and tier1:
        return Rule.CRITICAL
    if topic.similarity_threshold is not None and score < topic.similarity_threshold:
        return Rule.BELOW_THRESHOLD
    return _table(topic.priority, score)


def _table(priority: Priority, score: float) -> Rule:
    match priority:
        case Priority.CRITICAL:
            return Rule.CRITICAL_GATE
        case Priority.HIGH:
            return Rule.HIGH_SURE if score >= HIGH_SURE else Rule.HIGH_GATE
        case Priority.MEDIUM:
            return Rule.MEDIUM_GATE if score >= MEDIUM_FLOOR else Rule.MEDIUM_DROP
        case Priority.LOW:
            return Rule.LOW_GATE if score >= LOW_FLOOR else Rule.LOW_DROP
        case other:
            assert_never(other)
