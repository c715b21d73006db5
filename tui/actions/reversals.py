"""Takes operations back, and makes a new plan of what was taken back (decision G20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.actions.outcome import say_done

if TYPE_CHECKING:  # all of it comes when something is set going, none of it before the first paint
    from engine.plans.approval import Approval
    from engine.plans.diff import FileDiff
    from engine.plans.operation import Operation, Reversal
    from engine.plans.plan import Plan
    from engine.services.engine import Engine
    from engine.workspace.values import Tick
    from tui.screen_host import ScreenHost

_WIDE = 100  # cells from which on what is taken back is listed beside its diff, not in the dialog


class Reversals:
    """Undo and redo."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app

    def undo(self, op_id: str | None = None) -> None:
        """Works out what taking back an operation would do, and shows it; None: the last one that stands."""
        if not self._may_write("undo"):
            return

        def read(engine: Engine, tick: Tick) -> tuple[Reversal, tuple[FileDiff, ...]]:
            reversal = engine.history.reversal(op_id, tick)
            return reversal, engine.history.reversal_diffs(reversal)

        def ask(found: tuple[Reversal, tuple[FileDiff, ...]]) -> None:
            self._ask_undo(*found)

        self._app.bridge.look_on("what an undo would do", read, ask)
        self._app.show_work_soon()

    def _ask_undo(self, reversal: Reversal, diffs: tuple[FileDiff, ...]) -> None:
        from tui.dialogs.confirm import ConfirmDialog
        from tui.present.approvals import approval_text
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
            ConfirmDialog(approval_text.about_reversal(reversal, brief=behind.lists), behind), answered
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
        """Makes a new plan of what was undone (None: last); it waits in the queue like any other."""
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
