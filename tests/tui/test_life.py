"""The ladder of a line in the console and as a command."""

from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, screen_text, settled, shows
from tui.present.source_lines import file_line
from tui.present.spans import plain
from tui.present.tree import line_ladder as ladder
from tui.screens.page import TypedWords
from tui.screens.search.page import SearchPage
from tui.screens.tree.line_life import LifeScreen
from tui.screens.tree.page import TreePage
from tui.widgets.line_list import LineList

RAW = "memory/2026-01-05.md"


async def test_from_a_line_up_the_ladder_and_to_a_rung(demo: Demo) -> None:
    with demo.open_today() as engine:
        async with deck(engine) as pilot:
            await console_of(pilot).open_file(RAW, 5)
            await settled(pilot)
            await pilot.press("L")
            await settled(pilot)
            assert isinstance(pilot.app.screen, LifeScreen)
            text = screen_text(pilot)
            order = [text.index(word) for word in ("semantic", "ROOT", "month", "week", "day ", "raw log")]
            assert order == sorted(order)
            assert text.count("every outgoing call has a timeout") == 4 and "you are here" in text
            await pilot.press("shift+tab", "shift+tab", "enter")
            await settled(pilot)
            page = console_of(pilot).page
            assert isinstance(page, TreePage) and page.nodes.here == "memory/weekly/2026-W02.md"
            assert "every outgoing call has a timeout" in page.text_pane.text_to_copy()


async def test_the_ladder_opens_from_the_command_line_and_closes_again(demo: Demo) -> None:
    with demo.open_today() as engine:
        async with deck(engine, (80, 24)) as pilot:
            await pilot.press("3")
            await settled(pilot)
            page = console_of(pilot).page
            assert page.show(TypedWords(("life", f"{RAW}:5")))
            await settled(pilot)
            assert isinstance(pilot.app.screen, LifeScreen)
            await pilot.press("tab", "tab", "G", "tab")
            assert pilot.app.screen.query_one(LineList).cursor == 0
            await pilot.press("escape")
            assert not page.show(TypedWords(("life", "nonsense")))
            assert not console_of(pilot).in_dialog


async def test_an_entry_behind_a_gauge_has_its_ladder(demo: Demo) -> None:
    with demo.open_today() as engine:
        async with deck(engine) as pilot:
            for key in ("c", "l", "l", "enter"):
                await pilot.press(key)
                await settled(pilot)
            await pilot.press("L")
            await settled(pilot)
            assert isinstance(pilot.app.screen, LifeScreen)
            assert "stated by a reference" in screen_text(pilot)


def test_a_ladder_hides_no_character(demo: Demo) -> None:
    with demo.open_today() as engine:
        rows = ladder.ladder_rows(engine.tree.life(RAW, 5))
    assert ladder.asked_row(rows) > 0
    assert all("\x1b" not in plain(row.row.left) for row in rows)


def test_a_place_in_a_file() -> None:
    assert file_line("memory/a:b.md:12") == ("memory/a:b.md", 12)
    for wrong in ("memory/a.md", "memory/a.md:", ":3", "memory/a.md:0", "memory/a.md:x", "memory/a.md:²"):
        assert file_line(wrong) is None


async def test_a_hit_has_its_ladder(demo: Demo) -> None:
    with demo.open_today() as engine:
        async with deck(engine) as pilot:
            await pilot.press("6")
            await pilot.press(*"checkout")
            await shows(pilot, "BM25")
            page = console_of(pilot).page
            assert isinstance(page, SearchPage) and page.hit is not None
            await pilot.press("enter", "L")
            await settled(pilot)
            assert isinstance(pilot.app.screen, LifeScreen) and page.hit.path.rpartition("/")[2] in screen_text(pilot)
