"""The field of the search: whoever comes in finds the way out, by what the footer says."""

from tests.tui.conftest import console_of, deck, screen_text, settled, shows
from tests.tui.searched import Searched


async def test_the_footer_says_how_to_leave_the_field() -> None:
    async with deck(Searched()) as pilot:
        await pilot.press("6")
        await settled(pilot)
        footer = screen_text(pilot).splitlines()[-1]
        assert "enter To the hits" in footer and "esc Out of the field" in footer


async def test_esc_leaves_the_field_also_where_nothing_was_found_and_number_keys_work_again() -> None:
    async with deck(Searched()) as pilot:
        await pilot.press("6", *"nowhere-to-be-found", "escape")
        await settled(pilot)
        await pilot.press("7")
        assert console_of(pilot).page.id == "history"


async def test_esc_never_leads_back_into_the_field() -> None:
    async with deck(Searched()) as pilot:
        await pilot.press("6", "escape", "escape", "escape", "2")
        assert console_of(pilot).page.id == "approvals"


async def test_in_the_empty_field_a_question_mark_lists_the_keys_and_behind_a_letter_it_is_one() -> None:
    async with deck(Searched()) as pilot:
        await pilot.press("6")
        assert "? Keys" in (await shows(pilot, "Out of the field")).splitlines()[-1]
        await pilot.press("question_mark")
        text = await shows(pilot, "Keys here", "To the hits")
        assert "Select all" not in text, "what every field of text knows is no news"
        await pilot.press("escape", *"why", "question_mark")
        await shows(pilot, "│ why?")
        assert not console_of(pilot).in_dialog
        assert "? Keys" not in screen_text(pilot).splitlines()[-1]


async def test_days_that_cannot_be_read_are_said_and_can_be_mended() -> None:
    async with deck(Searched()) as pilot:
        await pilot.press("6", *"deploy", "enter")
        await settled(pilot)
        await pilot.press("f", "enter")
        await shows(pilot, "! days, or any")
        await pilot.press(*"2026-13", "enter")
        await shows(pilot, "! not a day")
        await pilot.press("backspace", "backspace", *"03", "enter")
        await shows(pilot, "2026-03-01 to 2026-03-31")
        assert not pilot.app._notifications


async def test_a_zoomed_list_says_how_to_come_to_the_note() -> None:
    async with deck(Searched()) as pilot:
        await pilot.press("6", *"deploy", "enter")
        assert "tab note" not in await shows(pilot, "Found ⟨3⟩")
        await pilot.press("plus")
        await shows(pilot, "tab note")
