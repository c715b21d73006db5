"""What terminals count in different ways is shown so that they count alike: borders stay where they are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from engine.text.safe_text import visible_line
from tests.turn import examples
from tui.present.spans import ListRow, Span
from tui.widgets.role_style import steady
from tui.widgets.segments import fitted

PARTS = st.sampled_from(
    (
        *"a1#é中한🗑⚠❤☁⌚😀👍👩🏳🇩🇪⃣क्षिনि각ก็ﷺ",
        *"\ufe0e\ufe0f\u200d\u0301\u0308\u034f\u1100\u1161\u11a8\ufe00",
        *"\U0001f3fb\U0001f3fd\U0001f3ff\U000e0067\U000e007f",
    )
)
TEXT = st.lists(PARTS, max_size=30).map("".join)


def apart(text: str) -> int:
    """Cells in a terminal that draws each character by itself."""
    return sum(map(get_character_cell_size, text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("🗑\ufe0f", "🗑 "), ("⚠\ufe0f!", "⚠ !"), ("1\ufe0f\u20e3", "1\u20e3 "), ("⌚\ufe0e", "⌚"), ("☁\ufe0e", "☁")],
)
def test_an_emoji_is_drawn_without_its_selector_in_as_many_cells(text: str, shown: str) -> None:
    assert steady(text) == shown
    assert cell_len(shown) == cell_len(text) == apart(shown)


@given(text=TEXT)
@settings(max_examples=examples(500))
def test_every_terminal_counts_what_is_drawn_alike(text: str) -> None:
    safe = visible_line(text)
    drawn = steady(safe)
    assert cell_len(drawn) == cell_len(safe)
    assert apart(drawn) == cell_len(drawn)


@given(left=TEXT, right=TEXT, width=st.integers(1, 60))
@settings(max_examples=examples(300))
def test_a_row_of_a_list_ends_at_its_border(left: str, right: str, width: int) -> None:
    row = ListRow((Span(visible_line(left)),), (Span(visible_line(right)),))
    assert sum(apart(steady(span.text)) for span in fitted(row, width)) == width
