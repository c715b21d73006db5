"""Plays a scene: starts the console on its engine, presses its keys, and waits until nothing moves any more.

Nothing waits for a time to pass: a scene goes on when no thread works, no message is on its way and no timer is due.
"""

import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from textual._context import visible_screen_stack
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input, TextArea
from textual.widgets._toast import Toast

from engine.plans.operation import Witness
from engine.services.engine import Engine
from tests.gallery.scene import Scene, Size, Step
from tests.prepared import Prepared
from tests.values import NOW
from tui.app import MemdeckApp
from tui.bridge.engine_source import Opening

SHOWN_AS = Path("/home/ana/agents/silas")
"""Where every workspace seems to lie: no picture names a folder of this machine."""
PATIENCE_SECONDS = 60.0
_LOOK_SECONDS, _STILL = 0.01, 3
"""How often it is looked between two keys, and how many looks must find it at rest."""
_LOOK_SECONDS_AT_LAST, _STANDS = 0.08, 4
"""The same before it is drawn: what looks every 0.3 s whether there is something to show has done so."""
_PERSON = Witness(tty="/dev/pts/1", processes=("bash(1)",), user="ana", channel="console")


class Lost(AssertionError):
    """A scene did not come to where it leads."""


class Played(MemdeckApp):
    """The console, which notes the functions that opened what lies over its pages."""

    doors: tuple[str, ...] = ()
    prepared: Prepared | None = None
    """The workspace by hand that the scene is about."""

    def push_screen(self, screen: Any, *arguments: Any, **options: Any) -> Any:
        opener = sys._getframe(1)
        if opener.f_code.co_qualname == "ScreenHost.ask":  # the page that asks is the door
            opener = sys._getframe(2)
        self.doors += (f"{opener.f_globals['__name__']}:{opener.f_code.co_qualname}",)
        return super().push_screen(screen, *arguments, **options)


@asynccontextmanager
async def played(scene: Scene, size: Size, theme: str, now: datetime = NOW) -> AsyncIterator[Pilot[Any]]:
    """The console as the scene shows it, until it is left; `now` is the clock of its approvals."""
    with TemporaryDirectory() as state, _a_person(now):
        app = Played(
            Opening(SHOWN_AS, lambda: _opened(app, scene)),
            user_home="/home/ana",
            theme=theme,
            read_only=scene.read_only,
            env={"XDG_STATE_HOME": state} if scene.newcomer else {},
        )
        async with app.run_test(size=size, notifications=True) as pilot:
            await rest(pilot, busy=scene.busy and not scene.steps)
            for step in scene.steps:
                await _take(pilot, step, busy=scene.busy)
            await stand(pilot, busy=scene.busy)
            yield pilot
            if app.bridge.cancel():
                await rest(pilot)


@contextmanager
def _a_person(now: datetime) -> Iterator[None]:
    """One at a terminal, by the clock of the workspace."""
    clock = SimpleNamespace(now=now.astimezone)
    with (
        patch("tui.dialogs.confirm.witness", lambda channel: _PERSON),
        patch("tui.dialogs.confirm.datetime", clock),
    ):
        yield


def _opened(app: Played, scene: Scene) -> Engine:
    made = scene.engine()
    if isinstance(made, Prepared):
        app.prepared = made
        return made.engine
    return made


async def wear(pilot: Pilot[Any], theme: str, scene: Scene) -> None:
    """Puts other colours on."""
    app = app_of(pilot)
    if app.looks.chosen != theme:
        app.looks.wear(theme)
        await stand(pilot, busy=scene.busy)


async def _take(pilot: Pilot[Any], step: Step, *, busy: bool) -> None:
    if isinstance(step, str):
        await pilot.press(step)
    else:
        await _hold(pilot, lambda app: step(app) is not False, 1)
    await rest(pilot, busy=busy)


async def rest(pilot: Pilot[Any], *, busy: bool = False) -> None:
    """Waits until no thread works and nothing is due; `busy`: but for long work, which goes on."""
    await _hold(pilot, lambda app: not _moves(app, busy=busy), _STILL)


async def stand(pilot: Pilot[Any], *, busy: bool = False) -> None:
    """Waits until what is on screen does not change any more either."""
    before = ""

    def still(app: MemdeckApp) -> bool:
        nonlocal before
        earlier, before = before, "" if _moves(app, busy=busy) else words(app)
        return bool(before) and earlier == before

    await _hold(pilot, still, _STANDS, _LOOK_SECONDS_AT_LAST)


async def _hold(
    pilot: Pilot[Any], true: Callable[[MemdeckApp], bool], times: int, seconds: float = _LOOK_SECONDS
) -> None:
    """Waits until something is true at so many looks in a row."""
    app, seen, until = app_of(pilot), 0, monotonic() + PATIENCE_SECONDS
    while seen < times:
        if monotonic() > until:
            raise Lost(f"the console never came to rest:\n{words(app)}")
        await pilot.pause(seconds)
        seen = seen + 1 if true(app) else 0


def _moves(app: MemdeckApp, *, busy: bool) -> bool:
    working = app.bridge.work is not None or any(not one.is_finished for one in app.workers)
    return (working and not busy) or any(_due(app))


def _due(app: MemdeckApp) -> Iterator[str]:
    """Timers that go off once, and have not yet; a toast goes when it goes."""
    pumps: list[MessagePump] = [app]
    for screen in app.screen_stack:
        pumps.extend(node for node in screen.walk_children(with_self=True) if not isinstance(node, Toast))
    for pump in pumps:
        for timer in list(pump._timers):
            if timer._repeat == 0 and timer._task is not None and not timer._task.done():
                yield timer.name


def app_of(pilot: Pilot[Any]) -> Played:
    app = pilot.app
    assert isinstance(app, Played)
    return app


def strips(app: MemdeckApp) -> list[Strip]:
    """What is on screen line by line, behind all filters, with what shows through a dialog."""
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


def words(app: MemdeckApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in strips(app))


def svg(app: MemdeckApp, title: str = "memdeck") -> str:
    """A picture. The font is named, never fetched: it loads nothing from elsewhere."""
    for field in app.screen.query(Input):
        field._pause_blink(visible=True)
    for text in app.screen.query(TextArea):
        text._pause_blink(visible=text.has_focus)
    return re.sub(r"@font-face \{.*?\}\s*", "", app.export_screenshot(title=title), flags=re.DOTALL)
