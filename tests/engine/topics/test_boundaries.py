r"""Word boundaries: Unicode at a pattern's edges, ASCII inside (decision D38)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.topics.patterns.boundaries import bounded, is_word
from engine.topics.patterns.regex import compiled, compiled_rarely
from engine.topics.patterns.text_patterns import text_pattern
from engine.topics.patterns.word_index import WordIndex, spaced_words, words_of
from engine.topics.topic import KeywordsTrigger, MentionTrigger, PatternTrigger

WORDS = st.text("abéßжя中_9", min_size=1, max_size=4)
TEXTS = st.text("abéßжя中_9 .-@'\n", max_size=24)


def finds(pattern: str, text: str) -> bool:
    return bounded(pattern).find(text) is not None


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\büber\b", "Die Brücke über den Fluss", True),
        (r"\büber\b", "überall", False),
        (r"\büber\b", "ÜBER", True),
        (r"\bber\b", "über", False),
        (r"\bприв(ет|ыв)\b", "скажи привет!", True),
        (r"\bприв(ет|ыв)\b", "приветствие", False),
        (r"\b한국어\b", "나는 한국어 배워", True),
        (r"\bcaf\b", "café", False),
        (r"\bcafé\b", "un café.", True),
        (r"(?i)\b(?:naïve|élan)\b", "quite NAÏVE", True),
        (r"\bfoo\b|\bbär\b", "ein Bär", True),
        (r"\bfoo?\b", "éfo fo", True),
        (r"\bfoo?\b", "éfo", False),
        (r"\b\w+é\b", "né", True),
        (r"\bemail|inbox\b", "emails", True),
        (r"\bemail|inbox\b", "éemail", False),
    ],
)
def test_d38_at_the_edges_a_boundary_knows_every_script(pattern: str, text: str, found: bool) -> None:
    assert finds(pattern, text) is found


@pytest.mark.parametrize("pattern", [r"foo\b.*bar", r"(\bfoo\b)+", r"\b@foo", r"\b.x\b", r"(a|\b)b", r"x\b"])
def test_d38_what_is_inside_or_cannot_be_told_stays_ascii_and_is_counted(pattern: str) -> None:
    found = bounded(pattern)
    assert found.inner >= 1 or pattern == r"x\b"
    assert compiled(found.filter) is not None and compiled_rarely(found.exact) is not None


@given(st.lists(WORDS, min_size=1, max_size=3), TEXTS)
def test_d38_agrees_with_unicode_aware_matching(words: list[str], text: str) -> None:
    pattern = rf"\b({'|'.join(words)})\b"
    expected = re.search(rf"(?<!\w)({'|'.join(words)})(?!\w)", text, re.IGNORECASE)
    span = bounded(pattern).find(text)
    assert (span is not None) == (expected is not None)
    if span is not None:
        start, end = span
        assert text[start:end].casefold() in {word.casefold() for word in words}


@given(st.lists(WORDS, min_size=1, max_size=3), TEXTS, st.sampled_from(["pattern", "keywords", "mention"]))
def test_the_filter_and_the_words_let_every_match_through(words: list[str], text: str, kind: str) -> None:
    trigger: PatternTrigger | KeywordsTrigger | MentionTrigger
    if kind == "pattern":
        trigger = PatternTrigger(match=rf"\b({'|'.join(words)})\b")
    elif kind == "keywords":
        trigger = KeywordsTrigger(words=tuple(words))
    else:
        trigger = MentionTrigger(names=tuple(words))
    found = text_pattern(trigger)
    known = words_of(trigger)
    if found.find(text) is not None:
        assert compiled(found.filter).search(text) is not None
        assert known is None or WordIndex({"x": known}).hits(text)
    elif known is not None and known.whole and text.isascii() and found.sure:
        assert not WordIndex({"x": known}).hits(text)


@given(
    st.lists(st.text("aBz_9K\u212aß-", min_size=1, max_size=3), min_size=1, max_size=3),
    st.text("abkZ_9 -\n\0", max_size=24),
)
def test_whole_ascii_words_are_placed_where_the_pattern_finds_them(words: list[str], text: str) -> None:
    for trigger in (PatternTrigger(match=rf"\b({'|'.join(words)})\b"), KeywordsTrigger(words=tuple(words))):
        known = words_of(trigger)
        if known is not None and known.plain:
            expected = text_pattern(trigger).find(text)
            hit = WordIndex({"x": known}).hits(text)
            assert (known.place(spaced_words(text)) if hit else None) == expected


@given(st.text(max_size=30), st.text("\\b()|[]+*?{}^$.aé1,:<>Pix-", max_size=20))
def test_any_text_is_a_pattern_or_is_left_as_it_is(text: str, pattern: str) -> None:
    found = bounded(pattern)
    if r"\b" not in pattern:
        assert found.filter == found.exact == pattern


def test_marks_belong_to_words() -> None:
    assert is_word("\u0301") and is_word("_") and is_word("中") and not is_word("'") and not is_word(" ")
    assert not finds(r"\bcafe\b", "cafe\u0301")
