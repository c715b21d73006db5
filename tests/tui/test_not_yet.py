"""What is named and not there yet, and what the console says of it: plainly, and as no failure."""

import pytest

from engine.errors import Cancelled
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, holds, shows
from tui.registry.not_yet import SCREENS, no_screen, not_yet
from tui.registry.screens import PLACES
from tui.shell.commands import known


def test_every_number_key_is_a_screen_or_says_why_not() -> None:
    assert sorted([place.key for place in PLACES] + list(SCREENS)) == list("12345678")
    assert not {place.id for place in PLACES} & {name for name, _ in SCREENS.values()}


@pytest.mark.parametrize(("key", "words"), [("8", "Lifecycle is not in this version yet")])
async def test_the_key_of_a_screen_that_is_not_there_says_so(key: str, words: str, demo: Demo) -> None:
    async with deck(demo.open_today(), (80, 24)) as pilot:
        await pilot.press(key)
        await shows(pilot, words)
        assert console_of(pilot).page.id == "overview"


async def test_such_a_number_is_a_letter_like_any_other_in_a_field_and_in_a_dialog(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        await pilot.press("6", "5")
        await shows(pilot, "│ 5")
        await pilot.press("escape", "question_mark", "8")
        await shows(pilot, "Keys here")
        assert not pilot.app._notifications


async def test_such_a_key_does_what_it_was_bound_to(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        pilot.app.set_keymap({"console.history": "5"})
        await pilot.press("5")
        await shows(pilot, "Operations")
        assert not pilot.app._notifications


async def test_its_name_is_answered_on_the_command_line_as_well(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        console_of(pilot).commander.run("lifecycle")
        await holds(pilot, lambda: no_screen("8") in [note.message for note in pilot.app._notifications], "the answer")


def test_compact_is_there_and_promises_what_it_does() -> None:
    about = {command.name: command.about for command in known()}["/compact"]
    assert "not in this version" not in about and not not_yet(["plan", "flush"])


async def test_what_one_cancelled_oneself_is_told_and_is_no_failure(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        console_of(pilot).fail(Cancelled("cancelled, nothing was written"))
        await holds(pilot, lambda: bool(pilot.app._notifications), "the toast")
        (note,) = pilot.app._notifications
        assert (note.message, note.title, note.severity) == ("cancelled, nothing was written", "", "information")
