"""Sentences taken once each, and what speaks for and against one."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from engine.models import facts, selection, sentence_weights
from engine.models.owners import size
from engine.models.selection import Taken, says_the_same
from engine.models.sentence_candidates import ReadNote, SentenceCandidate
from engine.models.sentence_weights import weights_of
from engine.text.canonical_json import sha256_hex

MEASURED = {"sentence_weights": "fe57000ee044", "facts": "940f13624f27", "selection": "17d92501002f"}
"""Digests of the weights of which docs/quality.md gives the figures."""
TEXTS = [
    "The broker ran out of disk on Tuesday morning.",
    "The broker ran out of disk on Tuesday evening.",
    "Marta cleaned the kitchen and made soup for everybody.",
    "A new train to Bonn runs every hour from May.",
]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The queue is full.", "The queue is full!", True),
        ("Deployed 1.2.3 to staging.", "Deployed 1.2.4 to staging.", True),
        ("The queue is full.", "The cellar is dark.", False),
        ("修复了登录问题。", "重启了搜索服务。", False),
        ("今天修复了图书馆登录页面的问题。", "今天修复了图书馆登录页面的问题！", True),
        ("the red door is shut, all lamps are lit", "all lamps are lit, the red door is shut", False),
        ("a", "a", True),
        ("a", "b", False),
    ],
)
def test_texts_that_share_their_pairs_say_the_same(one: str, other: str, same: bool) -> None:
    assert says_the_same(one, other) is same
    assert says_the_same(other, one) is same


def test_what_is_taken_is_taken_once() -> None:
    taken = Taken()
    assert taken.take(0, TEXTS[0])
    assert not taken.take(0, TEXTS[0])
    assert not taken.take(1, TEXTS[1])
    assert taken.take_best([0, 1, 2, 3], TEXTS, 1) == [2]
    assert taken.rows == {0, 2}


def test_a_sentence_with_its_halves_exchanged_is_another() -> None:
    taken = Taken()
    assert taken.take(0, "the red door is shut, all lamps are lit")
    assert taken.take(1, "all lamps are lit, the red door is shut")


def test_what_speaks_against_a_sentence_counts_beside_all_that_speaks_for_it() -> None:
    """A question, an exact value or a quote weighs otherwise in every role, by the same share."""
    plain = SentenceCandidate("The broker is full.", 1, 1, True, "", "paragraph", "", False, False, frozenset())
    decided = replace(plain, role="decision")
    changes: list[dict[str, Any]] = [{"question": True}, {"exact": True}, {"kind": "quote"}]
    for change in (*changes, {"cues": frozenset({"plan"})}, {"speaker": "user"}):
        first, second = (_weight(replace(one, **change)) / _weight(one) for one in (plain, decided))
        assert first == pytest.approx(second) != pytest.approx(1.0), change


def _weight(candidate: SentenceCandidate) -> float:
    return weights_of(ReadNote("en", [candidate], Counter()))[0]


def test_the_weights_are_those_that_the_figures_were_measured_with() -> None:
    """They were chosen on one half of strangers' days and judged on the other: no text of ours tells a better one."""
    measured = {}
    for module in (sentence_weights, facts, selection):
        tables = {name: value for name, value in vars(module).items() if isinstance(value, dict | float | int | tuple)}
        chosen = {name: value for name, value in tables.items() if name.lstrip("_").isupper()}
        measured[module.__name__.rpartition(".")[2]] = sha256_hex(repr(sorted(chosen.items())).encode())[:12]
    hint = "`make eval` with the new weights, write what it says into docs/quality.md, then the new digest here"
    assert measured == MEASURED, hint


def test_a_sentence_weighs_less_the_later_it_stands() -> None:
    plain = SentenceCandidate("The broker is full.", 1, 1, True, "", "paragraph", "", False, False, frozenset())
    first, second = weights_of(ReadNote("en", [plain, plain], Counter()))
    assert first / second == pytest.approx(1.4 / 1.2)


def test_only_what_states_something_by_itself_may_be_a_fact() -> None:
    plain = SentenceCandidate("I moved to Bonn in 2019.", 1, 1, True, "", "paragraph", "", False, False, frozenset())
    weight = facts.fact_weight_of
    assert weight(replace(plain, speaker="user")) > weight(plain) > 0
    others: list[dict[str, Any]] = [{"question": True}, {"kind": "heading"}, {"kind": "row"}, {"speaker": "assistant"}]
    assert [weight(replace(plain, **other)) for other in (*others, {"text": f"{plain.text}; {plain.text}"})] == [0] * 5


def test_a_character_of_a_script_without_blanks_counts_twice() -> None:
    assert [size(text) for text in ("", "Bonn", "Köln", "日本", "in 日本")] == [0, 4, 4, 4, 7]
