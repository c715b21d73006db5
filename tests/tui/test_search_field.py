"""The field of the search: whoever comes in finds the way out, by what the footer says."""

from tests.tui.conftest import console_of, deck, screen_text, settled
from tests.tui.fake_engine import FakeEngine


async def test_the_footer_says_how_to_leave_the_field() -> None:
    async with deck(FakeEngine()) as pilot:
        await pilot.press("6")
        await settled(pilot)
        footer = screen_text(pilot).splitlines()[-1]
        assert "enter To the hits" in footer and "esc Out of the field" in footer


async def test_esc_leaves_the_field_also_where_nothing_was_found_and_number_keys_work_again() -> None:
    async with deck(FakeEngine()) as pilot:
        await pilot.press("6", *"nowhere-to-be-found", "escape")
        await settled(pilot)
        await pilot.press("7")
        assert console_of(pilot).page.id == "history"


async def test_esc_never_leads_back_into_the_field() -> None:
    async with deck(FakeEngine()) as pilot:
        await pilot.press("6", "escape", "escape", "escape", "2")
        assert console_of(pilot).page.id == "approvals"
