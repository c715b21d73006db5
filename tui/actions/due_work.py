"""Starts after each look what fell due: dry runs, a flush of a full window, commits of the agent's own changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.present.words import safe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from engine.plans.status import Status
    from tui.actions.dry_runs import DryRuns
    from tui.actions.what_if_clock import WhatIfClock
    from tui.screen_host import ScreenHost


class DueWork:
    """Starts nothing under `--read-only`, and nothing by the what-if clock."""

    def __init__(self, app: ScreenHost, dry_runs: DryRuns, clock: WhatIfClock) -> None:
        self._app, self._dry_runs, self._clock = app, dry_runs, clock
        self._ran: tuple[tuple[str, datetime], ...] = ()
        """The jobs that were started last, each with the time at which it fell due."""

    def start(self, status: Status) -> None:
        """Starts all that the look calls for."""
        self.run_due(status)
        self._flush(status)
        self._commit(status)

    def run_due(self, status: Status) -> None:
        """Starts dry runs that fell due, each once: what the engine did not get done is not tried over and over."""
        due = tuple((job.id, job.next_at) for job in status.due if job.overdue)
        # A supposed instant makes everything due: nothing is planned for a day that did not come (decision G18).
        may = not self._app.read_only and self._app.bridge.work is None and self._clock.supposed is None
        if due and due != self._ran and may:
            self._ran = due
            self._dry_runs.run_due()

    def _flush(self, status: Status) -> None:
        """A window from 90 % on calls for a flush, from 97.5 % for a backup; the engine knows when it did already."""
        # The two upper bands: `warning`, from 80 %, is only shown (decision B1).
        calls = status.window.get("band") in ("compact", "emergency") and not status.simulated_clock
        if calls and not self._app.read_only:
            self._app.bridge.read(lambda engine: engine.flushes.look(), lambda _: None)

    def _commit(self, status: Status) -> None:
        """Every half hour the agent's own changes are committed, where the policy wants it; what went wrong is told."""
        if not self._app.read_only and status.git and not status.simulated_clock and self._app.bridge.work is None:
            self._app.bridge.read(lambda engine: engine.schedule.commit_due(), self._committed)

    def _committed(self, told: Sequence[str]) -> None:
        if told:
            self._app.say("\n".join(safe(line) for line in told[:4]), title="Commits of the agent's changes")
