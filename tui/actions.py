"""Starts what an operator asks for: dry runs, approving, refusing, undo, redo. Dialogs are loaded when first opened."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from engine.plans.operation import OperationState
from engine.workspace.values import LineSpan
from tui.present import glyphs
from tui.present.overview.what_if import FIRST_YEAR, LAST_YEAR
from tui.present.spans import Span
from tui.present.words import noun, safe

if TYPE_CHECKING:  # all of it comes when something is set going, none of it before the first paint
    from engine.errors import MemdeckError
    from engine.lifecycle.references.file_links import NoteLinks
    from engine.models.estimate import CostEstimate
    from engine.plans.approval import Approval
    from engine.plans.diff import FileDiff
    from engine.plans.operation import Operation
    from engine.plans.plan import Plan, QueueEntry
    from engine.plans.planning import PlanRequest
    from engine.plans.reversal import Reversal
    from engine.plans.status import PlanOutcome
    from engine.services.engine import Engine
    from engine.services.line_life import LineLife
    from engine.workspace.values import Tick
    from tui.dialogs.behind import Behind
    from tui.dialogs.confirm import ConfirmDialog
    from tui.present.approvals.plan import LoadedPlan
    from tui.screen_host import ScreenHost

_AROUND = 5
"""Lines shown before and after those that a line was made from."""
_EVERY_LINE = 1 << 30
"""More lines than any note has."""
_WIDE = 100
"""Cells from which on what is taken back is listed beside its diff, not in the dialog."""
_LOW = 30
"""On a terminal of fewer lines a dialog shows no gauges, so that the diff above it stays readable."""


WHAT_IF_STEPS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
"""Steps of the what-if clock by name, the smallest first."""
_FIRST, _LAST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime(LAST_YEAR, 12, 31, tzinfo=UTC)


class Actions:
    """Each method starts one thing; the engine's answer comes back on the screen's thread."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app
        self.supposed: datetime | None = None
        """The instant of the what-if clock, where the operator chose one."""
        self.step = "day"
        """By which the arrows move that clock."""
        self._ahead = timedelta()
        self.asking: tuple[str, ConfirmDialog] | None = None
        """The plan that a dialog asks about, with the dialog."""

    # The what-if clock

    def ask_instant(self, now: datetime, zone: str) -> None:
        """Asks for a date, then shows everything as of then; `esc` comes back from any screen."""
        from tui.dialogs.what_if import AskInstant

        def asked(at: datetime | None) -> None:
            if at is not None:
                self.suppose(at)

        self._app.push_screen(AskInstant(now, zone), asked)

    def suppose(self, at: datetime | None) -> None:
        """Puts the what-if clock to an instant; None puts it away."""
        self._real_ahead()
        self.supposed = at
        self._app.bridge.look(
            lambda engine: engine.suppose(at), lambda _: self._app.read_all(), self._app.fail, group="suppose"
        )

    def scrub(self, by: int) -> None:
        """Moves the what-if clock by so many of its steps; where that is now again, it is put away."""
        real = datetime.now(UTC) + self._real_ahead()
        step = WHAT_IF_STEPS[self.step]
        at = (self.supposed or real) + by * step
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

    # Dry runs

    def dry_run(self, system: str, request: PlanRequest | None = None, *, paid: bool = False) -> None:
        """Plans without writing; the plan waits in the queue. Where Claude would be asked, its price is told first.

        `paid`: the operator agreed to it.
        """
        import msgspec

        from engine.models.estimate import CostEstimate
        from engine.plans.planning import PlanRequest

        asked = request or PlanRequest()
        if self._app.read_only:
            self._app.say("read-only: the console was started with --read-only", severity="warning")
            return

        def make(engine: Engine, tick: Tick) -> PlanOutcome | CostEstimate:
            wanted = msgspec.structs.replace(asked, tick=tick)
            # In the thread of the work, since it reads what would be asked.
            price = None if paid else engine.plans.estimate(system, wanted)
            return price if price is not None and price.calls else engine.plans.make(system, wanted)

        def made(answer: PlanOutcome | CostEstimate) -> None:
            if isinstance(answer, CostEstimate):
                self._ask_price(system, asked, answer)
            else:
                self._planned(answer)

        started = self._app.bridge.long(f"dry run: {system}", make, made, self._app.fail)
        if not started and self._app.bridge.work is not None:
            self._app.say(f"wait: {self._app.bridge.work.title} is under way", severity="warning")
        self._app.show_work()

    def _ask_price(self, system: str, asked: PlanRequest, price: CostEstimate) -> None:
        """Asks whether a dry run may spend what it would cost; nothing was sent so far."""
        from tui.dialogs.picker import Picker
        from tui.present.choices import Choice

        def answered(chosen: str | None) -> None:
            if chosen:
                self.dry_run(system, asked, paid=True)

        choices = (
            Choice("Cancel", "nothing is sent, no plan is made"),
            Choice("Ask Claude", price.line(), "", "paid"),
        )
        self._app.push_screen(Picker(f"Dry run: {safe(system)}", choices, foot="choose"), answered)

    def revert(self, target: str) -> None:
        """Plans taking a change back; nothing is changed before that plan is approved."""
        if self._app.read_only:
            self._app.say("read-only: the console was started with --read-only", severity="warning")
            return
        self._app.bridge.long(
            "revert", lambda engine, _tick: engine.revert.plan((target,)), self._planned, self._app.fail
        )
        self._app.show_work_soon()

    def _planned(self, outcome: PlanOutcome) -> None:
        self._app.read_all()
        made = [*filter(None, [outcome.plan]), *outcome.also]
        if not made:
            self._app.say(outcome.reason_no_action or "nothing to do", title="Nothing to do")
            return
        first = made[0]
        self._app.expect(*(plan.id for plan in made))
        more = f", and {noun(len(made) - 1, 'more plan')}" if len(made) > 1 else ""
        changes = noun(len(first.changes), "change")
        flagged = f" · {noun(lines, 'flagged line')}" if (lines := first.flagged_lines()) else ""
        self._app.say(
            f"{first.id} · risk tier {first.risk_tier.value} · {changes}{flagged}{more}: key 2 shows it",
            title="A plan waits for you",
        )

    def run_due(self) -> None:
        """Dry runs that fell due while the console is open (decision G5: a missed job runs once)."""
        self._app.bridge.long(
            "due dry run", lambda engine, tick: engine.schedule.run_due(tick=tick), self._ran_due, self._app.fail
        )
        self._app.show_work()

    def _ran_due(self, outcomes: tuple[PlanOutcome, ...]) -> None:
        """Tells of its plans as of any plan that nobody here asked for."""
        self._app.read_all()

    # Approving and refusing

    def ask_approval(self, entry: QueueEntry, loaded: LoadedPlan, numbers: tuple[int, ...], behind: Behind) -> None:
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

    def _apply(self, entry: QueueEntry, plan: Plan, approval: Approval) -> None:
        def done(operation: Operation) -> None:
            self._app.running.pop(entry.id, None)
            self._app.failed_plans.pop(entry.id, None)
            self._say_done(operation, "Applied")
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

    def _say_done(self, operation: Operation, verb: str) -> None:
        sign = glyphs.OPERATION_STATES[operation.state]
        words = f"{operation.id} · {noun(len(operation.done), 'change')} · {sign.word}"
        good = operation.state is OperationState.DONE
        self._app.say(
            f"{sign.glyph} {words} · z undoes it" if good and verb == "Applied" else f"{sign.glyph} {words}",
            title=verb if good else f"{verb}, with problems",
            severity="information" if good else "warning",
        )

    # Undo and redo

    def undo(self, op_id: str | None = None) -> None:
        """Works out what taking back an operation would do, and shows it; None: the last one that stands."""
        if not self._may_write("undo"):
            return

        def read(engine: Engine, tick: Tick) -> tuple[Reversal, tuple[FileDiff, ...]]:
            reversal = engine.history.reversal(op_id, tick)
            return reversal, engine.history.reversal_diffs(reversal)

        def ask(found: tuple[Reversal, tuple[FileDiff, ...]]) -> None:
            self._ask_undo(*found)

        self._app.bridge.look_on("what an undo would do", read, ask, self._app.fail, group="undo")
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
            self._say_done(operation, "Undone")
            self._app.read_all()

        self._app.bridge.long(
            f"undo {reversal.operation}",
            lambda engine, tick: engine.history.undo(reversal, approval, tick),
            done,
            self._app.fail,
        )
        self._app.show_work()

    def redo(self, op_id: str | None = None) -> None:
        """Makes a new plan of what was undone (None: last); it waits in the queue like any other."""
        if self._may_write("redo"):
            self._app.bridge.look(lambda engine: engine.history.redo(op_id), self._redone, self._app.fail, group="redo")

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

    # Things to read

    def show_report(self, plan: Plan) -> None:
        from tui.dialogs.text_reader import TextReader

        text = plan.report or "this plan came without a report"
        lines = tuple((Span(safe(line)),) for line in text.split("\n"))
        self._app.push_screen(TextReader(f"Report of {safe(plan.id)}", lines))

    def show_digest(self) -> None:
        from tui.screens.approvals.reports import ReportsScreen

        self._app.push_screen(ReportsScreen())

    def show_source(self, span: LineSpan | None) -> None:
        """The lines of another file that a line was made from."""
        if span is None:
            self._app.say("this line came from no other file")
            return
        wanted = LineSpan(span.path, max(1, span.start - _AROUND), span.end + _AROUND)
        self._app.bridge.look(
            lambda engine: engine.plans.source_lines(wanted),
            lambda lines: self._show_source(span, wanted.start, lines),
            self._app.fail,
            group="source",
        )

    def show_note(self, path: str) -> None:
        """A note as it is now, whole."""
        self._app.bridge.look(
            lambda engine: engine.plans.source_lines(LineSpan(path, 1, _EVERY_LINE)),
            lambda texts: self._show_note(path, texts),
            self._app.fail,
            group="source",
        )

    def show_links(self, path: str) -> None:
        """Lists the backlinks and the links of a note, to go where one leads."""
        self._app.bridge.read(lambda engine: engine.references.links(path), self._show_links, self._app.fail, "links")

    def _show_links(self, found: NoteLinks) -> None:
        from tui.dialogs.picker import Picker
        from tui.present.links import chosen_place, link_choices

        def chosen(value: str | None) -> None:
            if value is not None:
                place = chosen_place(found, value)
                self.show_source(place) if place is not None else self._app.say("it leads to no note")

        rows = link_choices(found)
        if not rows:
            self._app.say("it has no link, and no note links to it", title=safe(found.path))
        elif not self._app.in_dialog:
            title = f"Links of {safe(found.path)}"
            picker = Picker(title, rows, placeholder="which link", foot="goes there", grouped=True)
            self._app.push_screen(picker, chosen)

    def show_life(self, path: str, line: int) -> None:
        """Follows a line of a note (from 1) from its raw log up to ROOT and semantic memory."""
        self._app.bridge.read(lambda engine: engine.tree.life(path, line), self._show_life, self._app.fail, "life")

    def _show_life(self, life: LineLife) -> None:
        from tui.screens.tree.line_life import LifeScreen

        self._app.push_screen(LifeScreen(life), lambda span: self._app.call_later(self._open_rung, span))

    async def _open_rung(self, span: LineSpan | None) -> None:
        """Goes to a line of the tree, out of all that lay over the screen; of a note it shows the lines around."""
        from engine.tree.levels import node_place
        from engine.tree.refs import raw_day

        if span is None:
            return
        while self._app.in_dialog:
            await self._app.pop_screen()
        if node_place(span.path) is not None or raw_day(span.path) is not None:
            await self._app.open_file(span.path, span.start)
        else:
            self.show_source(span)

    def _show_note(self, path: str, texts: tuple[str, ...]) -> None:
        from tui.dialogs.text_reader import TextReader
        from tui.present.source import note_lines

        if not self._app.in_dialog:
            self._app.push_screen(TextReader(safe(path), note_lines(texts)))

    def _show_source(self, span: LineSpan, first: int, texts: tuple[str, ...]) -> None:
        from tui.dialogs.text_reader import TextReader
        from tui.present.source import named, source_lines

        lines = source_lines(span, first, texts)
        if not self._app.in_dialog:
            self._app.push_screen(TextReader(named(span), lines))
