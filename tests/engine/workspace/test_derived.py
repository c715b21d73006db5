"""Text that goes into a derived file: one line, nothing secret, nothing hidden (decisions G13, A16)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.derived import derived_line, derived_lines
from engine.text.safe_text import visible_line

SECRET = "AKIAQ3EXAMPLE7ZK4M2X"
TEXTS = st.lists(
    st.text(max_size=60) | st.sampled_from([f"key {SECRET}", "a\nb", "", " x ", "\x1b[0m", "می\u200cخواهم"])
)


@given(TEXTS)
def test_many_lines_read_as_each_by_itself(texts: list[str]) -> None:
    assert derived_lines(texts) == [derived_line(text) for text in texts]


@given(st.text(max_size=80))
def test_a_derived_line_is_one_line_and_shows_what_it_holds(text: str) -> None:
    line = derived_line(text)
    assert "\n" not in line
    bare = line.replace("\u200c", "").replace("\u200d", "")
    assert visible_line(bare) == bare


def test_secrets_are_named_and_never_repeated() -> None:
    assert SECRET not in derived_line(f"the key is {SECRET} for now")
    assert derived_line(f"the key is {SECRET} for now").startswith("the key is ⟨secret: ")


@pytest.mark.parametrize(("joiner", "word"), [("\u200c", "می\u200cخواهم"), ("\u200d", "क्\u200dष")])
def test_joiners_stay_where_they_spell_and_show_where_they_hide(joiner: str, word: str) -> None:
    assert derived_line(word) == word
    assert joiner not in derived_line(f"pass{joiner}word")
