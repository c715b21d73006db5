"""Rows of a list to choose from: columns under each heading, and nothing cut that there is room for."""

from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input

from engine.text.safe_text import cell_width
from tests.prepared import three_plans
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, settled, shows
from tui.dialogs.picker import Picker
from tui.present.choices import Choice, ChoiceRows, found, under_headings
from tui.present.spans import plain
from tui.widgets.line_list import LineList
from tui.widgets.segments import fitted

WORDS = st.text("abc xyz…日", max_size=30)
CHOICES = st.lists(
    st.builds(Choice, WORDS, WORDS, st.sampled_from(("", "d", "ctrl+x")), WORDS, st.just("")), max_size=8
)
KEYS = len("ctrl+x")


@given(CHOICES, st.integers(20, 120))
def test_what_fits_is_never_cut(choices: list[Choice], room: int) -> None:
    rows = ChoiceRows(choices, KEYS, lambda: room)
    for index, choice in enumerate(choices):
        needed = KEYS + 2 + cell_width(choice.name) + (2 + cell_width(choice.about) if choice.about else 0)
        shown = plain(fitted(rows.row(index), room))
        assert cell_width(shown) == room
        if needed <= room:
            assert choice.name in shown and choice.about in shown


def test_each_heading_has_columns_of_its_own() -> None:
    choices = (Choice("a", "first", section="one"), Choice("a long name", "second", section="two"))
    rows = ChoiceRows(under_headings(choices), 0, lambda: 60)
    assert [plain(rows.row(index).left) for index in range(4)] == ["one", "a  first", "two", "a long name  second"]


def test_what_is_too_long_for_its_column_begins_further_left() -> None:
    choices = [
        Choice("Next message of a replay", "(no replay)"),
        Choice("Useful", "(put the cursor on a decision first)"),
    ]
    rows = ChoiceRows(choices, 0, lambda: 50)
    assert plain(rows.row(0).left) == "Next message of a replay  (no replay)"
    assert plain(rows.row(1).left) == "Useful        (put the cursor on a decision first)"


def test_what_begins_with_the_letters_comes_first() -> None:
    names = [choice.name for choice in found((Choice("a theme"), Choice("theme"), Choice("other")), "theme")]
    assert names == ["theme", "a theme"]


async def test_reasons_are_read_whole_at_eighty_columns(demo: Demo) -> None:
    async with deck(demo.open_today(), (80, 24)) as pilot:
        await pilot.press("4", "question_mark")
        await shows(pilot, "(put the cursor on a decision first)")


async def test_one_thing_to_do_is_one_row_with_all_its_keys(demo: Demo) -> None:
    async with deck(demo.open_today(), (120, 60)) as pilot:
        await pilot.press("question_mark")
        text = await shows(pilot, "Everywhere")
        assert "q ctrl+q  Quit" in text
        await pilot.press("escape")
        assert not console_of(pilot).in_dialog


SYSTEMS = tuple(Choice(name, "", "", name) for name in ("compact", "tree", "tune"))


async def test_letters_move_in_a_list_to_choose_from_as_in_every_list() -> None:
    """`j enter` takes the second, and not one whose words begin with a j."""
    async with deck(three_plans()) as pilot:
        chosen: list[str | None] = []
        pilot.app.push_screen(Picker("Dry run", SYSTEMS), chosen.append)
        await settled(pilot)
        lines, seen = pilot.app.screen.query_one(LineList), []
        for key in ("j", "k", "G", "g", "j"):
            await pilot.press(key)
            seen.append(lines.cursor)
        assert seen == [1, 0, 2, 0, 1]
        await pilot.press("enter")
        await settled(pilot)
        assert chosen == ["tree"]


async def test_after_a_slash_letters_are_text_and_other_letters_always_are() -> None:
    async with deck(three_plans()) as pilot:
        for keys, typed in ((("slash", "j"), "j"), (("t", "j"), "tj")):
            pilot.app.push_screen(Picker("Dry run", SYSTEMS))
            await settled(pilot)
            await pilot.press(*keys)
            assert pilot.app.screen.query_one(Input).value == typed
            await pilot.press("escape")
            await settled(pilot)


async def test_a_list_with_headings_is_searched_from_the_first_letter() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("ctrl+p", "k")
        assert pilot.app.screen.query_one(Input).value == "k"


async def test_no_key_that_only_the_toolkit_names_is_listed() -> None:
    async with deck(three_plans(), (120, 36)) as pilot:
        await pilot.press("2", "R")
        await shows(pilot, "Weekly digest and dry runs")
        await pilot.press("question_mark")
        text = await shows(pilot, "Keys here", "Next pane")
        assert "Focus" not in text
