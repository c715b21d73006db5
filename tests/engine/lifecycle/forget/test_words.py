"""Words are found however they are set, and go with their statements; all else stays as it is (decision D62)."""

import gzip
import json
import zlib
from datetime import UTC, datetime

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.lifecycle.forget.purge import NOTES, STATE, kind_of, redacted, word_places
from engine.lifecycle.forget.sought_words import (
    MARK,
    SoughtWords,
    count_in,
    statement,
    without_statements,
    without_words,
)
from engine.lifecycle.forget.tombstones import Tombstone, Tombstones

AT = datetime(2026, 3, 15, tzinfo=UTC)
CODE = SoughtWords(("vault code QX-77123",))


@pytest.mark.parametrize(
    "text",
    [
        "the vault code QX-77123 holds",
        "The VAULT  Code: **QX-77123**.",
        "- vault\n  code `QX 77123`",
        "> vault\n> code QX-77123",
        "vault_code_QX-77123",
    ],
)
def test_words_are_found_whatever_stands_between_them(text: str) -> None:
    assert CODE.count(text) == 1 and CODE.may_hold(text.encode())


@pytest.mark.parametrize("text", ["vault code QX-771234", "devault code QX-77123", "vault code QX and then 77123", ""])
def test_other_words_are_not_taken_for_them(text: str) -> None:
    assert CODE.count(text) == 0


def test_languages_without_spaces_and_joined_accents_are_found() -> None:
    assert SoughtWords(("密码是七七",)).count("他的密码是七七，不要说") == 1
    assert SoughtWords(("café Ünal",)).count("Im Cafe\u0301 U\u0308NAL") == 1
    assert SoughtWords(("ﬁnal code",)).count("the final code") == 1


@pytest.mark.parametrize("text", ["", "a", "- !", MARK])
def test_what_would_stand_everywhere_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        SoughtWords((text,))


def test_packed_and_escaped_bytes_are_read() -> None:
    said = "the vault code QX-77123 of Zoë"
    words = SoughtWords(("QX-77123 of Zoë",))
    plain = said.encode()
    for data in (plain, gzip.compress(plain), zlib.compress(plain), zstd.compress(plain), said.encode("utf-16")):
        assert count_in(data, words) == 1
    assert count_in(json.dumps({"a": "code QX-77123\nof Zoë"}).encode(), words) == 1
    assert count_in(said.encode("cp1252"), words) == 1
    assert count_in(b"x\x9cno zlib at all", words) == 0
    with pytest.raises(ValueError, match="packed"):
        count_in(gzip.compress(plain)[:-9], words)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("- 10:01 Ana: my code is QX-77123. Book it.\n", "- 10:01 Ana: (forgotten) Book it.\n"),
        ("Durable Insight: The code is QX-77123.\n", "Durable Insight: (forgotten)\n"),
        ("- 2026-03-15: code QX-77123 <!-- x:0123456789 -->\n", "- 2026-03-15: (forgotten) <!-- x:0123456789 -->\n"),
        ("title: code QX-77123\n", "title: (forgotten)\n"),
        ("| a | QX-77123 | b |\n", "| a | (forgotten) | b |\n"),
        ("We met. The code\nis QX-77123! It rained.\n", "We met. The code\n(forgotten) It rained.\n"),
        ("## Code QX-77123\r\n", "## (forgotten)\r\n"),
    ],
)
def test_a_statement_goes_and_its_structure_stays(line: str, left: str) -> None:
    assert without_statements(line, SoughtWords(("QX-77123",)).spans).text == left


def test_items_of_which_nothing_is_left_go_as_a_whole() -> None:
    text = "# A\n\n- code QX-77123\n- kept\n1. code QX-77123. But kept.\n"
    done = without_statements(text, SoughtWords(("QX-77123",)).spans, drop=True)
    assert done.text == "# A\n\n- kept\n1. (forgotten) But kept.\n" and done.lines == (3, 5)


def test_a_line_says_its_statement() -> None:
    assert statement("- 10:01 **Ana:** we fly. <!-- x:0123456789 -->") == "we fly."
    assert statement("- [x] buy milk (memory/2026-03-15.md:4)") == "buy milk"


LINES = st.lists(
    st.lists(st.sampled_from(["- ", "QX-77123", "kept", "a.", " ", "| ", "é", "10:01 ", "# ", "\r"]), max_size=6).map(
        "".join
    ),
    min_size=1,
    max_size=12,
)


@given(LINES)
def test_nothing_of_the_words_is_left_and_other_lines_stay(lines: list[str]) -> None:
    text, find = "\n".join(lines), SoughtWords(("QX-77123",)).spans
    for done in (without_statements(text, find), without_words(text, find)):
        left = done.text.split("\n")
        assert not list(find(done.text)) and len(left) == len(lines)
        assert [one for n, one in enumerate(left, 1) if n not in done.lines] == [
            one for n, one in enumerate(lines, 1) if n not in done.lines
        ]
    dropped = without_statements(text, find, drop=True)
    assert not list(find(dropped.text)) and {one for one in lines if "QX" not in one} <= set(
        dropped.text.split("\n")
    ) | {""}


@given(LINES)
def test_hashes_know_the_words_again_and_no_others(lines: list[str]) -> None:
    none, words, text = Tombstones("00" * 16), SoughtWords(("kept QX-77123",)), "\n".join(lines)
    stone = Tombstone(operation="o-1", at=AT, by="ana", places=1, words=none.hashed(words.texts))
    known = Tombstones(none.salt, (stone,)).of("o-1")
    assert (known.count(text) > 0) == (words.count(text) > 0) and not known.of("o-2").may_hold(b"x")
    assert "QX" not in str(known) and "kept" not in str(known)


def test_a_tombstone_finds_where_words_stand() -> None:
    known = Tombstones("ab" * 16)
    stone = Tombstone(operation="o-1", at=AT, by="ana", places=1, words=known.hashed(("QX-77123",)))
    found = Tombstones(known.salt, (stone,))
    assert list(found.spans("code QX-77123!")) == [(5, 13)] and not list(known.spans("QX-77123"))


def test_a_line_about_two_people_keeps_all_but_the_name() -> None:
    ana, bob = SoughtWords(("Ana",)), SoughtWords(("Bob",))
    text = "- Ana likes tea\n- Ana and Bob chose Postgres\n- Bob is here\n"
    assert redacted(text, "items", ana, bob).text == "- (forgotten) and Bob chose Postgres\n- Bob is here\n"


def test_every_place_says_what_becomes_of_it() -> None:
    say = b"- code QX-77123\n"
    files = {"memory/2026-03-15.md": say, "MEMORY.md": say, "a.bin": b"QX-77123 \xff", "b.json": b'"QX-77123"'}
    places = {one.path: one for one in word_places(files.items(), SoughtWords(("QX-77123",)), sources=False)}
    assert places["memory/2026-03-15.md"].left and places["memory/2026-03-15.md"].text is None
    assert places["MEMORY.md"].text == "" and places["a.bin"].left.startswith("it is no UTF-8")
    assert places["b.json"].text == f'"{MARK}"' and len(places) == 4


def test_the_tables_take_any_path() -> None:
    assert kind_of("a\nb", NOTES).how == "words" and kind_of("x/y", STATE).how == "keep"
    assert (
        kind_of("memory/semantic/x.md").name == "shard" and kind_of("operations/o-1.json", STATE).name == "operations"
    )
