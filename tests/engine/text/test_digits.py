"""A number in text that anybody may have written is read, or it is none; nothing fails at it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.digits import whole_number
from engine.tree.survey.claims import broken_hash


@given(st.integers(0, 10**18 - 1))
def test_ascii_digits_are_a_number(number: int) -> None:
    assert whole_number(str(number)) == number


@given(st.text(st.characters(categories=["Nd", "No", "L", "P", "Zs"]), max_size=30))
def test_all_else_is_none(text: str) -> None:
    if not all(char in "0123456789" for char in text) or not 1 <= len(text) <= 18:
        assert whole_number(text) is None


@pytest.mark.parametrize("count", ["²", "٣", "9" * 5_000, "", "-1", "1 "])
def test_a_node_that_claims_no_count_of_lines_is_named_not_failed_at(count: str) -> None:
    """An agent may write any claim; Python refuses to read `²` and numbers of 5,000 digits."""
    said = broken_hash([("memory/2026-03-01.md", "0" * 64)], [count], lambda path: b"- one\n")
    assert said == "its source memory/2026-03-01.md does not begin with what it claims to be made from"
