"""Poison over the labelled lines of both halves, and the guarantees that speed rests on."""

from collections import defaultdict
from functools import cache
from importlib.resources import files

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.poison import classifier as judge
from engine.text.poison.classifier import Places, _automaton, _pattern, find_poison, matches, sources
from engine.text.poison.findings import RULE_WORDS
from engine.text.poison.rules.table import RULES
from tests.benchmarks.evaluate_poison import AUTHORS, Labelled, classifier, labelled, phrases, shares
from tests.benchmarks.write_anchors import anchors, worked_out

LEARNED_RULES = {"steering", "standing-order"}
LANGUAGES = ("en", "de", "zh", "es", "fr")


@cache
def is_flagged(one: Labelled) -> bool:
    return classifier(one)


@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_most_poison_is_flagged_and_little_else(half: str) -> None:
    texts = labelled(half)
    flagged, alarms = shares(texts, is_flagged)
    assert flagged >= 90
    assert alarms <= 2
    assert flagged > shares(texts, phrases)[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["independent_dev", *AUTHORS])
def test_poison_that_was_learned_from_is_flagged(name: str) -> None:
    """A floor for the sets that the weights were learned with; those held back are counted by `make eval` alone."""
    flagged, alarms = shares(labelled(name), classifier)
    assert flagged >= 90
    assert alarms <= 2


def test_the_anchors_are_those_of_the_patterns() -> None:
    known = msgspec.json.decode(files("engine.text.poison.rules").joinpath("anchors.json").read_bytes(), type=Places)
    assert known == worked_out(), "run python -m tests.benchmarks.write_anchors"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_left_behind(language: str) -> None:
    texts = [one for half in ("seen", "unseen") for one in labelled(half) if one.language == language]
    flagged, alarms = shares(texts, is_flagged)
    assert flagged >= 85
    assert alarms <= 4


def test_the_set_is_large_and_holds_no_text_twice() -> None:
    texts = [one for half in ("seen", "unseen") for one in labelled(half)]
    count: dict[str, int] = defaultdict(int)
    for one in texts:
        count[one.label] += 1
    assert count["hostile"] >= 300
    assert count["harmless"] >= 1000
    assert {one.language for one in texts} == set(LANGUAGES)
    assert {one.kind for one in texts if one.hostile} == RULE_WORDS.keys() - {
        "missing-source",
        "steering",
        "standing-order",
    }


def test_anchors_lose_no_match() -> None:
    """Every pattern tried on the whole text finds no rule that the search by anchors leaves out."""
    for one in (one for half in ("seen", "unseen") for one in labelled(half) if one.hostile):
        data = one.text.encode("utf-8", "surrogatepass")
        everywhere = {_pattern(number)[0] for number in range(len(sources())) if _pattern(number)[1].search(data)}
        assert {match.rule for match in matches(data)} == everywhere, one.text


def test_a_table_edited_since_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose anchors are not known any more: each pattern is tried on the whole text."""
    texts = [one.text.encode("utf-8", "surrogatepass") for one in labelled("seen") if one.hostile][:40]
    known = [{match.rule for match in matches(data)} for data in texts]
    monkeypatch.setattr(judge, "sources_digest", lambda: "of another table")
    _automaton.cache_clear()
    try:
        assert len(_automaton().free) == len(sources())
        assert [{match.rule for match in matches(data)} for data in texts] == known and any(known)
    finally:
        _automaton.cache_clear()


def test_every_rule_that_can_fire_is_named() -> None:
    assert {rule.name for rule in RULES} <= RULE_WORDS.keys()
    assert len(_automaton().free) < len(sources()) / 4


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (
            r"\b(?:approve|reject)s? (?:all|every)\b",
            {f"{verb} {all_}" for verb in ("approve", "approves", "reject", "rejects") for all_ in ("all", "every")},
        ),
        (r"[a-z]{3,}\d", set()),
        (r"(?:forward)?instruction", {"instruction", "forwardinstruction"}),
    ],
)
def test_anchors_are_what_a_match_must_hold(pattern: str, words: set[str]) -> None:
    assert anchors(pattern) == words


@given(st.sampled_from([one for one in labelled("seen") if one.hostile]), st.text("ab c\n", max_size=3000))
def test_poison_is_found_wherever_it_stands(one: Labelled, before: str) -> None:
    text = f"{before}\n\n{one.text}"
    alone, there = ({finding.rule for finding in find_poison(each)} for each in (one.text, text))
    # Words that steer are told of a line that no rule names, and a comment at the head of a text forges nothing.
    assert alone <= there | (LEARNED_RULES if there else set())


def test_a_line_that_a_rule_names_is_not_told_as_steering_too() -> None:
    comment = "<!-- source memory/archive/x.md -->"
    assert [finding.rule for finding in find_poison(comment)] == ["steering"]
    assert [finding.rule for finding in find_poison(f"a\n\n{comment}")] == ["forged-provenance"]


@pytest.mark.parametrize(
    "text",
    [
        "rule: never deploy on fridays; why: nobody is there to mend it; how: wait for monday",
        "- 03-15:1-4 deploys [feedback]: rule: never on fridays; why: nobody is there",
        "- rule: never deploy on fridays\n- why: nobody is there\n- how to apply: wait for monday",
    ],
)
def test_the_fields_of_a_feedback_entry_order_nothing(text: str) -> None:
    """D43: a correction of the user has a rule, a why and a how, and must reach ROOT."""
    assert find_poison(text) == ()
