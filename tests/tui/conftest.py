"""A console, driven by keys and looked at as text."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import pytest
from rich.console import RenderableType
from textual import events
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.pilot import Pilot
from textual.widget import Widget

from engine.plans.operation import Witness
from engine.services.engine import Engine
from tests.prepared import Prepared
from tests.ready_demo import Demo, copy, shared
from tests.tui.idle import rest, working
from tests.tui.matched_styles import MatchedStyles
from tests.turn import TURN
from tests.values import NOW
from tui.app import MemdeckApp
from tui.bridge.engine_source import Opening
from tui.dialogs.confirm import ConfirmDialog
from tui.toolkit.compatibility import BY_TEXTUAL, own_painting
from tui.widgets.key_guard import QUIET_SECONDS

Deck = Pilot[Any]
Opener = Callable[..., AbstractAsyncContextManager[Deck]]

LOOK_SECONDS = 0.01
"""Between two looks at a console that waits for a thread or a timer."""
PAINTED_BY_TEXTUAL = 8
"""One test in so many has Textual's own painting."""
PATIENCE_SECONDS = 60.0
"""How long a test waits for what must come: other work may have the processor for most of it."""


@pytest.fixture(scope="session", autouse=True)
def a_style_sheet_is_parsed_and_matched_once() -> Iterator[None]:
    """The consoles of one process share the rules read from the same text under the same colours, and what matches."""
    parse, parsed = Stylesheet._parse_rules, dict[Hashable, list[RuleSet]]()

    def remembered(sheet: Stylesheet, css: str, read_from: CSSLocation, *more: Any, **named: Any) -> list[RuleSet]:
        key = (css, read_from, more, *sorted(named.items()), *sheet._variables.items())
        if key not in parsed:
            parsed[key] = parse(sheet, css, read_from, *more, **named)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", remembered)
        MatchedStyles(patch)
        yield


@pytest.fixture(autouse=True)
def a_busy_machine_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toolkit posts a message to every widget and gives up after 30 s; here the console is looked at instead."""

    async def patient(pilot: Deck, timeout: float = 0.0) -> bool:
        return await rest(pilot.app, max(timeout, 2 * PATIENCE_SECONDS))

    monkeypatch.setattr(Pilot, "_wait_for_screen", patient)


@pytest.fixture(autouse=True)
def textual_paints_in_some(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Textual's own painting in a share of the tests, drawn by the commit; in all of them by `make test-textual`."""
    ours = request.node.get_closest_marker("own_painting") is not None
    if ours and os.environ.get(BY_TEXTUAL):
        pytest.skip(f"is about memdeck's own painting, and {BY_TEXTUAL} is set")
    if ours or (crc32(request.node.nodeid.encode()) + TURN) % PAINTED_BY_TEXTUAL:
        yield
        return
    monkeypatch.setenv(BY_TEXTUAL, "textual")
    own_painting.cache_clear()
    yield
    own_painting.cache_clear()


