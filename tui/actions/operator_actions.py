"""Groups the operator's actions, and adds the what-if clock and the work that falls due after each look."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from engine.plans.memory_status import Status
from tui.actions.approvals import PlanApprovals, Reversals
from tui.actions.dry_runs import DryRuns
from tui.actions.note_readers import NoteReaders
from tui.present.overview.what_if import FIRST_YEAR, LAST_YEAR
from tui.present.words import safe
from tui.screen_host import ScreenHost


class DueWork:
    """Starts work that fell due; none under `--read-only` or on a what-if clock."""

    def __init__(self, app: ScreenHost, dry_runs: DryRuns, clock: WhatIfClock) -> None:
        self._app, self._dry_runs, self._clock = app, dry_runs, clock
        self._ran: tuple[tuple[str, datetime], ...] = ()
        """The jobs that were started last, each with the time at which it fell due."""

    def start(self, status: Status) -> None:
        """Starts all work that a status calls for."""
        self.run_due(status)
        self._flush(status)
        self._commit(status)

    def run_due(self, status: Status) -> None:
        """Starts dry runs that fell due, each once, so that a failing one is not started again and again."""
        due = tuple((job.id, job.next_at) for job in status.due if job.overdue)
        # A supposed instant makes everything due: nothing is planned for a day that did not come (decision G18).
        may = not self._app.read_only and self._app.bridge.work is None and self._clock.supposed is None
        if due and due != self._ran and may:
            self._ran = due
            self._dry_runs.run_due()

    def _flush(self, status: Status) -> None:
        """Calls for a flush at 90 % of a window, for a backup at 97.5 %; the engine does neither twice."""
        # The two upper bands: `warning`, from 80 %, is only shown (decision B1).
        calls = status.window.get("band") in ("compact", "emergency") and not status.simulated_clock
        if calls and not self._app.read_only:
            self._app.bridge.read(lambda engine: engine.flushes.look(), lambda _: None)

    def _commit(self, status: Status) -> None:
        """Commits the agent's own changes every half hour if the policy says so; reports errors."""
        if not self._app.read_only and status.git and not status.simulated_clock and self._app.bridge.work is None:
            self._app.bridge.read(lambda engine: engine.schedule.commit_due(), self._committed)

    def _committed(self, told: Sequence[str]) -> None:
        if told:
            self._app.say("\n".join(safe(line) for line in told[:4]), title="Commits of the agent's changes")


WHAT_IF_STEPS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
"""Steps of the what-if clock by name, the smallest first."""
_FIRST, _LAST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime(LAST_YEAR, 12, 31, tzinfo=UTC)


class WhatIfClock:
    """Holds the instant of the what-if clock, and the step of the arrows."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app
        self.supposed: datetime | None = None  # the instant of the what-if clock, where the operator chose one
        self.step = "day"  # by which the arrows move that clock
        self._ahead = timedelta()

    def ask_instant(self, now: datetime, zone: str) -> None:
        """Asks for a date, then shows everything as of that date; `esc` ends it on any screen."""
        from tui.dialogs.what_if import AskInstant

        self._app.ask(AskInstant(now, zone), self.suppose)

    def suppose(self, at: datetime | None) -> None:
        """Sets the what-if clock to an instant; None ends it."""
        self._real_ahead()
        self.supposed = at
        self._app.bridge.look(lambda engine: engine.suppose(at), lambda _: self._app.read_all())

    def scrub(self, by: int) -> None:
        """Moves the what-if clock by a number of steps; ends it on reaching the present."""
        real = datetime.now(UTC) + self._real_ahead()
        step = WHAT_IF_STEPS[self.step]
        at = (self.supposed or real) + by * step
        # A held key would run out of the calendar.
        at = max(_FIRST, min(at, _LAST))
        # Within half a step of now it is now: the way back seldom ends on the very second.
        self.supposed = None if abs(at - real) < step / 2 else at
        self._app.scrub_to(self.supposed)

    def _real_ahead(self) -> timedelta:
        """Returns how far the engine's real clock is ahead of this machine's, measured while no instant is set."""
        if self.supposed is None:
            self._ahead = self._app.now() - datetime.now(UTC)
        return self._ahead

    def next_step(self) -> str:
        """Changes to the next larger step, or from the largest to the smallest, and returns its name."""
        names = list(WHAT_IF_STEPS)
        self.step = names[(names.index(self.step) + 1) % len(names)]
        return self.step


class Actions:
    """One attribute for each kind of action."""

    def __init__(self, app: ScreenHost) -> None:
        self.clock = WhatIfClock(app)
        self.dry_runs = DryRuns(app)
        self.due_work = DueWork(app, self.dry_runs, self.clock)
        self.approvals = PlanApprovals(app)
        self.reversals = Reversals(app)
        self.readers = NoteReaders(app)
