"""Facts about a person and the world: what counts as one, and what comes off around it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import facts
from engine.models.facts import LEAST, MOST_FACTS, fact_count, fact_text, fact_weight
from tests.engine.models.notes import summarise

PARTS = (
    *(
        "I",
        "i'm",
        "I've been",
        "İ",
        "ı",
        "planning",
        "reading",
        "currently",
        "my",
        "We",
        "moved",
        "favourite",
        "called",
    ),
    *("you", "please", "never", "5", "٣", "words", "flight", ".", ",", "ich", "möchte", "j'ai", "mis", "amigos", "son"),
    *("我", "喜欢", "每天", "私は", "毎朝", "ます。", "저는", "매일", "다", "ſister", "Dr", "sister", "—", "the"),
)


@pytest.mark.parametrize(
    "sentence",
    [
        "I graduated with a degree in Business Administration.",
        "By the way, I upgraded to 500 Mbps about three weeks ago.",
        "My sister Clara is allergic to peanuts.",
        "I prefer short answers without bullet points, at most 3 lines.",
        "My dentist appointment was moved to 14 March.",
        "Ich wohne seit drei Jahren in Köln.",
        "J'ai acheté deux billets pour Lyon.",
        "Vivo en Sevilla desde 2019.",
        "我在上海工作了三年。",
    ],
)
def test_what_somebody_states_is_a_fact(sentence: str) -> None:
    assert fact_weight(sentence) >= LEAST


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm thinking of visiting Denver soon.",
        "That sounds like a great idea.",
        "I'll check out the Denver Philharmonic and the other 3 you recommended, thanks.",
        "The weather was good.",
    ],
)
def test_wishes_plans_and_talk_are_none(sentence: str) -> None:
    assert fact_weight(sentence) < LEAST


def test_lead_in_and_the_wish_behind_come_off() -> None:
    said = "By the way, I set up my new 55-inch TV on Saturday, and I was wondering if you know how to hide the cables."
    assert fact_text(said) == "I set up my new 55-inch TV on Saturday"
    assert fact_text("No dogs are allowed in the flat.") == "No dogs are allowed in the flat."


def test_the_users_words_are_kept_and_the_assistants_are_not() -> None:
    talk = "".join(f"user: What about number {n}?\nassistant: I have 3 dogs called Rex{n}.\n" for n in range(12))
    summary = summarise(f"{talk}user: I adopted 2 cats called Mia and Leo.\nuser: My flat has 4 rooms and costs 900.\n")
    said = " ".join(point.text for point in (*summary.facts, *summary.events))
    assert "Mia and Leo" in said
    assert not any("Rex" in point.text for point in summary.facts)


def test_facts_never_repeat_a_point_that_stands_above() -> None:
    bought = ("a lamp in Bonn", "two chairs", "the blue car of Ana", "4 tickets to Lyon", "a house near Ulm", "a piano")
    deeds = ("sold", "painted", "bought", "repaired", "lost")
    lines = "".join(f"- I {deed} {thing} on {day} May.\n" for day, deed in enumerate(deeds, 3) for thing in bought)
    summary = summarise(lines)
    above = {point.start for part in (summary.events, summary.decisions, summary.insights) for point in part}
    assert summary.facts
    assert not above & {point.start for point in summary.facts}


@given(st.integers(0, 100_000))
def test_a_longer_note_has_no_fewer_facts_and_never_more_than_the_most(sentences: int) -> None:
    assert 0 <= fact_count(sentences) <= fact_count(sentences + 1) <= MOST_FACTS


@given(st.text(max_size=300))
def test_any_text_has_a_weight_and_a_text(text: str) -> None:
    assert fact_weight(text) >= 0
    assert fact_text(text) or not text


def test_a_fact_of_22_words_weighs_and_one_word_more_takes_most_of_it_away() -> None:
    said = ["I", "bought", "4", "lamps", "for", "my", "sister", "Clara", "in", "Bonn", "on", "Monday"]
    weights = [fact_weight(" ".join([*said, *["indeed"] * (words - len(said))]) + ".") for words in (21, 22, 23, 24)]
    falls = [later / earlier for earlier, later in pairwise(weights)]
    assert falls[0] > 0.9 and falls[2] > 0.9
    assert 0.2 < falls[1] < 0.35


@given(st.lists(st.sampled_from(PARTS), max_size=12).map(" ".join))
def test_what_a_pattern_finds_the_filter_never_misses(sentence: str) -> None:
    found = {name for name in (*facts._STATED, *facts._VAGUE) if facts._form(name).search(sentence)}
    assert found <= facts._possible_forms(sentence)
