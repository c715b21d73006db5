"""The judged sets are what their page says: numbers, languages, and labels that stand in the texts."""

from collections import Counter

import pytest

from tests.benchmarks.corpora.judged import Item, Part, items
from tests.benchmarks.corpora.judged.work_sessions import SIZES, work_session

PARTS: tuple[Part, Part] = ("choose", "held")
NAMES = ("supersession", "hard_negatives", "statements", "harness", "flush")
SECOND = ("statements2", "hard_negatives2", "supersession2")
KINDS = {"decision", "lesson", "fact", "preference", "correction", "procedure", "person", "journal"}


@pytest.mark.parametrize("name", NAMES)
def test_every_item_has_an_id_of_its_own_and_no_text_stands_in_both_parts(name: str) -> None:
    both = [items(part, name) for part in PARTS]
    ids = [one["id"] for every in both for one in every]
    assert len(ids) == len(set(ids))
    assert not {said(one) for one in both[0]} & {said(one) for one in both[1]}


@pytest.mark.parametrize("name", SECOND)
def test_the_second_author_repeats_no_id_and_no_text_of_the_first(name: str) -> None:
    mine, others = items("choose", name), [one for part in PARTS for one in items(part, name.removesuffix("2"))]
    assert all(one["author"] == "second" for one in mine)
    assert len({one["id"] for one in (*mine, *others)}) == len(mine) + len(others)
    assert len({said(one) for one in mine}) == len(mine)
    assert not {said(one) for one in mine} & {said(one) for one in others}


def said(one: Item) -> str:
    return str(one.get("turns") or (one.get("earlier"), one.get("later"), one.get("text"), one.get("origin")))


def test_a_hundred_held_pairs_replace_in_three_languages_half_of_them_with_a_reason() -> None:
    held = items("held", "supersession")
    replaced = [one for one in held if one["relation"] in ("replaces", "withdraws", "back")]
    assert len(replaced) >= 100
    assert len(set(Counter(one["lang"] for one in replaced).values())) == 1
    assert sum(one["reason"] for one in held) * 2 == len(held)


@pytest.mark.parametrize(("part", "name"), [*((part, "supersession") for part in PARTS), ("choose", "supersession2")])
def test_what_holds_after_a_pair_stands_in_one_of_its_statements(part: Part, name: str) -> None:
    for one in items(part, name):
        values = list(filter(None, one["holds"].split("; ")))
        assert all(value in one["earlier"] or value in one["later"] for value in values), one["id"]
        assert bool(values) == bool(one["stands"]) == (one["relation"] != "withdraws"), one["id"]


@pytest.mark.parametrize(("part", "name"), [*((part, "statements") for part in PARTS), ("choose", "statements2")])
def test_each_quote_stands_in_a_turn_of_the_one_who_says_it(part: Part, name: str) -> None:
    for one in items(part, name):
        for entry in one["entries"]:
            role = "agent" if entry["grade"] == "confirmed" else "user"
            assert any(entry["quote"] in turn["text"] for turn in one["turns"] if turn["role"] == role), one["id"]
            assert {entry["kind"], *entry.get("or", ())} <= KINDS


def test_half_of_the_second_authors_turns_hold_something_in_each_language_and_a_fifth_answer_a_proposal() -> None:
    second = items("choose", "statements2")
    held = Counter((one["lang"], bool(one["entries"])) for one in second)
    for lang in ("en", "de", "fr", "es", "pt", "it", "zh", "ja", "ru"):
        assert abs(held[lang, True] - held[lang, False]) <= 12 and held[lang, True] + held[lang, False] >= 40, lang
    grades = Counter(entry["grade"] for one in second for entry in one["entries"])
    assert grades["confirmed"] >= 45
    answered = [one for one in second if one["turns"][0]["role"] == "agent"]
    assert sum(not one["entries"] for one in answered) >= 45 and len(answered) * 5 >= len(second)


def test_the_second_authors_pairs_are_as_many_in_three_languages_and_half_carry_a_reason() -> None:
    second = items("choose", "supersession2")
    replaced = [one for one in second if one["relation"] in ("replaces", "withdraws", "back")]
    assert Counter(one["lang"] for one in replaced) == {"en": 48, "de": 48, "zh": 48, "fr": 10, "es": 10}
    assert len(second) - len(replaced) >= 45
    assert abs(sum(one["reason"] for one in replaced) * 2 - len(replaced)) <= 10


def test_the_second_authors_hard_negatives_have_each_kind_of_the_first_in_three_languages_or_more() -> None:
    second = items("choose", "hard_negatives2")
    kinds = {one["kind"] for one in items("choose", "hard_negatives")}
    assert len(second) >= 150 and all(one["why"] for one in second)
    assert {one["kind"] for one in second} == kinds
    assert all(len({one["lang"] for one in second if one["kind"] == kind}) >= 3 for kind in kinds)


@pytest.mark.parametrize("part", PARTS)
def test_the_words_of_a_person_stand_in_the_text_of_the_harness(part: Part) -> None:
    every = items(part, "harness")
    assert len(every) == 100 and sum(one["right"] == "person" for one in every) >= 15
    for one in every:
        assert (one["right"] == "stripped") == ("person_text" in one) and one.get("person_text", "") in one["text"]


@pytest.mark.parametrize("number", range(len(SIZES)))
@pytest.mark.parametrize("part", PARTS)
def test_a_work_session_is_the_same_each_time_and_says_each_statement_once(part: Part, number: int) -> None:
    made = work_session(part, number)
    assert made == work_session(part, number) and made.turns == SIZES[number]
    assert all(made.text.count(one["key"]) == 1 for one in made.must)
