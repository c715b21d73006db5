"""A console over the fake engine, driven by keys and looked at as text."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from engine.plans.approval import Witness
from tests.tui.fake_engine import FakeEngine
from tui.app import MemdeckApp
from tui.bridge.engine_port import Opening
from tui.widgets.key_guard import QUIET_SECONDS

Deck = Pilot[Any]
Opener = Callable[..., AbstractAsyncContextManager[Deck]]

PATIENCE_SECONDS = 60.0
"""How long a test waits for what must come: other work may have the processor for most of it."""


@pytest.fixture(autouse=True)
def a_busy_machine_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toolkit gives up on a screen that was not done with its messages within 30 s."""
    wait = Pilot._wait_for_screen

    async def patient(pilot: Deck, timeout: float = 0.0) -> bool:
        return await wait(pilot, max(timeout, 2 * PATIENCE_SECONDS))

    monkeypatch.setattr(Pilot, "_wait_for_screen", patient)


@pytest.fixture(autouse=True)
def a_person_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests have no terminal; a person at one is supposed."""
    seen = Witness(tty="/dev/pts/1", processes=("bash(1)",), user="ana", channel="console")
    monkeypatch.setattr("tui.dialogs.confirm.witness", lambda channel: seen)


@asynccontextmanager
async def deck(
    engine: FakeEngine, size: tuple[int, int] = (120, 36), *, read_only: bool = False, theme: str = "night"
) -> AsyncIterator[Deck]:
    """The console on `engine`, once it has read everything."""
    app = MemdeckApp(Opening(engine.workspace, lambda: engine), read_only=read_only, user_home="/home/ana", theme=theme)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield pilot


async def settled(pilot: Deck) -> None:
    """Waits until no thread works and what it found is on screen."""
    idle, until = 0, monotonic() + PATIENCE_SECONDS
    while monotonic() < until:
        await pilot.pause()
        busy = [worker for worker in pilot.app.workers if not worker.is_finished]
        idle = 0 if busy or console_of(pilot).bridge.work is not None else idle + 1
        if idle == 3:
            return
        await pilot.pause(0.01)
    raise AssertionError("the console never came to rest")


async def press_at(pilot: Deck, keys: Iterable[str], start: float, gap: float) -> None:
    """Presses keys as if at `start` and then every `gap` seconds (monotonic), however fast the test runs."""
    for number, key in enumerate(keys):
        event = events.Key(key, key if len(key) == 1 else None)
        event.time = start + number * gap
        pilot.app.post_message(event)
        await pilot.pause()


async def answer(pilot: Deck, *keys: str) -> None:
    """Presses keys one after the other at a person's pace, long after the question was on screen."""
    await pilot.pause()
    await press_at(pilot, keys, monotonic() + 10 * QUIET_SECONDS, 0.15)


def screen_text(pilot: Deck) -> str:
    """What is on screen, as lines of text."""
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in lines)


async def shows(pilot: Deck, *words: str) -> str:
    """Waits until all the words are on screen, and returns what is; fails with the screen where they never come."""
    await holds(pilot, lambda: all(word in screen_text(pilot) for word in words), f"{words} on screen")
    return screen_text(pilot)


async def holds(pilot: Deck, true: Callable[[], bool], what: str) -> None:
    """Waits until something is true; fails with what it is and the screen where it never comes."""
    until = monotonic() + PATIENCE_SECONDS
    while not true():
        assert monotonic() < until, f"{what} never came:\n{screen_text(pilot)}"
        await pilot.pause(0.02)


def console_of(pilot: Deck) -> MemdeckApp:
    app = pilot.app
    assert isinstance(app, MemdeckApp)
    return app
