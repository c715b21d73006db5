"""Gives panes what they have in common: the console around them, what was read, and a moment's rest of the cursor."""

from collections.abc import Callable
from typing import cast

from textual.timer import Timer
from textual.widget import Widget

from tui.screen_host import ScreenHost
from tui.toolkit.declared import Declared
from tui.widgets.line_list import LineList


class Hosted(Declared):
    """A widget of a screen, which asks the console for what it shows."""

    @property
    def deck(self) -> ScreenHost:
        """The application, which all screens share."""
        return cast(ScreenHost, cast(Widget, self).app)


class OneList(Hosted):
    """A screen with one list."""

    @property
    def _list(self) -> LineList:
        return cast(Widget, self).query_one(LineList)


class Rest:
    """Calls what is wanted once nothing more was wanted for a while."""

    def __init__(self, owner: Widget) -> None:
        self._owner = owner
        self._timer: Timer | None = None

    def after(self, seconds: float, call: Callable[[], object]) -> None:
        """Calls after so many seconds; with 0 at once. What was wanted before is not called any more."""
        self.stop()
        if seconds:
            self._timer = self._owner.set_timer(seconds, call)
        else:
            call()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
