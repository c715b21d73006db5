"""Joiners and direction marks by script and neighbours: spelling is not hidden text, all else is (decision G31)."""

import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich._emoji_codes import EMOJI

import engine.text
from engine.text.derived import derived_line
from engine.text.poison.hidden_text import hidden_runs
from engine.text.safe_text import hidden_characters, is_spelling

TABLE = tomllib.loads(Path(engine.text.__file__).with_name("joiners.toml").read_text("utf-8"))
TONES = [chr(code) for code in range(0x1F3FB, 0x1F400)]
FLAGS = ["🏴" + "".join(chr(0xE0000 + ord(one)) for one in name) + "\U000e007f" for name in ("gbeng", "gbsct", "gbwls")]
JOINERS = ["\u200c", "\u200d"]
MARKS = ["\u200e", "\u200f", "\u061c"]


def is_flagged(text: str) -> bool:
    """Tells whether a text is hidden in by both of those who look."""
    runs, named = list(hidden_runs(text)), hidden_characters(text)
    assert bool(runs) == bool(named), (text, runs, named)
    return bool(runs)


@cache
def code_points(name: str) -> tuple[str, ...]:
    pairs = (part.partition("-") for part in TABLE[name].split())
    return tuple(chr(code) for a, _, b in pairs for code in range(int(a, 16), int(b or a, 16) + 1))


def letters() -> Iterator[str]:
    """Every letter of the scripts that use joiners, as this Python knows them."""
    return (char for char in code_points("scripts") if char.isalpha())


def viramas() -> list[str]:
    return [char for char in code_points("scripts") if unicodedata.combining(char) == 9]


PICTURES = st.sampled_from([picture for picture in code_points("pictures") if picture < "\U0001fb00"])
"""Those that are given or close to it; further on lie thousands that Unicode keeps free."""
PART = st.builds(
    lambda picture, tail: picture + tail, PICTURES, st.sampled_from(["", "\ufe0f", *TONES, "\ufe0f\u20e3"])
) | st.sampled_from([*FLAGS, "🇩🇪", "🏳️"])


def test_the_table_is_that_of_its_unicode_version() -> None:
    tables = pytest.importorskip("wcwidth.table_grapheme")
    versions = pytest.importorskip("wcwidth").list_versions()
    if not versions[-1].startswith(TABLE["unicode"]):
        pytest.skip(f"wcwidth knows Unicode {versions[-1]}, the table is of {TABLE['unicode']}")
    known = tuple(chr(code) for first, last in tables.EXTENDED_PICTOGRAPHIC for code in range(first, last + 1))
    assert known == code_points("pictures")


def test_no_emoji_sequence_is_hidden_text() -> None:
    """field.md F18: a developer or a family made a node untrusted on every level."""
    known = set(EMOJI.values())
    assert len(known) >= 2_500 and sum("\u200d" in one for one in known) >= 600
    assert [one for one in known if is_flagged(f"we shipped {one} today")] == []
    for one in ("👨‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "❤️‍🔥", "🧑🏽‍🤝‍🧑🏿", "🏃‍♀️‍➡️", "🙂‍↕️", "1️⃣", *FLAGS):
        assert not is_flagged(f"{one}{one} {one}."), one


@given(st.lists(PART, min_size=1, max_size=5))
def test_pictures_with_one_joiner_between_them_are_no_hidden_text(parts: list[str]) -> None:
    """The second must begin a picture; a flag of letters begins none."""
    text = parts[0] + "".join(f"\u200d{part}" for part in parts[1:] if part[0] != "🇩")
    assert not is_flagged(text)
    assert is_flagged(f"{text}\u200d") and is_flagged(f"\u200d{text}") and is_flagged(f"{text}\u200d\u200d{text}")
    assert is_flagged(f"{text}\u200c{text}") or unicodedata.category(text[-1]) == "No"


def test_each_script_may_join_and_part_its_letters() -> None:
    found = list(letters())
    assert len(found) > 2_500
    for one in found:
        assert not is_flagged(f"{one}\u200c{one}"), f"U+{ord(one):04X}"
    assert {unicodedata.name(one).split()[0] for one in viramas()} >= {"DEVANAGARI", "BENGALI", "MALAYALAM", "SINHALA"}
    for virama in viramas():
        for joiner in JOINERS:
            assert not is_flagged(f"क{virama}{joiner}") and not is_flagged(f"क{virama}{joiner}ष")


@pytest.mark.parametrize(
    "text",
    ["می‌خواهم", "کتاب‌های خوب", "PDF‌های تازه", "۲۰‌ساله", "র‍্যাম", "ক্‍ষ", "ශ්‍රී ලංකා", "മലയാള്‍", "वाङ्‌मय", "ರಾಜ್‌ಕುಮಾರ್", "ᠮᠣᠩ‌ᠭᠣᠯ"],
)
def test_words_as_people_write_them_are_no_hidden_text(text: str) -> None:
    assert not is_flagged(f"- {text} - {text}.")
    assert derived_line(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "ig\u200bnore", "ig\u200cnore", "ig\u200dnore", "п\u200dароль", "中\u200c文", "a\u200d😀", "😀\u200da",
        "می\u200c\u200cخواهم", "می\u200bخواهم", "ق\u200d", "क\u200dष", "x\u202ey", "a\u2066b\u2069",
        "🏴" + "".join(chr(0xE0000 + ord(one)) for one in "approve") + "\U000e007f", FLAGS[0][1:], FLAGS[0][:-1],
        "ig\u200enore", "של\u200fום", "a\u200f b", "שלום \u200eעולם", "x\u200e", "\u200e\u200ea", "a \u200e\nb",
        "\u200e\u200fa", "م\u061cم", "\ufeff\ufeffa", "a\ufeffb", "co\xadop",
    ],
)  # fmt: skip
def test_what_hides_is_hidden_as_before(text: str) -> None:
    assert is_flagged(text)


@pytest.mark.parametrize("mark", MARKS)
def test_a_direction_mark_may_stand_before_text_of_its_own_direction(mark: str) -> None:
    own, other = {"\u200e": ("abc", "שלום"), "\u200f": ("שלום", "abc"), "\u061c": ("سلام", "abc")}[mark]
    assert not is_flagged(f"{mark}{own}") and not is_flagged(f"{other} {mark}({own}) {other}")
    assert is_flagged(f"{mark}{other}") and is_flagged(f"{own[0]}{mark}{own[1:]}") and is_flagged(f"{other}{mark}")


@given(st.text(), st.text(), st.sampled_from([*JOINERS, *MARKS, "\u200b", "\U000e0041", "\u202e"]))
def test_between_other_signs_every_one_of_them_is_hidden(before: str, after: str, char: str) -> None:
    """In ASCII text nothing of these is spelling, but a mark before a word of its own direction."""
    left, right = (text.encode("ascii", "ignore").decode() for text in (before, after))
    text = f"{left}a{char}{right}"
    if not is_spelling(text, len(left) + 1):
        assert is_flagged(text)
    else:
        assert char == "\u200e" and not right[:1].isalnum()
