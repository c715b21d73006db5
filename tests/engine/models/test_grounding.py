"""Grounding: each kind of invention by itself, and the labelled set with its unseen half."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.evidence import ungrounded
from tests.engine.models.grounding_cases import HELD_OUT, grounding_cases

CASES = grounding_cases()


def test_the_set_has_two_hundred_inventions_and_a_hundred_faithful_sentences() -> None:
    assert sum(not case.held for case in CASES) == 200 and sum(case.held for case in CASES) == 100
    assert len({(case.lines, case.sentence) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("unseen", [False, True], ids=["seen", "unseen"])
def test_inventions_are_refused_and_faithful_sentences_are_not(unseen: bool) -> None:
    half = [case for case in CASES if (case.source >= HELD_OUT) == unseen]
    invented = [case for case in half if not case.held]
    faithful = [case for case in half if case.held]
    missed = [case.sentence for case in invented if not ungrounded(case.sentence, case.lines)]
    refused = [case.sentence for case in faithful if ungrounded(case.sentence, case.lines)]
    assert len(missed) <= 0.05 * len(invented), missed
    assert len(refused) <= 0.02 * len(faithful), refused


@pytest.mark.parametrize(
    ("sentence", "source", "what"),
    [
        ("The limit is 512 GB.", "limit: 512 MB", "a number"),
        ("It takes three days.", "it takes 4 days", "a number"),
        ("It costs 1,200 euros.", "It costs 1200 euros.", ""),
        ("The call is on 16 March.", "the call is on 2026-03-15", "a date"),
        ("The call is on March 15th.", "the call is on 2026-03-15", ""),
        ("The call is on 15.03.2026.", "the call is on 15 March", ""),
        ("The call goes to Ben.", "the call goes to Ana", "a name"),
        ("See load_all.", "see load_one", "a name"),
        ('She said "never again".', "She said: not now", "quoted words"),
        ("We do not deploy.", "we deploy", "a denial"),
        ("We do not deploy on Fridays.", "We deploy on Fridays. We do not rest.", "a denial"),
        ("We deploy on Fridays.", "We deploy on Fridays. We do not rest.", ""),
        ("It is deployed.", "the deployment", ""),
        ("It allows 9 per hour.", "it allows 9 per minute", "a unit"),
        ("It is reckoned per hour.", "it is reckoned per minute", "a unit"),
        ("The garden needs water and fresh soil.", "the garden needs water", "words of its own"),
        ("", "anything", ""),
    ],
)
def test_what_the_lines_do_not_hold_is_named_by_its_kind(sentence: str, source: str, what: str) -> None:
    assert ungrounded(sentence, [source]) == what


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=120))
def test_any_text_is_judged_and_a_plain_line_holds_itself(text: str) -> None:
    assert isinstance(ungrounded(text, ["we met Ana"]), str)
    line = " ".join(word for word in text.split() if word.isascii() and word.isalpha())
    assert ungrounded(line, [line]) == ""
