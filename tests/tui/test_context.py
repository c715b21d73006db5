"""Context on screen: the prompt for a message, the budget changed in place, and what platforms load."""

import re
from pathlib import Path

import msgspec
import pytest

from engine.context.compile.fenced_pieces import PromptPiece
from engine.context.compile.prompt import PromptSlot
from engine.context.load.observation import LoadReport
from engine.context.platforms.platform import SessionKind
from engine.errors import Blocked
from tests.ready_demo import Demo
from tests.tui.compiled import Compiled, a_window
from tests.tui.conftest import Deck, console_of, deck, holds, screen_text, settled, shows
from tests.tui.hostile import hostile_strings
from tests.tui.test_hostile import FORBIDDEN
from tests.values import NOW
from tui.dialogs.text_reader import TextReader
from tui.present.spans import plain
from tui.screens.context.loads_windows import LoadsPane
from tui.screens.context.page import BUDGETS, ContextPage
from tui.screens.page import TypedWords
from tui.widgets.segments import width_of


def page_of(pilot: Deck) -> ContextPage:
    page = console_of(pilot).page
    assert isinstance(page, ContextPage)
    return page


async def compiled(pilot: Deck, message: str = "") -> ContextPage:
    """Opens the screen, types a message and waits for its prompt."""
    await pilot.press("5")
    page = page_of(pilot)
    if message:
        page.field.value = message
        await pilot.press("enter")
    await arrived(pilot, page, message)
    return page


async def arrived(pilot: Deck, page: ContextPage, message: str) -> None:
    def is_there() -> bool:
        found = page.prompt
        same = found is not None and (found.message, found.budget) == (message, page.budget)
        return not page.asking.busy and (same or page.problem is not None) and bool(page.query_one(LoadsPane).listed)

    await holds(pilot, is_there, f"the prompt for {message!r}")
    await settled(pilot)


async def test_the_screen_opens_on_what_stands_before_every_message() -> None:
    async with deck(Compiled()) as pilot:
        page = await compiled(pilot)
        unused = [
            width_of(one.row.left)
            for one in page.query_one(LoadsPane).listed
            if plain(one.row.left).startswith("no sign of")
        ]
        assert unused and max(unused) <= 56
        text = await shows(pilot, "Items ⟨", "SOUL.md", "prefix stable for", "what would the agent see with it?")
        assert "there is no such file" in text or "old.md" in text


async def test_items_tell_their_state_and_reason() -> None:
    async with deck(Compiled()) as pilot:
        page = await compiled(pilot, "why blue-green?")
        at = next(n for n, item in enumerate(page.prompt.items) if item.path == "notes/old.md")  # type: ignore[union-attr]
        page.items.go(at)
        text = await shows(pilot, "there is no such file", "priority 2")
        assert "why blue-green?" in text


async def test_the_budget_is_changed_in_place_and_compiles_anew() -> None:
    engine = Compiled()
    async with deck(engine) as pilot:
        page = await compiled(pilot, "hello")
        await pilot.press("left", "left", "left")
        await arrived(pilot, page, "hello")
        assert page.budget == 1_024 and page.prompt is not None and page.prompt.tokens <= 1_024
        assert await shows(pilot, "1,024 tokens", "MEMORY.md")
        for _ in BUDGETS:
            await pilot.press("left")
        await arrived(pilot, page, "hello")
        assert page.budget == BUDGETS[0]
        assert engine.compiled[-1] == ("hello", SessionKind.MAIN, BUDGETS[0], None)


async def test_only_the_newest_of_many_budgets_is_compiled() -> None:
    engine = Compiled()
    async with deck(engine) as pilot:
        page = await compiled(pilot, "hello")
        for _ in range(5):
            page.action_budget(1)
        await arrived(pilot, page, "hello")
        assert page.prompt is not None and page.prompt.budget == page.budget == 200_000


