"""Any string is a query: no exception, no injection, no operator that was not asked for (decision D10)."""

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.search.query import MOST_CHARACTERS, MOST_TERMS, question
from engine.search.values import SearchRequest
from tests.engine.search.place import HashEmbedder, MakePlace, SearchPlace
from tests.turn import TURN, examples

HOSTILE = (
    '"', '""', '"""', "'", "';--", "*", "a*", "NEAR(a b)", "a AND", "OR", "NOT", "title:", "title : a", "{title}: a",
    "^a", "a + b", "(", "((((", ")", "\\", "\0", "a\0b", "\ud800", "%s%n", "${x}", "`id`", "-", "--", "+", "+-",
    '-"a"', "words MATCH 'a'", "1; DROP TABLE words", "\x1b[2J", "[@click=app.quit]x", "\u202e", "🚀" * 50, "的",
    "了的", "\n\n", "a" * 10_000, "a " * 5_000, "'" * 500, '"a" "b', "“", "。", "집", "ﷺ", "İ", "ß", "ﬀ", "\u0301",
    "a\u0301" * 90, "C++ C#", "rank MATCH 'x'", "bm25(0)", '"" OR 1=1', "x'00'", "?1", ":a", "@a", "#a",
)  # fmt: skip
WORDS = ("AND ", "OR ", "NOT ", "NEAR", "学", "집", "\0", "\ud800", "é", "🚀", "zebra", "C++")
PIECES = (*string.printable, *'"*():^{}+-', *WORDS)


@pytest.fixture
def place(make_place: MakePlace) -> SearchPlace:
    made = make_place(HashEmbedder())
    made.write("knowledge/reference/a.md", "# Zebra\n\nzebra C++ 学习 집 rate-limiting Straße\n")
    made.write("memory/2026-01-01.md", "Haustürschlüssel und die Datenbank ist nicht da, und der Zebra auch nicht\n")
    made.update()
    return made


@pytest.mark.parametrize("operators", [False, True])
def test_d10_hostile_queries_are_text(place: SearchPlace, operators: bool) -> None:
    for query in HOSTILE:
        answer = place.search(query, operators=operators)
        assert not any("memory.db" in remark for remark in answer.degraded), query
    assert place.paths("zebra") != []


@pytest.mark.sampled(1)
def test_d10_thousands_of_random_queries_raise_nothing(place: SearchPlace) -> None:
    chance = random.Random(TURN)
    snapshot = place.snapshot()
    for number in range(examples(3_000)):
        query = "".join(chance.choices(PIECES, k=chance.randrange(1, 40)))
        request = SearchRequest(text=query, operators=bool(number % 2), seconds=None)
        assert place.searcher.search(request, snapshot).degraded == (), repr(query)


@pytest.mark.soak
@pytest.mark.timeout(3_600)
def test_d10_a_hundred_thousand_random_queries_raise_nothing(place: SearchPlace) -> None:
    chance = random.Random(2)
    snapshot = place.snapshot()
    for number in range(100_000):
        query = "".join(chance.choices(PIECES, k=chance.randrange(1, 60)))
        request = SearchRequest(text=query, operators=bool(number % 2), seconds=None)
        assert place.searcher.search(request, snapshot).degraded == (), repr(query)


@settings(max_examples=examples(300))
@given(st.text(max_size=300), st.booleans())
def test_d10_every_word_of_any_query_is_quoted(text: str, operators: bool) -> None:
    asked = question(text, operators=operators)
    for term in (*asked.all_terms, *asked.required, *asked.excluded):
        for form in term.forms:
            assert form and all(word and '"' not in word and "\0" not in word for word in form)


def test_a_query_of_common_words_alone_still_asks_for_them() -> None:
    assert {term.literal for term in question("who is it").terms} == {"who", "is", "it"}
    assert {term.literal for term in question("who is the zebra").terms} == {"zebra"}


def test_a_pasted_page_is_cut_to_its_rarest_words(place: SearchPlace) -> None:
    page = " ".join(f"word{number}" for number in range(2_000)) + " zebra"
    assert len(question(page).text) <= MOST_CHARACTERS
    assert len(question("a1 b2 " * 3_000).terms) <= 3
    assert place.paths("zebra " + page[:3_000]) and MOST_TERMS < 100


def test_quoted_words_are_wanted_in_a_row() -> None:
    asked = question('the "rate limiting" and “图书馆学习” here')
    assert [term.literal for term in asked.phrases] == ["rate limiting", "图书馆学习"]
    assert ("rate", "limit") in asked.phrases[0].forms
    assert asked.phrases[1].forms[0][-1] == "学习"


def test_operators_are_read_only_when_asked_for() -> None:
    asked = question("+must -not pre*", operators=True)
    assert [term.literal for term in asked.required] == ["must"]
    assert [term.literal for term in asked.excluded] == ["not"]
    assert [term.prefix for term in asked.terms if term.literal == "pre"] == [True]
    plain = question("+must -zebra pre*")
    assert not plain.required and not plain.excluded and not any(term.prefix for term in plain.terms)
