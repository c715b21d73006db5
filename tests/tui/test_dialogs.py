"""Dialogs under keys that come faster than dialogs open and close: held keys, bursts, type-ahead."""

import pytest
from textual import events
from textual.widgets import Input

from tests.prepared import three_plans
from tests.tui.conftest import Deck, console_of, deck, holds, screen_text, settled, shows
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.widgets.filter_field import FilterField

_NAMES = {":": "colon", "?": "question_mark", "/": "slash", "\r": "enter"}


async def burst(pilot: Deck, keys: str) -> None:
    """Keys that arrive all at once, as over a slow line or from a paste without brackets."""
    for key in keys:
        pilot.app.post_message(events.Key(_NAMES.get(key, key), key))
    await settled(pilot)


@pytest.mark.parametrize("keys", ["banana", "1111", "zz"])
async def test_a_burst_while_jumping_jumps_once(keys: str) -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("ctrl+o")
        await burst(pilot, keys)
        assert not console_of(pilot).in_dialog


@pytest.mark.parametrize("opens", [":", "?"])
async def test_keys_that_close_a_dialog_twice_close_nothing_else(opens: str) -> None:
    async with deck(three_plans()) as pilot:
        await burst(pilot, opens)
        for _ in range(5):
            pilot.app.post_message(events.Key("escape", None))
        await settled(pilot)
        assert len(pilot.app.screen_stack) == 1


async def test_many_answers_open_one_dialog() -> None:
    async with deck(three_plans()) as pilot:
        for number in range(60):
            pilot.app.push_screen(Picker(f"number {number}", (Choice("one"),)))
        await shows(pilot, "number 0")
        assert len(pilot.app.screen_stack) == 2


@pytest.mark.parametrize(("keys", "typed"), [(":theme paper", "theme paper"), ("?undo", "undo"), ("/banana", "banana")])
async def test_what_is_typed_while_a_dialog_opens_stands_in_its_field(keys: str, typed: str) -> None:
    async with deck(three_plans()) as pilot:
        await burst(pilot, keys)
        assert pilot.app.screen.query_one(Input).value == typed


async def test_a_whole_command_may_be_typed_ahead() -> None:
    async with deck(three_plans()) as pilot:
        await burst(pilot, ":theme paper\r")
        assert console_of(pilot).theme == "paper"
        assert not console_of(pilot).in_dialog


async def test_a_reason_is_never_typed_ahead() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await burst(pilot, "rbanana\r")
        assert pilot.app.screen.query_one(Input).value == ""


async def test_a_click_on_a_hint_does_what_its_key_does() -> None:
    async with deck(three_plans()) as pilot:
        text = screen_text(pilot).splitlines()[-1]
        await pilot.click("#hints", offset=(text.index("? Keys") + 1, 0))
        await shows(pilot, "Keys here")


async def test_a_click_on_a_dim_hint_says_why_it_does_nothing() -> None:
    async with deck(three_plans(), read_only=True) as pilot:
        text = screen_text(pilot).splitlines()[-1]
        await pilot.click("#hints", offset=(text.index("d Dry run") + 1, 0))
        await shows(pilot, "read-only: the console was started with --read-only")


async def test_what_has_no_key_is_found_among_the_keys_by_typing() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("question_mark")
        assert "Theme: Paper" not in await shows(pilot, "Keys here")
        await pilot.press(*"theme pap")
        await shows(pilot, "Theme: Paper")
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.theme == "paper"


@pytest.mark.parametrize("keys", ["2/tier:c", "3/deploy", "4/yes", "7/undo"])
async def test_no_letter_of_a_filter_is_taken_for_a_key(keys: str) -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press(keys[0])
        await settled(pilot)
        await burst(pilot, keys[1:])
        field = pilot.app.focused
        assert isinstance(field, FilterField)
        assert field.value == keys[2:]
        assert not console_of(pilot).in_dialog


@pytest.mark.parametrize(("key", "dialog"), [("r", "Reject p-"), ("p", "Snooze p-")])
async def test_hints_are_dim_while_a_question_is_open_and_lit_again_after_it(key: str, dialog: str) -> None:
    """None of their keys does anything meanwhile."""
    async with deck(three_plans()) as pilot:
        await pilot.press("2")
        await settled(pilot)
        hints = console_of(pilot).edges.hints
        lit = hints.styles.tint
        await pilot.press(key)
        await shows(pilot, dialog)
        await holds(pilot, lambda: hints.styles.tint != lit, "dim hints")
        await pilot.press("escape")
        await holds(pilot, lambda: hints.styles.tint == lit, "lit hints")


@pytest.mark.parametrize(("key", "dialog"), [("r", "Reject "), ("p", "Snooze ")])
async def test_no_toast_lies_over_a_question(key: str, dialog: str) -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("a")
        await shows(pilot, "plans marked")
        await pilot.press(key)
        await shows(pilot, dialog)
        await holds(pilot, lambda: "plans marked" not in screen_text(pilot), "a question in full sight")
