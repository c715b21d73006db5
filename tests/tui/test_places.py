"""Each number is a screen, and what the operator cancelled is no failure."""

from engine.errors import Cancelled
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, holds
from tui.registry.screens import PLACES


def test_every_number_key_is_a_screen() -> None:
    assert sorted(place.key for place in PLACES) == list("12345678")


async def test_what_one_cancelled_oneself_is_told_and_is_no_failure(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        console_of(pilot).fail(Cancelled("cancelled, nothing was written"))
        await holds(pilot, lambda: bool(pilot.app._notifications), "the toast")
        (note,) = pilot.app._notifications
        assert (note.message, note.title, note.severity) == ("cancelled, nothing was written", "", "information")