async def test_sessions_and_history_are_turned_by_a_key() -> None:
    engine = Compiled()
    async with deck(engine) as pilot:
        page = await compiled(pilot, "hello")
        await pilot.press("s")
        await holds(pilot, lambda: engine.compiled[-1][1] is SessionKind.SHARED, "another session")
        await pilot.press("h")
        await holds(pilot, lambda: engine.compiled[-1][3] == "none", "no history")
        await arrived(pilot, page, "hello")
        assert "Session: shared" in await shows(pilot, "Load today shared")


async def test_a_refusal_is_read_in_place_of_the_items() -> None:
    engine = Compiled()
    engine.stub.fails("context.compile", Blocked("the message takes 900 tokens", where="compile", hint="give it more"))
    async with deck(engine) as pilot:
        await compiled(pilot, "hello")
        await shows(pilot, "✗ Blocked", "the message takes 900 tokens")


async def test_the_item_under_the_cursor_leads_to_its_place_in_the_prompt() -> None:
    async with deck(Compiled()) as pilot:
        page = await compiled(pilot, "hello")
        assert page.prompt is not None and page.prompt_text.lines is not None
        at = next(n for n, item in enumerate(page.prompt.items) if item.path == "a.md")
        page.items.go(at)
        await pilot.press("enter")
        await settled(pilot)
        assert page.current == "prompt"
        text = screen_text(pilot)
        assert "← knowledge" in text and "blue-green" in text


async def test_platforms_name_what_falls_off_with_its_entry() -> None:
    async with deck(Compiled()) as pilot:
        page = await compiled(pilot)
        await pilot.press("escape", "L")
        await shows(pilot, "fall off", "Claude Code", "main 3")
        page.query_one("#loads").go(len(page.query_one(LoadsPane).listed))  # type: ignore[attr-defined]
        lost = [one for one in page.query_one(LoadsPane).listed if one.path == "MEMORY.md" and one.line > 200]
        assert [one.line for one in lost] == [201, 202, 203]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_demonstration_is_compiled_and_a_line_opens_its_file(demo: Demo, size: tuple[int, int]) -> None:
    async with deck(demo.open_today(), size) as pilot:
        page = await compiled(pilot, "why blue-green?")
        assert page.prompt is not None and page.prompt.tokens <= 8_192
        at = next(n for n, item in enumerate(page.prompt.items) if item.path == "MEMORY.md")
        page.items.go(at)
        await pilot.press("o")
        await holds(pilot, lambda: isinstance(pilot.app.screen, TextReader), "the file, which is not in the tree")


async def test_the_command_line_compiles_a_message() -> None:
    async with deck(Compiled()) as pilot:
        page = await compiled(pilot)
        assert page.show(TypedWords(("why", "blue-green?")))
        await arrived(pilot, page, "why blue-green?")
        assert page.field.value == "why blue-green?"


async def test_hostile_text_stays_text() -> None:
    engine = Compiled()
    texts = list(hostile_strings())
    engine.pieces = tuple(
        PromptPiece(slot=PromptSlot.KNOWLEDGE, label=text, path=text, text=text, score=0.5) for text in texts[:20]
    )
    engine.loaded = {"MEMORY.md": "\n".join(texts)}
    async with deck(engine) as pilot:
        await compiled(pilot, texts[0].replace("\n", " "))
        assert not FORBIDDEN.search(screen_text(pilot).replace("\n", ""))


def test_nothing_is_written_by_looking(demo: Demo) -> None:
    before = sorted(str(path) for path in Path(demo.folder).rglob("*") if ".git" not in path.parts)
    with demo.open_today() as console:
        console.context.loads(SessionKind.MAIN)
        console.context.compile("hello", SessionKind.MAIN)
    after = sorted(str(path) for path in Path(demo.folder).rglob("*") if ".git" not in path.parts)
    assert set(after) - set(before) <= {str(Path(demo.folder) / f"memory.db{end}") for end in ("", "-wal", "-shm")}


