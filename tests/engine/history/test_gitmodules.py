"""Entries of `.gitmodules` come back as they were written, whatever their address holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.history.gitmodules import SharedEntry, shared_entries, with_entry, without_entry

PIN = "a" * 40


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Z")), max_size=30))
def test_an_entry_comes_back_as_it_was_written(address: str) -> None:
    entry = SharedEntry("team", PIN, address)
    text = with_entry("", entry)
    assert shared_entries(text.encode()) == {"team": entry}
    assert without_entry(text, "team") == ""


@pytest.mark.parametrize(("value", "address"), [('""', ""), ('"', '"'), ('"a#b"', "a#b"), ('"a', '"a'), ('a"', 'a"')])
def test_only_what_stands_between_two_quotes_is_quoted(value: str, address: str) -> None:
    text = with_entry("", SharedEntry("team", PIN, "x")).replace("url = x", f"url = {value}")
    assert shared_entries(text.encode())["team"].address == address


def test_an_entry_takes_the_place_of_that_of_its_name_and_of_no_other() -> None:
    others = '[core]\n\ta = b\n[submodule "vendor"]\n\tpath = vendor\n\turl = x\n'
    first = with_entry(others, SharedEntry("team", PIN, "one"))
    second = with_entry(first, SharedEntry("team", "b" * 40, "two"))
    assert second.startswith(others) and second.count("knowledge/shared/team") == 2
    assert shared_entries(second.encode())["team"] == SharedEntry("team", "b" * 40, "two")
    assert without_entry(second, "team") == others
