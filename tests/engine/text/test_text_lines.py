"""Lines cut out of a text when asked for are those of a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.document import Document, each_line, split_lines
from engine.text.text_lines import TextLines, joined

TEXTS = st.text("ab\n\u2028\x0cé", max_size=30)


@given(TEXTS, st.integers(-9, 9), st.integers(-9, 9))
def test_they_are_the_lines_of_the_list(text: str, first: int, last: int) -> None:
    lines, whole = TextLines(text), split_lines(text)
    assert list(lines) == whole and len(lines) == len(whole) and lines[first:last] == whole[first:last]
    assert [lines[at] for at in range(-len(whole), len(whole))] == [whole[at] for at in range(-len(whole), len(whole))]
    with pytest.raises(IndexError):
        lines[len(whole)]
    assert joined(lines) == text and split_lines(joined(lines)) == whole


@given(st.text("ab\r\n\u2028é", max_size=30), st.integers(1, 9))
def test_lines_one_after_the_other_are_the_same(text: str, first: int) -> None:
    assert list(each_line(text)) == split_lines(text)
    assert split_lines(Document(text.encode(), text).text_from(first)) == split_lines(text)[first - 1 :]


def test_a_million_lines_have_one_number_each_and_no_object() -> None:
    lines = TextLines("- line of a log\n" * 1_000_000)
    assert len(lines) == 1_000_000
    assert len(lines._starts) * lines._starts.itemsize <= 4 * 1_000_001
