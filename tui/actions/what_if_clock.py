"""Moves the what-if clock: everything is shown as of an instant that the operator chose (decision G18)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tui.present.overview.what_if import FIRST_YEAR, LAST_YEAR

if TYPE_CHECKING:  # all of it comes when something is set going, none of it before the first paint
    from tui.screen_host import ScreenHost

WHAT_IF_STEPS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
"""Steps of the what-if clock by name, the smallest first."""
_FIRST, _LAST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime(LAST_YEAR, 12, 31, tzinfo=UTC)


class WhatIfClock:
    """Holds the instant that is supposed, and the step of the arrows."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app
        self.supposed: datetime | None = None  # the instant of the what-if clock, where the operator chose one
        self.step = "day"  # by which the arrows move that clock
        self._ahead = timedelta()

    def ask_instant(self, now: datetime, zone: str) -> None:
        """Asks for a date, then shows everything as of then; `esc` comes back from any screen."""
        from tui.dialogs.what_if import AskInstant

        self._app.ask(AskInstant(now, zone), self.suppose)

    def suppose(self, at: datetime | None) -> None:
        """Puts the what-if clock to an instant; None puts it away."""
        self._real_ahead()
        self.supposed = at
        self._app.bridge.look(lambda engine: engine.suppose(at), lambda _: self._app.read_all())

    def scrub(self, by: int) -> None:
        """Moves the what-if clock by so many of its steps; where that is now again, it is put away."""
        real = datetime.now(UTC) + self._real_ahead()
        step = WHAT_IF_STEPS[self.step]
        at = (self.supposed or real) + by * step
        # A held key would run out of the calendar.
        at = max(_FIRST, min(at, _LAST))
        # Within half a step of now it is now: the way back seldom ends on the very second.
        self.supposed = None if abs(at - real) < step / 2 else at
        self._app.scrub_to(self.supposed)

    def _real_ahead(self) -> timedelta:
        """The time by which the engine's real clock is ahead of this machine's; asked for before one is supposed."""
        if self.supposed is None:
            self._ahead = self._app.now() - datetime.now(UTC)
        return self._ahead

    def next_step(self) -> str:
        """Takes the next larger step of the what-if clock, after the largest the smallest; its name."""
        names = list(WHAT_IF_STEPS)
        self.step = names[(names.index(self.step) + 1) % len(names)]
        return self.step
