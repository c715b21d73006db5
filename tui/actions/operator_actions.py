"""Brings the actions together that more than one screen starts."""

from tui.actions.approvals import PlanApprovals
from tui.actions.dry_runs import DryRuns
from tui.actions.due_work import DueWork
from tui.actions.note_readers import NoteReaders
from tui.actions.reversals import Reversals
from tui.actions.what_if_clock import WhatIfClock
from tui.screen_host import ScreenHost


class Actions:
    """One attribute for each kind of action."""

    def __init__(self, app: ScreenHost) -> None:
        self.clock = WhatIfClock(app)
        self.dry_runs = DryRuns(app)
        self.due_work = DueWork(app, self.dry_runs, self.clock)
        self.approvals = PlanApprovals(app)
        self.reversals = Reversals(app)
        self.readers = NoteReaders(app)