@pytest.fixture(autouse=True)
def frames_are_drawn_in_some(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal takes the frames of a test, so most draw only what they look at; a share draws each frame.

    In that share are the tests of painting itself, and those that Textual paints.
    """
    share = (crc32(request.node.nodeid.encode()) + TURN) % PAINTED_BY_TEXTUAL
    if share < 2 or request.node.get_closest_marker("own_painting") is not None or os.environ.get(BY_TEXTUAL):
        return
    drawn = Compositor.render_update

    def counted(compositor: Compositor, full: bool = False, *more: Any, **named: Any) -> RenderableType | None:
        if full:
            return drawn(compositor, full, *more, **named)
        owed = bool(compositor._dirty_regions)
        compositor._dirty_regions.clear()
        return "" if owed else None

    monkeypatch.setattr(Compositor, "render_update", counted)


@pytest.fixture(autouse=True)
def a_person_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests have no terminal; a person at one is supposed."""
    seen = Witness(tty="/dev/pts/1", processes=("bash(1)",), user="ana", channel="console")
    monkeypatch.setattr("tui.dialogs.confirm.witness", lambda channel: seen)


@pytest.fixture(autouse=True)
def the_dialog_goes_by_the_clock_of_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prepared workspace has a clock that stands; an approval of today would lie ahead of it."""
    monkeypatch.setattr("tui.dialogs.confirm.datetime", SimpleNamespace(now=lambda _zone: NOW))


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A demonstration to look at; whoever changes it takes a copy of its own."""
    return copy(shared(tmp_path_factory), tmp_path_factory.mktemp("console-demo"))


@pytest.fixture
def own_demo(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Demo:
    """A demonstration of the test's own, to be changed."""
    return copy(shared(tmp_path_factory), tmp_path)


class Counting(MemdeckApp):
    """The console, which counts its paints: what is on screen is looked at once after each."""

    paints = 0

    def post_display_hook(self) -> None:
        self.paints += 1


@asynccontextmanager
async def deck(
    on: Engine | Prepared,
    size: tuple[int, int] = (120, 36),
    *,
    read_only: bool = False,
    theme: str = "night",
) -> AsyncIterator[Deck]:
    """The console on an engine, or on a prepared workspace as `~/agents/silas`, once it has read everything."""
    engine, home = (on.engine, str(Path.home())) if isinstance(on, Prepared) else (on, "/home/ana")
    app = Counting(Opening(engine.workspace, lambda: engine), read_only=read_only, user_home=home, theme=theme)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        yield pilot


async def settled(pilot: Deck) -> None:
    """Waits until no thread works and what it found is on screen."""
    app, quiet, until = console_of(pilot), 0, monotonic() + PATIENCE_SECONDS
    while monotonic() < until:
        await rest(app, PATIENCE_SECONDS)
        quiet = 0 if working(app) or app.bridge.work is not None else quiet + 1
        if quiet == 3:
            return
        await asyncio.sleep(LOOK_SECONDS)
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


async def look_through(pilot: Deck) -> int:
    """Pages through all that is asked about, until nothing is left that must be looked at; counts the keys."""
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog)
    for pressed in range(100):
        if not dialog._behind.shown().missing:
            return pressed
        await answer(pilot, "pagedown")
        await settled(pilot)
    raise AssertionError(f"never seen: {dialog._behind.shown()}")


def screen_text(pilot: Deck) -> str:
    """What is on screen, as lines of text."""
    visible_screen_stack.set(pilot.app._background_screens)  # what shows through a dialog
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in lines)


async def shows(pilot: Deck, *words: str) -> str:
    """Waits until all the words are on screen, and returns what is; fails with the screen where they never come."""
    text, looked = "", -1

    def there() -> bool:
        nonlocal text, looked
        app = console_of(pilot)
        now = app.paints if isinstance(app, Counting) else looked + 1
        if now != looked:
            text, looked = screen_text(pilot), now
        return all(word in text for word in words)

    await holds(pilot, there, f"{words} on screen")
    return text


async def holds(pilot: Deck, true: Callable[[], bool], what: str) -> None:
    """Waits until something is true of the console at rest; fails with what it is and the screen where it never is."""
    until = monotonic() + PATIENCE_SECONDS
    while True:
        await rest(pilot.app, PATIENCE_SECONDS)
        pilot.app.screen._on_timer_update()
        if true():
            return
        if pilot.app._exception is not None:
            raise pilot.app._exception
        assert monotonic() < until, f"{what} never came:\n{screen_text(pilot)}"
        await asyncio.sleep(LOOK_SECONDS)


def focused(pilot: Deck) -> Widget:
    """The widget that has the focus."""
    assert pilot.app.focused is not None
    return pilot.app.focused


def console_of(pilot: Deck) -> MemdeckApp:
    app = pilot.app
    assert isinstance(app, MemdeckApp)
    return app
