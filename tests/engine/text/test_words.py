"""How texts are cut: stems, identifiers as wholes, pairs of characters (decisions D10, D12)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.words import LONGEST, cut, fold, pairs, stem_in, stems_of

LETTERS = "a" * 400_000


@pytest.mark.parametrize(
    "name",
    ["ses_a1b2", "rate-limiting", "c++", "c#", "v1.2.3", "memory/2023-05-02.md", "2023-05-02", "a@b.c", "std::vector"],
)
def test_an_identifier_stays_whole_beside_its_parts(name: str) -> None:
    found = cut(f"We use {name.upper()}, and ({name}).", "en")
    assert name in found.marks
    assert found.words[:2] == ["we", "use"]


def test_names_in_camel_case_are_found_by_part_and_as_a_whole() -> None:
    found = cut("call getUserName() on the iPhone", "en")
    assert {"getusername", "iphone"} <= set(found.marks)
    assert found.words[1:4] == ["get", "user", "name"]


def test_a_word_is_cut_alike_whatever_names_stand_beside_it() -> None:
    assert cut("the URLs", "en").words[1:] == cut("getUserName the URLs", "en").words[4:] == cut("URLs", "en").words


def test_ordinary_sentences_have_no_marks() -> None:
    assert cut("Well, this is it. And that (too): fine! e.g", "en").marks == ["e.g"]
    assert cut("No marks here. None, at all!", "en").marks == []


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "limiting", "limited"),
        ("en", "deployments", "deployment"),
        ("de", "häuser", "hauses"),
        ("de", "größe", "grosse"),
    ],
)
def test_forms_of_a_word_share_a_stem(language: str, one: str, other: str) -> None:
    assert cut(one, "de" if language == "de" else "en").words == cut(other, "de" if language == "de" else "en").words


def test_words_with_digits_and_common_words_are_not_stemmed() -> None:
    assert cut("a1b2s this was does 300ies", "en").words == ["a1b2s", "this", "was", "does", "300ies"]


def test_d12_runs_of_wide_characters_become_pairs_and_a_last_character() -> None:
    assert cut("图书馆", "zh").words == ["图书", "书馆", "馆"]
    assert pairs("집") == ["집"]
    assert cut("데이터를 ABC 東京タワー", "ko").words == ["데이", "이터", "터를", "를", "abc", *pairs("東京タワー")]


def test_width_accents_and_case_do_not_matter() -> None:
    assert cut("ＣＡＦÉ café CAFE", "en").words == ["cafe"] * 3
    assert fold("Ñandú") == "Nandu" and fold("Привет") == "Привет"
    assert cut("Straße STRASSE", "de").words[0] == cut("Strasse", "de").words[0]


def test_emoji_and_other_scripts_are_words_too() -> None:
    assert cut("🚀 हिन्दी Привет", "en").words == ["🚀", "हिन्दी", "привет"]


def test_a_query_word_has_the_stems_of_both_languages() -> None:
    assert {stem_in("häuser", "de"), stem_in("häuser", "en")} == set(stems_of("häuser"))
    assert len(stems_of("ses")) >= 1


@pytest.mark.parametrize("text", [f"({LETTERS}$b", f"{LETTERS}!aB", f"{LETTERS}/a{LETTERS}", f"aB{LETTERS}"])
def test_a_run_of_letters_without_an_end_stalls_nothing(text: str) -> None:
    """A pattern tried from each of these letters takes half an hour."""
    assert all(len(each) <= LONGEST for each in cut(text, "en").words)


@given(st.text(max_size=200))
def test_any_text_can_be_cut(text: str) -> None:
    found = cut(text)
    for word in (*found.words, *found.marks):
        assert word and len(word) <= 4 * LONGEST
        assert not any(char.isspace() or char == '"' or char == "\0" for char in word)


@given(st.text(alphabet="abcXYZ019-_./:+#@& \n\t!()", max_size=40))
def test_a_plain_text_is_cut_alike_among_other_letters(text: str) -> None:
    """Texts of ASCII alone have a quicker way; with one other letter beside them they take the usual one."""
    plain, other = cut(text, "en"), cut(f"{text} é", "en")
    assert (*plain.words, "e") == tuple(other.words) and plain.marks == other.marks


@given(st.text(alphabet="aB1-_./:+#@& \n(x", max_size=80))
def test_names_in_ascii_are_found_the_quick_way_as_the_slow_way(text: str) -> None:
    """A drawn sign beside it, which is no part of any word, sends the same text the slow way."""
    assert cut(text, "en").marks == cut(f"{text} é", "en").marks


@given(st.text(alphabet="aB1 AzZ-", max_size=60))
def test_names_in_camel_case_are_cut_in_ascii_as_elsewhere(text: str) -> None:
    assert cut(f"{text} aA", "en").words[:-2] == cut(f"{text} aA é", "en").words[:-3]
