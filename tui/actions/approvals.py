"""Asks for the approval of a plan, applies approved plans, and undoes operations (decision G20)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from engine.errors import MemdeckError
from engine.plans.operation import Approval, Operation, OperationState, Reversal
from engine.plans.plan import OPEN_STATES, Plan, QueueEntry
from engine.workspace.values import Tick
from tui.present import glyphs
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.plans.diff import FileDiff
    from engine.services.engine import Engine
    from tui.dialogs.confirm import ConfirmDialog
    from tui.dialogs.diff_behind import Behind
    from tui.present.approvals.plan_head import LoadedPlan
    from tui.screen_host import ScreenHost


def say_done(app: ScreenHost, operation: Operation, verb: str) -> None:
    """Shows a toast with the number of changes and the state of an operation; `verb` names what was asked for."""
    sign = glyphs.OPERATION_STATES[operation.state]
    words = f"{operation.id} · {noun(len(operation.done), 'change')} · {sign.word}"
    good = operation.state is OperationState.DONE
    app.say(
        f"{sign.glyph} {words} · z undoes it" if good and verb == "Applied" else f"{sign.glyph} {words}",
        title=verb if good else f"{verb}, with problems",
        severity="information" if good else "warning",
    )


_LOW = 30  # on a terminal of fewer lines a dialog shows no gauges, so that the diff above it stays readable


class PlanApprovals:
    """Asks for approvals, and remembers the plan that the open dialog is about."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app
        self.asking: tuple[str, ConfirmDialog] | None = None  # the plan that a dialog asks about, with the dialog

    def ask(self, entry: QueueEntry, loaded: LoadedPlan, numbers: tuple[int, ...], behind: Behind) -> None:
        """Opens the confirm dialog below the diff; only the answer of that dialog can approve."""
        from tui.dialogs.confirm import ConfirmDialog
        from tui.present.approvals import approval_question

        def answered(approvals: tuple[Approval, ...] | None) -> None:
            self.asking = None
            for approval in approvals or ():
                self._apply(entry, loaded.plan, approval)

        dialog = ConfirmDialog(
            approval_question.about_plan(loaded, numbers, brief=self._app.size.height < _LOW), behind
        )
        self.asking = (entry.id, dialog)
        self._app.clear_notifications()
        self._app.push_screen(dialog, answered)

    @property
    def asks(self) -> bool:
        """Tells whether the confirm dialog of a plan is the screen in front."""
        return self.asking is not None and self.asking[1].is_current

    def looked(self) -> None:
        """Tells the open dialog that more changes were on screen."""
        if self.asking is not None:
            self.asking[1].looked()

    def void_changed(self, entries: Sequence[QueueEntry], now: datetime) -> None:
        """Ends the approval in the open dialog if its plan changed, and says why."""
        if self.asking is None:
            return
        from tui.present.approvals.plan_head import state_words

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


_WIDE = 100  # cells from which on what is taken back is listed beside its diff, not in the dialog


class Reversals:
    """Undo and redo."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app

    def undo(self, op_id: str | None = None) -> None:
        """Computes what an undo would do and shows it; None means the last operation that can be undone."""
        if not self._may_write("undo"):
            return

        def read(engine: Engine, tick: Tick) -> tuple[Reversal, tuple[FileDiff, ...]]:
            reversal = engine.history.reversal(op_id, tick)
            return reversal, engine.history.reversal_diffs(reversal)

        self._app.bridge.look_on("what an undo would do", read, lambda answer: self._ask_undo(*answer))
        self._app.show_work_soon()

    def _ask_undo(self, reversal: Reversal, diffs: tuple[FileDiff, ...]) -> None:
        from tui.dialogs.confirm import ConfirmDialog
        from tui.present.approvals import approval_question
        from tui.screens.history.undo import UndoScreen

        # Another dialog came to the front while the reversal was worked out.
        if self._app.in_dialog:
            return
        behind = UndoScreen(reversal, diffs, lists=self._app.size.width >= _WIDE)

        def answered(approvals: tuple[Approval, ...] | None) -> None:
            behind.dismiss(None)
            for approval in approvals or ():
                self._undo(reversal, approval)

        self._app.clear_notifications()
        self._app.push_screen(behind)
        self._app.push_screen(
            ConfirmDialog(approval_question.about_reversal(reversal, brief=behind.lists), behind), answered
        )

    def _undo(self, reversal: Reversal, approval: Approval) -> None:
        def done(operation: Operation) -> None:
            say_done(self._app, operation, "Undone")
            self._app.read_all()

        self._app.bridge.long(
            f"undo {reversal.operation}", lambda engine, tick: engine.history.undo(reversal, approval, tick), done
        )
        self._app.show_work()

    def redo(self, op_id: str | None = None) -> None:
        """Makes a new plan from what was undone (None: the last); it waits in the queue like any other."""
        if self._may_write("redo"):
            self._app.bridge.look(lambda engine: engine.history.redo(op_id), self._redone)

    def _redone(self, plan: Plan) -> None:
        self._app.expect(plan.id)
        self._app.say(f"{plan.id} does it again once approved: key 2", title="A plan waits for you")
        self._app.read_all()

    def _may_write(self, what: str) -> bool:
        if self._app.read_only:
            self._app.say(f"{what}: read-only, the console was started with --read-only", severity="warning")
        elif self._app.bridge.work is not None:
            self._app.say(f"{what}: wait, {self._app.bridge.work.title} is under way", severity="warning")
        else:
            return True
        return False
