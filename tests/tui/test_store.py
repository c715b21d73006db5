"""A push to a memory store from the console: the diffs, the word typed in the dialog, and what became of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.services.engine import Engine
from tests.engine.extras.store_server import STORE, StoreServer, store_server
from tests.engine.history.repos import write
from tests.engine.lifecycle.applying import approve
from tests.engine.models.loopback import KEY
from tests.tui.conftest import Deck, answer, deck, holds, look_through, settled, shows
from tui.dialogs.confirm import ConfirmDialog
from tui.screens.lifecycle.store_push import StorePushScreen

NOTE = "knowledge/projects/billing.md"
FIRST = "# Billing\n\n" + "".join(f"- Line {number} of the note.\n" for number in range(60))


@pytest.fixture(autouse=True)
def the_dialog_goes_by_the_clock_of_its_engine() -> None:
    """Its engine's clock is the real one."""


@pytest.fixture
def server() -> Iterator[StoreServer]:
    with store_server() as made:
        made.texts[f"/{NOTE}"] = made.texts["/knowledge/projects/shop.md"] = FIRST
        yield made


@pytest.fixture
def engine(tmp_path: Path, own_home: Path, server: StoreServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """The store was pulled and taken in, then both notes were changed here, at both of their ends."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (own_home / "config/memdeck").mkdir(parents=True)
    (own_home / "config/memdeck/policy.yaml").write_text(f"llm: {{url: '{server.url}'}}\n", "utf-8")
    write(tmp_path / "agent", {"knowledge/projects/_active.md": "# Active\n"})
    with Engine.open(tmp_path / "agent") as opened:
        approve(opened, opened.stores.pull(STORE).outcome.plan)
        changed = FIRST.replace("Billing", "Bills") + "- Paid.\n"
        write(opened.workspace, {NOTE: changed, "knowledge/projects/shop.md": changed})
        yield opened


async def typed(pilot: Deck, line: str) -> None:
    await pilot.press(":", *line, "enter")
    await settled(pilot)


async def asked(pilot: Deck) -> ConfirmDialog:
    await holds(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog), "the dialog")
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog)
    return dialog


async def test_g22_a_push_is_sent_once_all_was_on_screen_and_the_word_is_typed(
    engine: Engine, server: StoreServer
) -> None:
    """G11, G22."""
    async with deck(engine, (100, 30)) as pilot:
        await typed(pilot, f"store push {STORE}")
        dialog = await asked(pilot)
        await shows(pilot, "Push to", STORE, "no undo reverses it", "seen")
        await answer(pilot, *"APPROVED", "enter")
        assert dialog.is_current and server.writes == [], "not all of it was on screen"
        await look_through(pilot)
        await answer(pilot, "enter")
        await settled(pilot)
        await shows(pilot, "2 notes sent")
    assert server.texts[f"/{NOTE}"].endswith("- Paid.\n") and len(server.writes) == 2


async def test_what_changed_at_the_store_is_told_and_stays(engine: Engine, server: StoreServer) -> None:
    server.texts[f"/{NOTE}"] = "# Theirs\n"
    async with deck(engine, (100, 30)) as pilot:
        await typed(pilot, f"store push {STORE} {NOTE}")
        await asked(pilot)
        await look_through(pilot)
        await answer(pilot, *"APPROVED", "enter")
        await settled(pilot)
        await shows(pilot, "changed since", NOTE, "stays as it is at the store")
        await pilot.press("escape")
    assert server.texts[f"/{NOTE}"] == "# Theirs\n"


async def test_leaving_the_dialog_sends_nothing_and_keys_walk_through_the_notes(
    engine: Engine, server: StoreServer
) -> None:
    async with deck(engine, (100, 30)) as pilot:
        await typed(pilot, f"store push {STORE}")
        await asked(pilot)
        behind = next(one for one in pilot.app.screen_stack if isinstance(one, StorePushScreen))
        await answer(pilot, "right", "down", "up", "left", "pagedown", "pageup")
        assert behind.shown().total == 2 and behind.shown().seen >= 1
        await pilot.press("escape")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, ConfirmDialog | StorePushScreen)
    assert server.writes == []


async def test_a_push_without_a_reason_says_why(engine: Engine, server: StoreServer) -> None:
    async with deck(engine, (120, 30)) as pilot:
        await typed(pilot, "store push memstore_none")
        await shows(pilot, "it was never pulled")
        await typed(pilot, f"store push {STORE} private/x.md")
        await shows(pilot, "no such note")
        await typed(pilot, f"store push {STORE} --show")
        await shows(pilot, "- Paid.")
    async with deck(engine, (120, 30), read_only=True) as pilot:
        await typed(pilot, f"store push {STORE}")
        await shows(pilot, "read-only")
    assert server.writes == []
