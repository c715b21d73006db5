"""Asks for the approval of a plan and applies what was approved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.plans.plan import OPEN_STATES
from tui.actions.outcome import say_done

if TYPE_CHECKING:  # all of it comes when something is set going, none of it before the first paint
    from collections.abc import Sequence
    from datetime import datetime

    from engine.errors import MemdeckError
    from engine.plans.approval import Approval
    from engine.plans.operation import Operation
    from engine.plans.plan import Plan, QueueEntry
    from tui.dialogs.behind import Behind
    from tui.dialogs.confirm import ConfirmDialog
    from tui.present.approvals.plan import LoadedPlan
    from tui.screen_host import ScreenHost

_LOW = 30  # on a terminal of fewer lines a dialog shows no gauges, so that the diff above it stays readable


class PlanApprovals:
    """Knows the plan that a dialog asks about."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app
        self.asking: tuple[str, ConfirmDialog] | None = None  # the plan that a dialog asks about, with the dialog

    def ask(self, entry: QueueEntry, loaded: LoadedPlan, numbers: tuple[int, ...], behind: Behind) -> None:
        """Opens the confirm dialog below the diff; only its answer can approve."""
        from tui.dialogs.confirm import ConfirmDialog
        from tui.present.approvals import approval_text

        def answered(approvals: tuple[Approval, ...] | None) -> None:
            self.asking = None
            for approval in approvals or ():
                self._apply(entry, loaded.plan, approval)

        dialog = ConfirmDialog(approval_text.about_plan(loaded, numbers, brief=self._app.size.height < _LOW), behind)
        self.asking = (entry.id, dialog)
        self._app.clear_notifications()
        self._app.push_screen(dialog, answered)

    @property
    def asks(self) -> bool:
        """Tells whether a question about a plan is the screen in front."""
        return self.asking is not None and self.asking[1].is_current

    def looked(self) -> None:
        """Further changes were on screen: the dialog that waits for them says so."""
        if self.asking is not None:
            self.asking[1].looked()

    def void_changed(self, entries: Sequence[QueueEntry], now: datetime) -> None:
        """A plan that changed while its dialog is open can't be approved any more, and the dialog says why."""
        if self.asking is None:
            return
        from tui.present.approvals.plan import state_words

        plan_id, dialog = self.asking
        entry = next((entry for entry in entries if entry.id == plan_id), None)
        # The yes would be bound to a digest that is no longer queued, and refused after it was typed (decision G11).
        if entry is None or entry.digest not in dialog.targets:
            dialog.void("this plan is no longer in the queue as it was shown")
        elif entry.state not in OPEN_STATES:
            dialog.void(state_words(entry, now))
        # Put off in another console or by a command: the operator decided against it for now.
        elif entry.snoozed_until is not None:
            dialog.void("this plan was snoozed meanwhile")

    def _apply(self, entry: QueueEntry, plan: Plan, approval: Approval) -> None:
        def done(operation: Operation) -> None:
            self._app.running.pop(entry.id, None)
            self._app.failed_plans.pop(entry.id, None)
            say_done(self._app, operation, "Applied")
            self._app.read_all()

        def failed(error: MemdeckError) -> None:
            self._app.running.pop(entry.id, None)
            self._app.failed_plans[entry.id] = error
            self._app.fail(error)
            self._app.show_running()
            self._app.read_all()

        title = f"apply {entry.id}"
        if self._app.bridge.long(
            title, lambda engine, tick: engine.plans.apply(plan, approval, tick=tick), done, failed
        ):
            self._app.running[entry.id] = "applying"
            self._app.show_running()
        else:
            self._app.say("other work is under way: approve again when it is done", severity="warning")
        self._app.show_work()
