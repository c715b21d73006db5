"""Approves many plans with one answer: reads those that may be together, shows them, asks, and applies them."""

from collections.abc import Callable, Sequence
from functools import partial

from engine.errors import MemdeckError
from engine.plans.operation import Approval, Operation, OperationState
from engine.plans.plan import QueueEntry
from engine.services.engine import Engine
from engine.workspace.values import Progress, Tick
from tui.bridge.engine_source import each_applied
from tui.present.approvals import batch
from tui.present.approvals.batch import BatchItem
from tui.present.approvals.plan_head import LoadedPlan
from tui.present.words import noun
from tui.screen_host import ScreenHost
from tui.screens.approvals.viewed_plans import ApprovalsState, load

_NAMED = 6  # plans with an error that a message names


class BatchActions:
    """Approves each plan with its own digest; a refused plan does not stop the others."""

    def __init__(self, app: ScreenHost, desk: ApprovalsState, decided: Callable[[], None]) -> None:
        self._app, self._desk, self._decided = app, desk, decided

    @staticmethod
    def why_not(marked: Sequence[QueueEntry]) -> str:
        """Says why the marked plans cannot be approved together; empty where some can."""
        able = sum(not batch.why_not(entry) for entry in marked)
        if able > batch.MOST:
            return f"{able} plans are marked: approve at most {batch.MOST} at once"
        return "" if able else f"none of the marked plans can be approved together: {batch.why_not(marked[0])}"

    def ask(self, marked: Sequence[QueueEntry]) -> None:
        """Reads the marked plans, then shows all and asks for their number."""
        able, front = [entry for entry in marked if not batch.why_not(entry)], self._app.screen
        left_out = [why for why in map(batch.why_not, marked) if why]

        def read(engine: Engine, tick: Tick) -> tuple[LoadedPlan, ...]:
            loaded = []
            for number, entry in enumerate(able):
                tick(Progress("reading", number, len(able)))
                loaded.append(load(self._engine_of(entry, engine), entry.id))
            return tuple(loaded)

        def done(loaded_plans: tuple[LoadedPlan, ...]) -> None:
            # The plans are read in the background: a dialog that opened meanwhile is not covered.
            if self._app.screen is not front or not self._ask(able, loaded_plans, left_out):
                self._ended()

        def failed(error: MemdeckError) -> None:
            self._ended()
            self._app.fail(error)

        self._app.bridge.long(f"read {noun(len(able), 'plan')}", read, done, failed)
        self._app.show_work()

    def _engine_of(self, entry: QueueEntry, engine: Engine) -> Engine:
        return engine

    def _agent_of(self, entry: QueueEntry) -> str:
        """Returns the agent of a plan; empty if all plans belong to one agent."""
        return ""

    def _ended(self) -> None:
        """Handles the end of the batch; does nothing here."""

    def _ask(self, entries: Sequence[QueueEntry], loaded: Sequence[LoadedPlan], left_out: list[str]) -> bool:
        from tui.dialogs.confirm import ConfirmDialog
        from tui.screens.approvals.batch import BatchScreen

        items = []
        for entry, plan in zip(entries, loaded, strict=True):
            # The operator marked what the queue showed: another digest is another plan.
            why = "changed since" if plan.digest != entry.digest else batch.gates_failed(plan.plan)
            if why:
                left_out.append(why)
            else:
                items.append(BatchItem(entry, plan, self._desk.chosen(plan), self._agent_of(entry)))
        if len(items) < 2:
            why = f": {left_out[0]}" if left_out else ""
            self._app.say(f"fewer than two of them can be approved together{why}", severity="warning")
            return False
        behind = BatchScreen(items, self._desk)

        def answered(approvals: tuple[Approval, ...] | None) -> None:
            behind.dismiss(None)
            if approvals:
                self._decided()
                self._apply(items, approvals)
            else:
                self._ended()

        self._app.clear_notifications()
        self._app.push_screen(behind)
        behind.dialog = ConfirmDialog(batch.ask(items, left_out), behind)
        self._app.push_screen(behind.dialog, answered)
        return True

    def _apply(self, items: Sequence[BatchItem], approvals: Sequence[Approval]) -> None:
        ids = [item.name for item in items]

        def apply(engine: Engine, tick: Tick) -> tuple[Operation | MemdeckError, ...]:
            each = zip(items, approvals, strict=True)
            plans = (
                (self._engine_of(chosen.entry, engine).plans, chosen.loaded.plan, approval) for chosen, approval in each
            )
            return tuple(each_applied([partial(mine.apply, plan, approval) for mine, plan, approval in plans], tick))

        def done(results: tuple[Operation | MemdeckError, ...]) -> None:
            self._over(ids)
            self._say(ids, results)

        def failed(error: MemdeckError) -> None:
            self._over(ids)
            self._app.fail(error)

        if self._app.bridge.long(f"apply {noun(len(items), 'plan')}", apply, done, failed):
            self._app.running.update(dict.fromkeys(ids, "approved"))
            self._app.show_running()
        else:
            self._ended()
            self._app.say("other work is under way: approve again when it is done", severity="warning")
        self._app.show_work()

    def _over(self, ids: Sequence[str]) -> None:
        for plan_id in ids:
            self._app.running.pop(plan_id, None)
        self._app.read_all()
        self._ended()

    def _say(self, ids: Sequence[str], results: Sequence[Operation | MemdeckError]) -> None:
        errors = [(i, result) for i, result in zip(ids, results, strict=False) if isinstance(result, MemdeckError)]
        self._app.failed_plans.update(errors)
        done = sum(isinstance(outcome, Operation) and outcome.state is OperationState.DONE for outcome in results)
        words = f"{done} of {noun(len(ids), 'plan')} applied · z undoes the last"
        words += "".join(f"\n✗ {plan_id}: {error.line()}" for plan_id, error in errors[:_NAMED])
        untried = len(ids) - len(results)
        words += f"\n{noun(untried, 'plan')} not begun" if untried else ""
        if done == len(ids):
            self._app.say(words, title="Applied")
        else:
            self._app.say(words, title="Applied in part", severity="warning")
