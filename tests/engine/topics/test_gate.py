"""The gate's precedence and table, cell by cell at its boundaries (decisions D17, D18, D37; autopoiesis §5.4)."""

from datetime import UTC, datetime
from itertools import product

import pytest

from engine.topics.decision import GateAnswer, GateRule
from engine.topics.gate.precedence import ACTIVATES, ASKS, is_candidate, rule_for
from engine.topics.topic import Activation, PatternTrigger, Priority, Topic
from tests.engine.topics.building import SayingGate, matcher, said, topic

NOW = datetime(2026, 3, 15, tzinfo=UTC)
BELOW_2, AT_2, BELOW_3, AT_3 = 0.199999, 0.2, 0.299999, 0.3
CELLS = [
    (Priority.CRITICAL, 0.0, GateRule.CRITICAL),
    (Priority.CRITICAL, 1.0, GateRule.CRITICAL),
    (Priority.HIGH, AT_3, GateRule.HIGH_SURE),
    (Priority.HIGH, 1.0, GateRule.HIGH_SURE),
    (Priority.HIGH, BELOW_3, GateRule.HIGH_GATE),
    (Priority.HIGH, 0.0, GateRule.HIGH_GATE),
    (Priority.MEDIUM, AT_2, GateRule.MEDIUM_GATE),
    (Priority.MEDIUM, 1.0, GateRule.MEDIUM_GATE),
    (Priority.MEDIUM, BELOW_2, GateRule.MEDIUM_DROP),
    (Priority.MEDIUM, 0.0, GateRule.MEDIUM_DROP),
    (Priority.LOW, AT_3, GateRule.LOW_GATE),
    (Priority.LOW, 1.0, GateRule.LOW_GATE),
    (Priority.LOW, BELOW_3, GateRule.LOW_DROP),
    (Priority.LOW, AT_2, GateRule.LOW_DROP),
    (Priority.LOW, 0.0, GateRule.LOW_DROP),
]


@pytest.mark.parametrize(("priority", "score", "rule"), CELLS)
def test_d17_each_cell_of_the_table(priority: Priority, score: float, rule: GateRule) -> None:
    assert rule_for(topic(priority=priority), tier1=True, score=score) is rule


@pytest.mark.parametrize(("priority", "score"), list(product(Priority, (0.0, AT_2, AT_3, 1.0))))
def test_d17_what_comes_before_the_table(priority: Priority, score: float) -> None:
    off = topic(priority=priority, enabled=False, activation=Activation.AUTO)
    assert rule_for(off, tier1=True, score=score) is GateRule.DISABLED
    manual = topic(priority=priority, activation=Activation.MANUAL)
    assert rule_for(manual, tier1=True, score=score) is GateRule.MANUAL
    auto = topic(priority=priority, activation=Activation.AUTO)
    assert rule_for(auto, tier1=True, score=score) is GateRule.AUTO


def test_d17_critical_skips_the_gate_with_a_tier_1_match_alone() -> None:
    alone = topic(priority=Priority.CRITICAL, similarity_only=True)
    assert rule_for(alone, tier1=False, score=1.0) is GateRule.CRITICAL_GATE


@pytest.mark.parametrize(("priority", "score", "rule"), CELLS)
def test_d37_auto_by_similarity_alone_is_decided_by_the_table(priority: Priority, score: float, rule: GateRule) -> None:
    alone = topic(priority=priority, similarity_only=True, activation=Activation.AUTO)
    wanted = GateRule.CRITICAL_GATE if priority is Priority.CRITICAL else rule
    assert rule_for(alone, tier1=False, score=score) is wanted


def test_a_topics_own_threshold_is_a_floor_to_the_table_and_never_lowers_it() -> None:
    strict = topic(priority=Priority.HIGH, similarity_threshold=0.5)
    assert rule_for(strict, tier1=True, score=0.49) is GateRule.BELOW_THRESHOLD
    assert rule_for(strict, tier1=True, score=0.5) is GateRule.HIGH_SURE
    lax = topic(priority=Priority.MEDIUM, similarity_threshold=0.05)
    assert rule_for(lax, tier1=True, score=BELOW_2) is GateRule.MEDIUM_DROP
    for before in (Activation.AUTO, Activation.MANUAL):
        early = topic(activation=before, similarity_threshold=0.9)
        assert rule_for(early, tier1=True, score=0.0) is not GateRule.BELOW_THRESHOLD


def test_d18_without_a_tier_1_match_only_similarity_only_topics_are_candidates() -> None:
    assert not is_candidate(topic(), tier1=False, score=1.0)
    assert is_candidate(topic(), tier1=True, score=0.0)
    alone = topic(similarity_only=True)
    assert is_candidate(alone, tier1=False, score=Topic.DEFAULT_THRESHOLD)
    assert not is_candidate(alone, tier1=False, score=0.149999)
    assert is_candidate(topic(similarity_only=True, similarity_threshold=0.4), tier1=False, score=0.4)
    assert not is_candidate(topic(similarity_only=True, similarity_threshold=0.4), tier1=False, score=0.39)


def test_no_rule_both_activates_and_asks() -> None:
    assert not ACTIVATES & ASKS
    quiet = {
        GateRule.DISABLED,
        GateRule.MANUAL,
        GateRule.MEDIUM_DROP,
        GateRule.LOW_DROP,
        GateRule.BELOW_THRESHOLD,
        GateRule.GATE_FAILED,
    }
    assert set(GateRule) - ACTIVATES - ASKS == quiet


@pytest.mark.parametrize("activation", list(Activation))
@pytest.mark.parametrize("priority", list(Priority))
@pytest.mark.parametrize("yes", [True, False])
def test_every_decision_names_its_rule_and_does_what_it_says(
    activation: Activation, priority: Priority, yes: bool
) -> None:
    one = topic("one", PatternTrigger(match="zebra"), text="zebra lake", activation=activation, priority=priority)
    gate = SayingGate(yes)
    found = matcher([one], gate).match(said("a zebra"), NOW)
    (decision,) = found.decisions
    assert decision.rule is rule_for(one, tier1=True, score=decision.score or 0.0)
    assert bool(gate.asked) == (decision.rule in ASKS) == (decision.gate is not GateAnswer.NONE)
    assert decision.activated == (decision.rule in ACTIVATES or (decision.rule in ASKS and yes))
    assert found.active == (("one",) if decision.activated else ())
