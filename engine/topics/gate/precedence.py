"""Chooses the rule that decides a candidate (decision D17, autopoiesis §5.4): disabled, manual, auto and critical with
a Tier 1 match, then the table. Without a Tier 1 match only a `similarity_only` topic is activated. Figures are on the
table's scale; limits use `>=`."""

from engine.topics.decision import GateRule
from engine.topics.topic import Activation, Priority, Topic

HIGH_SURE = 0.3  # score from which a topic of high priority needs no gate (autopoiesis §5.4)
MEDIUM_FLOOR = 0.2  # score below which a topic of medium priority is dropped without the gate (autopoiesis §5.4)
LOW_FLOOR = 0.3  # score below which a topic of low priority is dropped without the gate (autopoiesis §5.4)

ACTIVATES = frozenset({GateRule.AUTO, GateRule.CRITICAL, GateRule.HIGH_SURE})
"""Rules that activate a topic without the gate."""
ASKS = frozenset({GateRule.CRITICAL_GATE, GateRule.HIGH_GATE, GateRule.MEDIUM_GATE, GateRule.LOW_GATE})
"""Rules that ask the gate."""


def is_candidate(topic: Topic, *, tier1: bool, score: float) -> bool:
    """Tells whether a topic is compared further (decisions D17, D18)."""
    return tier1 or (topic.similarity_only and score >= threshold(topic))


def is_open(topic: Topic, *, tier1: bool) -> bool:
    """Tells whether the score decides a candidate, and no earlier rule does."""
    before = (topic.activation is Activation.AUTO or topic.priority is Priority.CRITICAL) and tier1
    return topic.enabled and topic.activation is not Activation.MANUAL and not before


def threshold(topic: Topic) -> float:
    """Returns the least score of a candidate without a Tier 1 match (autopoiesis §4.4)."""
    return Topic.DEFAULT_THRESHOLD if topic.similarity_threshold is None else topic.similarity_threshold


def rule_for(topic: Topic, *, tier1: bool, score: float) -> GateRule:
    """Returns the rule for a candidate. `score`: Tier 2's figure; the topic's own threshold is its floor."""
    # In the order of decision D17, which is that of the rules in the log: the first that fits is the one named.
    if not topic.enabled:
        return GateRule.DISABLED
    if topic.activation is Activation.MANUAL:
        return GateRule.MANUAL
    if topic.activation is Activation.AUTO and tier1:
        return GateRule.AUTO
    if topic.priority is Priority.CRITICAL and tier1:
        return GateRule.CRITICAL
    # Before the table, whose figures are for topics that name none of their own.
    if topic.similarity_threshold is not None and score < topic.similarity_threshold:
        return GateRule.BELOW_THRESHOLD
    return _table(topic.priority, score)


def _table(priority: Priority, score: float) -> GateRule:
    match priority:
        case Priority.CRITICAL:
            return GateRule.CRITICAL_GATE
        case Priority.HIGH:
            return GateRule.HIGH_SURE if score >= HIGH_SURE else GateRule.HIGH_GATE
        case Priority.MEDIUM:
            return GateRule.MEDIUM_GATE if score >= MEDIUM_FLOOR else GateRule.MEDIUM_DROP
        case Priority.LOW:
            return GateRule.LOW_GATE if score >= LOW_FLOOR else GateRule.LOW_DROP
