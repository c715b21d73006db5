"""Starts dry runs, whose plans wait in the queue; asks first if a dry run costs money."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError
from engine.workspace.values import Tick
from tui.present.words import noun, safe

if TYPE_CHECKING:  # all of it comes when something is set going, none of it before the first paint
    from engine.models.model_task import CostEstimate
    from engine.plans.planning import PlanOutcome, PlanRequest
    from engine.services.engine import Engine
    from tui.screen_host import ScreenHost
    from tui.widgets.searchable_pane import LinePlace


class DryRuns:
    """Makes plans, which write nothing in the workspace, one at a time."""

    def __init__(self, app: ScreenHost) -> None:
        self._app = app

    def start(self, system: str, request: PlanRequest | None = None, *, paid: bool = False) -> None:
        """Makes a plan, which waits in the queue; asks before paying Claude unless the price was agreed to (`paid`)."""

        from engine.models.model_task import CostEstimate
        from engine.plans.planning import PlanRequest

        asked = request or PlanRequest()
        if not self._app.may_write():
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

        if not self._app.bridge.long(f"dry run: {system}", make, made):
            self._app.say(self._app.lacks_idle(), severity="warning")
        self._app.show_work()

    def _ask_price(self, system: str, asked: PlanRequest, price: CostEstimate) -> None:
        """Asks whether a dry run may spend its estimated cost; nothing was sent so far."""
        from tui.dialogs.picker import Picker
        from tui.present.choices import Choice

        choices = (Choice("Cancel", "nothing is sent, no plan is made"), Choice("Ask Claude", price.line(), "", "paid"))
        picker = Picker(f"Dry run: {safe(system)}", choices, foot="choose")
        self._app.ask(picker, lambda _: self.start(system, asked, paid=True))

    def revert(self, target: str) -> None:
        """Plans the reversal of a change; nothing changes before that plan is approved."""
        if not self._app.may_write():
            return
        self._app.bridge.long("revert", lambda engine, _tick: engine.revert.plan((target,)), self._planned)
        self._app.show_work_soon()

    def forget(self, place: LinePlace) -> None:
        """Asks which fact of a line to forget and how thoroughly, and makes the plan."""
        from engine.services.sought_texts import ALL
        from engine.text.secrets.detector import redact
        from engine.text.sentences import sentences
        from tui.dialogs.picker import Picker
        from tui.present.choices import Choice

        def found(line_said: tuple[str, str]) -> None:
            line, said = line_said
            facts = sentences(said)

            def answered(number: str) -> None:
                words = said if number == ALL else facts[int(number) - 1]
                asked = {"take": f"{line}.{number}"} if line else {"words": words}
                self.forget_all(f"{line} “{redact(words)[:80]}”".strip(), **asked)

            if len(facts) == 1:
                answered(ALL)
                return
            choices = [Choice(f"{at}  {safe(redact(fact))}", value=str(at)) for at, fact in enumerate(facts, 1)]
            every = Choice(f"All {len(facts)} facts", value=ALL)
            self._app.ask(Picker(f"Which fact of {safe(line or 'it')}?", (*choices, every), foot="choose"), answered)

        self._find(place, found)

    def correct(self, place: LinePlace) -> None:
        """Asks for the true text of a line, and plans the correction."""
        self._find(place, self._ask_what_holds)

    def _find(self, place: LinePlace, ask: Callable[[tuple[str, str]], None]) -> None:
        """Finds a line in the note as it is now, since a diff or an answer may show an earlier state."""
        if self._app.may_write():
            self._app.bridge.read(lambda engine: engine.receipts.line_now(*place), ask)

    def forget_all(self, title: str, **what: str) -> None:
        """Asks how thoroughly to forget what a request names (`about`, `address` …), and makes the plan."""
        from engine.lifecycle.requests import ForgetRequest
        from engine.plans.planning import PlanRequest
        from tui.dialogs.picker import Picker
        from tui.present.choices import Choice

        def answered(chosen: str) -> None:
            asked = {key: (value,) for key, value in what.items()}
            self.start("forget", PlanRequest(ForgetRequest(**asked, raw=chosen != "made", history=chosen == "history")))

        choices = (
            Choice("Cancel", "nothing is planned"),
            Choice("From what was made of it", "raw logs, transcripts and kept originals stay", "", "made"),
            Choice("From its sources too", "git's history stays", "", "raw"),
            Choice("From git's history too", "ids of commits change", "", "history"),
        )
        self._app.ask(Picker(f"Forget {safe(title)}", choices, foot="choose"), answered)

    def _ask_what_holds(self, line_said: tuple[str, str]) -> None:
        from engine.lifecycle.requests import CorrectRequest
        from engine.plans.planning import PlanRequest
        from tui.dialogs.line_input import AskLine

        if not (line := line_said[0]):
            self._app.say("no note says this line any more: x forgets what is left of it", severity="warning")
            return

        def answered(value: str) -> None:
            self.start("correct", PlanRequest(CorrectRequest(take=(line,), value=value)))

        title = f"Correct {safe(line)}: what holds in its place?"
        asked = AskLine(title, "", "plan it", empty="say what holds", value=line_said[1])
        self._app.ask(asked, answered)

    def edit(self, path: str, line: int) -> None:
        """Opens a copy of a note in the operator's editor; the saved text becomes a plan."""
        if not self._app.may_write():
            return
        if why := self._app.lacks_idle():
            self._app.say(why, severity="warning")
            return
        read = self._app.bridge.read
        read(lambda engine: engine.revert.text_to_edit(path), lambda text: self._lend(path, text, line))

    def _lend(self, path: str, text: bytes, line: int) -> None:
        from tui.system.editor import edited

        try:
            written = edited(self._app, path, text, line)
        except MemdeckError as error:
            self._app.fail(error)
            return
        if written == text:
            self._app.say(f"nothing was changed in {safe(path)} (an editor with windows has to wait: code --wait)")
            return

        def lost(error: MemdeckError) -> None:
            """Copies the operator's text out, since the plan for it failed."""
            self._app.fail(error)
            self._app.copy_out(written.decode("utf-8", "replace"))

        def make(engine: Engine, tick: Tick) -> PlanOutcome:
            return engine.revert.edit(path, text, written, tick)

        self._app.bridge.long(f"edit {safe(path)}", make, self._planned, lost)
        self._app.show_work_soon()

    def keep_loss(self, path: str) -> None:
        """Asks whether to keep a file that lost content; a yes ends its alarm."""
        from tui.dialogs.picker import Picker
        from tui.present.choices import Choice

        def answered(_: str) -> None:
            self._app.bridge.look(lambda engine: engine.alarms.accept(path), kept)

        def kept(_: None) -> None:
            self._app.say(f"{safe(path)} stays as it is: its alarm is over", title="Kept")
            self._app.read_all()

        choices = (
            Choice("Cancel", "the alarm stays"),
            Choice("Keep it as it is", "what was lost is not offered again", "", "keep"),
        )
        self._app.ask(Picker(f"The loss in {safe(path)}", choices, foot="choose"), answered)

    def _planned(self, outcome: PlanOutcome) -> None:
        self._app.read_all()
        # A run that finds work of another kind, such as sharding, queues it as a plan of its own (decision A22).
        if not (made := [*filter(None, [outcome.plan]), *outcome.also]):
            self._app.say(outcome.reason_no_action or "nothing to do", title="Nothing to do")
            return
        first = made[0]
        # Before the queue is read again: a plan that was asked for is no news.
        self._app.expect(*(plan.id for plan in made))
        more = f", and {noun(len(made) - 1, 'more plan')}" if len(made) > 1 else ""
        changes = noun(len(first.changes), "change")
        flagged = f" · {noun(lines, 'flagged line')}" if (lines := first.flagged_lines()) else ""
        self._app.say(
            f"{first.id} · risk tier {first.risk_tier.value} · {changes}{flagged}{more}: key 2 shows it",
            title="A plan waits for you",
        )

    def run_due(self) -> None:
        """Starts the dry runs that fell due while the console is open (decision G5: a missed job runs once)."""
        self._app.bridge.long(
            "due dry run", lambda engine, tick: engine.schedule.run_due(tick=tick), lambda _: self._app.read_all()
        )
        self._app.show_work()
