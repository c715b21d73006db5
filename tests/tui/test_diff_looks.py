"""Letters of markdown stay readable on every ground a diff gives them, in every theme."""

import pytest

from tests.tui.test_looks import contrast
from tui.present.spans import Role
from tui.widgets import themes

LETTERS: tuple[Role, ...] = ("md_heading", "md_mark", "md_code", "md_link", "md_meta")
GROUNDS: tuple[Role, ...] = ("added", "added_word", "removed", "removed_word")

OWN_GROUNDS = [name for name in themes.names() if themes.styles(name)["added"].bgcolor is not None]
"""A theme of the terminal's own colours gives a diff no ground, so what stands on it is the terminal's to choose."""


@pytest.mark.parametrize("name", OWN_GROUNDS)
def test_markdown_is_readable_on_added_and_removed_lines(name: str) -> None:
    styles = themes.styles(name)
    for letters in LETTERS:
        assert styles[letters].bgcolor is None, "only letters: the ground says what happens to a line"
        for ground in GROUNDS:
            color, under = styles[letters].color, styles[ground].bgcolor
            assert color is not None and under is not None
            assert contrast(color, under) >= 4.5, (letters, ground)


@pytest.mark.parametrize("name", themes.names())
def test_a_changed_word_stands_out_of_its_line(name: str) -> None:
    styles = themes.styles(name)
    pairs: tuple[tuple[Role, Role], ...] = (("added", "added_word"), ("removed", "removed_word"))
    for line, word in pairs:
        assert (styles[word].bgcolor, styles[word].reverse) != (styles[line].bgcolor, styles[line].reverse)
        assert styles[word].bold