async def test_followed_sessions_show_their_window_and_open_their_timeline() -> None:
    engine = Compiled()
    engine.stub.gives("windows.sessions", (a_window(), a_window("\x1b[31m[@click=app.quit()]x", turns=3)))
    async with deck(engine) as pilot:
        await compiled(pilot, "hello")
        await pilot.press("escape", "w")
        text = await shows(pilot, "120,000/140,000 85.7 %", "Windows ⟨2⟩", "auto: 60,000 → 3,000")
        assert "\x1b" not in text and "compact in 2 turns" in text
        await pilot.press("enter")
        await shows(pilot, "s-1 · 60 turns · 140,000 usable", "turn 60", "120,000 85.7 % · +3,000")
        await pilot.press("N")
        await shows(pilot, "turn 20", "auto: 60,000 → 3,000")
        await pilot.press("escape", "L")
        await shows(pilot, "fall off")


async def test_a_full_window_has_the_console_ask_for_its_flush() -> None:
    engine = Compiled()
    window = {"tokens": 181_000, "limit": 200_000, "band": "compact", "sessions": 1, "session": "s-1"}
    engine.status = msgspec.structs.replace(engine.status, window=window)
    flushes = engine.stub.asked("flushes.look")
    async with deck(engine) as pilot:
        await shows(pilot, "Window", "181,000/200,000 90.5 %")
        await holds(pilot, lambda: bool(flushes), "the look for a flush")


async def test_nothing_followed_is_unknown_on_the_screen() -> None:
    async with deck(Compiled()) as pilot:
        await compiled(pilot, "hello")
        await pilot.press("escape", "w")
        assert await shows(pilot, "unknown: no session is followed")


async def test_the_probes_are_shown_with_what_a_waiting_plan_makes_of_them() -> None:
    from tests.gallery import worlds

    async with deck(worlds.probed()) as pilot:
        await pilot.press("5", "escape", "b")
        text = await shows(pilot, "probes hold", "What is the capital?", "expects “Paris” in search", "p-2026")
        assert "unmet" in text and "kept" in text
        await pilot.press("escape")
        await holds(pilot, lambda: isinstance(console_of(pilot).page, ContextPage), "Context again")


@pytest.mark.parametrize("size", [(80, 24), (160, 40)])
async def test_two_prompts_are_compared_on_screen(demo: Demo, size: tuple[int, int]) -> None:
    async with deck(demo.open_today(), size) as pilot:
        await pilot.press("5", "escape", "c", *"512..2048", "enter")
        text = await shows(pilot, "512 tokens, ", "2,048 tokens, ", "came in", "the prefix differs")
        assert re.search(r"│ +before: [^│]* left +", text), "the reason has a line of its own"
        assert re.search(r"USER\.md +\d+ of (\d+) +\1 ", text), "no figure is broken"
        await pilot.press("escape")
        await holds(pilot, lambda: isinstance(console_of(pilot).page, ContextPage), "Context again")


async def test_each_file_says_whether_it_was_observed() -> None:
    engine = Compiled()
    engine.load_reports = tuple(
        LoadReport(platform="claude-code", session="s-1", path=path, reason="session_start", at=NOW)
        for path in ("MEMORY.md", "CLAUDE.md", "/home/ana/.claude/CLAUDE.md")
    )
    async with deck(engine, (140, 60)) as pilot:
        page = await compiled(pilot)
        page.turn_to("loads")
        text = await shows(pilot, "observed 02:40", "it was loaded, and is outside")
        assert "simulated" in text
        page.action_session()
        await holds(pilot, lambda: "observed" not in screen_text(pilot), "no marks in other sessions")


async def test_the_flush_history_is_shown() -> None:
    from tests.gallery import worlds

    async with deck(worlds.flushed()) as pilot:
        await pilot.press("5", "escape", "f")
        await shows(pilot, "2 compactions", "160,000 → 31,000, 80 % less", "12 % less, under 30 %", "1 backup")
        await pilot.press("escape")
        await holds(pilot, lambda: isinstance(console_of(pilot).page, ContextPage), "Context again")
