"""The oversight trial: what it plants, and how it counts keys and fates."""

import random
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.oversight.items import PLANTED, fillers, notes, planted
from tests.benchmarks.oversight.play import keys_in

TODAY = date(2026, 3, 15)


@given(st.integers(0, 10_000))
def test_ten_of_a_hundred_items_are_planted_each_of_its_own_kind(seed: int) -> None:
    draw = random.Random(seed)
    every = planted(notes(TODAY), draw)
    items = [item for note in every for item in note.items]
    harms = [item.planted.kind for item in items if item.planted]
    assert len(items) == 100 and len(harms) == len(set(harms)) == PLANTED
    for note in every:
        before, after = (text.splitlines() for text in note.texts(fillers(TODAY, draw)))
        assert not any(item.was_taken(before) for item in note.items), "nothing stands there before"
        assert all(item.was_taken(after) for item in note.items)


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"APPROVED\r", 9),
        (b"\x1b[B\x1b[1;5A\x1bOP", 3),
        ("ä€".encode(), 2),
        (b"\x1b[24;80R\x1b[?64;1c\x1b[I\x1b[<35;10;4M\x1b]11;rgb:00/00/00\x1b\\j", 1),
        (b"\x1b[<0;10;4M", 1),
        (b"\x1b", 1),
    ],
)
def test_keys_are_counted_and_what_a_terminal_says_by_itself_is_not(data: bytes, keys: int) -> None:
    assert keys_in(data) == keys
