"""Why did it say that, on screen: the agent's answers one by one, a pasted one, and the file behind a line."""

import pytest
from textual import events

from tests.ready_demo import Demo
from tests.tui.conftest import Deck, deck, holds, screen_text, shows
from tests.tui.hostile import hostile_strings
from tests.tui.test_hostile import FORBIDDEN
from tui.screens.context.why import WhyScreen


async def opened(pilot: Deck) -> WhyScreen:
    await pilot.press("5", "escape", "a")
    await holds(pilot, lambda: isinstance(pilot.app.screen, WhyScreen), "the screen")
    screen = pilot.app.screen
    assert isinstance(screen, WhyScreen)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_answers_are_gone_through_and_a_line_opens_its_file(demo: Demo, size: tuple[int, int]) -> None:
    async with deck(demo.open_today(), size) as pilot:
        await opened(pilot)
        last = await shows(pilot, "asked", "answer", "tokens")
        await pilot.press("left")
        await holds(pilot, lambda: screen_text(pilot) != last and "compiling" not in screen_text(pilot), "another")
        await shows(pilot, "share its rare words", "place", "entry", "raw turn")
        await pilot.press("enter")
        await holds(pilot, lambda: not isinstance(pilot.app.screen, WhyScreen), "the file")
        await shows(pilot, "esc close" if len(pilot.app.screen_stack) > 1 else "Tree")


async def test_a_pasted_answer_of_several_lines_is_looked_into(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        screen = await opened(pilot)
        await shows(pilot, "tokens")
        screen.post_message(events.Paste("Let me see.\nThe new checkout came back for 5 % of the carts.\n"))
        await shows(pilot, "5 % of the carts", "New checkout", "MEMORY.md:")
        screen.post_message(events.Paste("Zzyzx qwop."))
        await shows(pilot, "it is not from there")
        for text in list(hostile_strings())[:6]:
            screen.post_message(events.Paste(text))
            await shows(pilot, "answer")
            assert not FORBIDDEN.search(screen_text(pilot).replace("\n", ""))
        await pilot.press("slash", *"checkout", "enter")
        await shows(pilot, "answer  checkout")
        await pilot.press("tab", "escape", "escape")
        await holds(pilot, lambda: not isinstance(pilot.app.screen, WhyScreen), "Context again")
