"""Numbers, ages and names as an operator reads them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Damaged
from engine.services.line_life import RungLink
from tests.values import NOW
from tui.present.words import (
    age,
    ago,
    ahead,
    clock,
    count,
    home,
    noun,
    safe,
    short_count,
    short_digest,
    shortened,
    tail,
    words_of,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1000, "1k"), (2900, "2.9k"), (9960, "10k"), (341_000, "341k"), (1_200_000, "1.2M")],
)
def test_short_counts(number: int, text: str) -> None:
    assert short_count(number) == text


@given(st.integers(0, 9_949_999))
def test_short_counts_take_four_cells(number: int) -> None:
    assert len(short_count(number)) <= 5


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (timedelta(seconds=5), "now"),
        (timedelta(minutes=4), "4 min"),
        (timedelta(hours=3), "3 h"),
        (timedelta(days=12), "12 d"),
        (-timedelta(hours=1), "now"),
    ],
)
def test_ages(passed: timedelta, text: str) -> None:
    assert age(NOW - passed, NOW) == text


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (timedelta(minutes=25), "in 25 min"),
        (timedelta(days=2, hours=4), "in 2 d 4 h"),
        (timedelta(days=9, hours=4), "in 9 d"),
        (timedelta(days=1094), "in 1094 d"),
        (timedelta(days=3650), "in 10 y"),
        (timedelta(days=63_478), "in 173 y"),
        (timedelta(seconds=-3), "now"),
    ],
)
def test_times_to_come(left: timedelta, text: str) -> None:
    assert ahead(NOW + left, NOW) == text


def test_clock_is_as_brief_as_it_is_clear() -> None:
    assert clock(NOW, NOW) == "02:40"
    assert clock(NOW - timedelta(days=2), NOW) == "Fri 02:40"
    assert clock(NOW - timedelta(days=40), NOW) == "3 Feb"
    assert clock(NOW - timedelta(days=400), NOW) == "8 Feb 2025"


def test_names() -> None:
    assert count(1047) == "1,047"
    assert noun(1, "change") == "1 change"
    assert noun(24, "change") == "24 changes"
    assert tail("memory/working/x.md") == "working/x.md"
    assert home("/home/ana/agents", "/home/ana") == "~/agents"
    assert home("/home/anabel", "/home/ana") == "/home/anabel"
    assert shortened("memory/a/b/deploy.md", 18) == "memory/…/deploy.md"
    assert shortened("memory/deploy.md", 40) == "memory/deploy.md"
    assert shortened("a-name-without-folders.md", 10) == "…olders.md"
    assert short_digest("sha256:9f3a61c0ffff") == "9f3a 61c0"


def test_hidden_characters_are_shown() -> None:
    """G13."""
    assert safe("a\x1b]0;x\x07\nb\u202e") == "a␛]0;x␇␊b⟨U+202E⟩"


def test_what_was_just_done_is_not_now_ago() -> None:
    assert ago(NOW, NOW) == "just now"
    assert ago(NOW - timedelta(hours=3), NOW) == "3 h ago"


def test_a_table_of_words_has_words_for_every_state() -> None:
    """A table is edited by people who read no Python: what is missing in it is named with the file."""
    assert words_of("rungs", RungLink)["asked"] == ["▶", "accent", "you are here"]
    with pytest.raises(Damaged, match="no words for brand-new") as error:
        words_of("rungs", ("asked", "brand-new"))
    assert error.value.where == "tui/present/words.toml, rungs"
