"""Defines the base classes of panes: access to the console, and a timer for the cursor's rest."""

from collections.abc import Callable
from typing import cast

from textual.timer import Timer
from textual.widget import Widget

from tui.screen_host import ScreenHost
from tui.toolkit.declared import Declared
from tui.widgets.line_list import LineList


class Hosted(Declared):
    """A widget that asks the console for what it shows."""

    @property
    def deck(self) -> ScreenHost:
        """The application, shared by all screens."""
        return cast(ScreenHost, cast(Widget, self).app)


class OneList(Hosted):
    """A screen with one list."""

    @property
    def _list(self) -> LineList:
        return cast(Widget, self).query_one(LineList)


class Rest:
    """Makes a call after a while without a newer one."""

    def __init__(self, owner: Widget) -> None:
        self._owner = owner
        self._timer: Timer | None = None

    def after(self, seconds: float, call: Callable[[], object]) -> None:
        """Calls after some seconds, with 0 at once; cancels an earlier call."""
        self.stop()
        if seconds:
            self._timer = self._owner.set_timer(seconds, call)
        else:
            call()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
