"""Defines the Lifecycle page: what became of what was said? The pipeline, its runs, and their costs."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from engine.extra_registry import MissingExtra
from engine.models.cost_report import CostCurves, CostKey
from engine.monitoring.chart import SPANS
from engine.plans.plan import QueueEntry
from engine.workspace.values import Progress
from tui.bridge.facts import QueueRead, StatusRead, TimePassed
from tui.present import lifecycle as view
from tui.present.batches import batch_lines, batch_words
from tui.present.spans import NOTHING_SELECTED, Line, ListRows, Span, error_lines
from tui.present.stage_flows import flow_lines
from tui.present.words import count, safe
from tui.screens.page import Page
from tui.widgets.line_list import LineList
from tui.widgets.picture import Picture
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from engine.extras.batches.batch_records import BatchRecord
    from engine.services.engine import Engine

_EMPTY = "no run yet\nd on a stage makes a dry run,\nwhich is listed here"
_ROOMY = 46  # lines from which on the flow and the costs are drawn tall
_PROGRESS_SECONDS = 0.5  # the interval at which the progress of a replay moves its bar


class _Found(NamedTuple):
    """The facts of the page besides the queue; `lines` describe message batches."""

    stages: tuple[view.Stage, ...]
    curves: CostCurves
    lines: tuple[Line, ...]
    sent: "tuple[BatchRecord, ...]"


class LifecyclePage(Page, scope="lifecycle"):
    """Shows the stages above; below, the runs, the selected one, and the costs of models."""

    PANES: ClassVar[tuple[str, ...]] = ("stages", "runs", "run", "cost")
    NAMES: ClassVar[Mapping[str, str]] = {"stages": "Pipeline", "runs": "Runs", "run": "Run", "cost": "Cost"}

    def __init__(self) -> None:
        super().__init__(id="lifecycle")
        self.stages: tuple[view.Stage, ...] = ()
        self.runs: tuple[QueueEntry, ...] = ()
        self._found: _Found | None = None
        self._selected = ""
        self._texts: dict[str, tuple[Line, ...]] = {}

    def compose(self) -> ComposeResult:
        yield LineList(ident="stages", empty="reading…")
        yield Picture(ident="flow")
        with Horizontal(id="below"):
            with Vertical(id="left"):
                yield LineList(ident="runs", empty="reading…")
                yield TextPane(ident="cost", hang=2)
            yield TextPane(ident="run", hang=2, as_begun=True)

    def text_of(self, name: str) -> TextPane:
        return self.query_one(f"#{name}", TextPane)

    def name_panes(self, runs: int, run: str = "") -> None:
        """Sets the titles of all panes; `run` is the id of the shown run."""
        signs = Span("  █ through  ▒ waits  at the right what went through by day", "muted")
        self.list_of("stages").name_it((Span(self.NAMES["stages"], "title"), signs), self.others("stages"))
        counted = Span(f" ⟨{count(runs)}⟩", "muted")
        self.list_of("runs").name_it((Span(self.NAMES["runs"], "title"), counted), self.others("runs"))
        named = (Span(f" {run}", "muted"),) if run else ()
        self.text_of("run").name_it((Span(self.NAMES["run"], "title"), *named), self.others("run"))
        self.text_of("cost").name_it((Span(self.NAMES["cost"], "title"),), self.others("cost"))

    # Reading

    def on_mount(self) -> None:
        self.text_of("cost").show(((Span("reading…", "muted"),),))
        self.name_panes(0)
        self.set_interval(_PROGRESS_SECONDS, self._show_progress)
        self.follow_here(StatusRead, self._read)
        self.deck.facts.follow(QueueRead, lambda read: self._show_queue(read.entries))
        self.deck.facts.follow(TimePassed, self._show_tick)

    def enter(self) -> None:
        super().enter()
        self._show_queue(self.deck.entries)
        self._read()

    def _read(self) -> None:
        self.deck.bridge.read(_read, self._took)

    def _took(self, facts: _Found) -> None:
        self._found, self.stages = facts, facts.stages
        self._show_stages()
        self._show_costs()
        self.refresh_bindings()

    def _show_stages(self) -> None:
        lines = self.list_of("stages")
        lines.show(ListRows(view.stage_rows(self.stages, self.deck.now(), lines.room, self._step)))
        stage, picture = self.stage, self.query_one("#flow", Picture)
        if stage is not None:
            flow, today = stage.flow, self.deck.now().date()
            picture.show((flow, today), lambda width, height: flow_lines(flow, today, width, height))
            picture.name_it(view.flow_title(stage))

    def _show_costs(self) -> None:
        if self._found is not None:
            pane, facts = self.text_of("cost"), self._found
            room = pane.scrollable_content_region
            pane.show(
                view.cost_lines(facts.curves, facts.lines, room.width, room.height, self.deck.dots), keep_place=True
            )

    @property
    def _step(self) -> Progress | None:
        work = self.deck.bridge.work
        return work.progress if work is not None and work.title == "dry run: replay" else None

    def _show_progress(self) -> None:
        if self.has_class("here") and self._step is not None:
            self._show_stages()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height >= _ROOMY, "roomy")
        for show in (self._show_stages, self._show_costs):
            self.call_after_refresh(show)

    def _show_queue(self, entries: tuple[QueueEntry, ...]) -> None:
        self.runs = view.runs(entries)
        self._texts = {}
        at = next((place for place, run in enumerate(self.runs) if run.id == self._selected), 0)
        lines = self.list_of("runs")
        lines.show_empty(_EMPTY)
        lines.show(ListRows(view.run_rows(self.runs, self.deck.now())), at)
        self._selected = self.runs[lines.cursor].id if self.runs else ""
        self._show_run()
        if self.has_class("here"):
            self._read()

    def _show_tick(self, _: TimePassed) -> None:
        self._show_stages()
        self.list_of("runs").show(ListRows(view.run_rows(self.runs, self.deck.now())))

    # One run

    @property
    def run(self) -> QueueEntry | None:
        return next((each for each in self.runs if each.id == self._selected), None)

    @property
    def stage(self) -> view.Stage | None:
        return self.list_of("stages").under(self.stages)

    @property
    def _comparable(self) -> str | None:
        """The replay to compare: the one of the focused stage, else the run under the cursor; None for neither."""
        stage, run = self.stage, self.run
        if self.list_of("stages").has_focus and stage is not None and stage.system == "replay" and stage.plan:
            return stage.plan
        return run.id if run is not None and run.system == "replay" else None

    @property
    def _reviewable(self) -> str | None:
        """The plan whose entries to review; empty on a stage without a plan, to review a dry run's offers."""
        stage, run = self.stage, self.run
        if self.list_of("stages").has_focus and stage is not None and stage.system == "extract":
            return stage.plan
        return run.id if run is not None and run.system == "extract" else None

    @on(LineList.Moved, "#runs")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._selected = self.runs[event.index].id
        self._show_run()

    @on(LineList.Moved, "#stages")
    def _moved_stage(self, event: LineList.Moved) -> None:
        event.stop()
        self._show_stages()
        self.refresh_bindings()

    def _show_run(self) -> None:
        self.refresh_bindings()
        run = self.run
        self.name_panes(len(self.runs), safe(run.id) if run is not None else "")
        if run is None:
            self.text_of("run").show(NOTHING_SELECTED)
        elif run.id in self._texts:
            self.text_of("run").show(self._texts[run.id])
        else:
            self.text_of("run").show(((Span("reading…", "muted"),),))
            text = self.text_of("run")
            self.deck.bridge.read(_run_text(run), self._took_run, lambda error: text.show(error_lines(error)))

    def _took_run(self, run_lines: tuple[str, tuple[Line, ...]]) -> None:
        self._texts[run_lines[0]] = run_lines[1]
        if self.run is not None and self.run.id == run_lines[0]:
            self.text_of("run").show(run_lines[1])

    # Keys

    @on(LineList.Chosen, "#runs")
    async def _opened(self, event: LineList.Chosen) -> None:
        self.deck.remember()
        await self.deck.open_plan(self.runs[event.index].id)

    @on(LineList.Chosen, "#stages")
    async def _opened_stage(self) -> None:
        """Opens the plan of the stage; if none waits, goes to its newest run."""
        stage = self.stage
        system = stage.system if stage is not None else ""
        newest = next((at for at, run in enumerate(self.runs) if run.system == system), None)
        if stage is not None and stage.plan:
            self.deck.remember()
            await self.deck.open_plan(stage.plan)
        elif newest is not None:
            self.turn_to("runs")
            self.list_of("runs").go(newest)
        else:
            self.deck.say("no plan of this stage yet: d makes a dry run")

    def lacks_stage(self) -> str:
        return "" if self.stage is not None else "the pipeline is not read yet"

    def lacks_plannable(self) -> str:
        planned = self.stage is not None and self.stage.planned
        return "" if planned else "the session's program captures; there is nothing to plan"

    def lacks_replay(self) -> str:
        return "" if self._comparable is not None else "the run under the cursor is no replay"

    def lacks_batch(self) -> str:
        return "" if self._found is not None and self._found.sent else "no batch is at Claude"

    def lacks_extraction(self) -> str:
        return "" if self._reviewable is not None else "the run under the cursor is no extraction"

    def action_plan_stage(self) -> None:
        if self.stage is not None:
            self.deck.flows.dry_runs.start(self.stage.system)

    def action_blind(self) -> None:
        from tui.screens.lifecycle.blind_comparison import BlindScreen

        if self._comparable is not None:
            self.app.push_screen(BlindScreen(self._comparable), lambda _: self._judged())

    def action_review(self) -> None:
        """Opens the entries and offers of the extraction under the cursor, each beside its turn."""
        from tui.screens.lifecycle.extraction_review import ExtractionScreen

        if self._reviewable is not None:
            self.deck.ask(ExtractionScreen(self._reviewable), self._reviewed)

    def action_curves(self) -> None:
        from tui.screens.lifecycle.costs import CostScreen

        self.app.push_screen(CostScreen())

    def action_cancel_batch(self) -> None:
        """Lists the batches at the service and cancels the chosen one (decision D48); `esc` cancels none."""
        from tui.dialogs.picker import Picker
        from tui.present.choices import Choice

        def cancelled(_: None) -> None:
            words = "what was begun is answered and billed, and the next dry run fetches it"
            self.deck.say(words, title="Batch cancelled")

        def chosen(ident: str) -> None:
            self.deck.bridge.long("cancelling", lambda engine, _tick: engine.batches.cancel(ident), cancelled)

        choices = tuple(
            Choice(safe(record.id), about=f"{size}, {cost}, {age}", value=record.id)
            for record in (self._found.sent if self._found is not None else ())
            for size, _, cost, age in (batch_words(record, self.deck.now()),)
        )
        self.deck.ask(Picker("Cancel a batch", choices, foot="cancels what is not begun"), chosen)

    async def _reviewed(self, plan: str) -> None:
        self.deck.remember()
        await self.deck.open_plan(plan)

    def _judged(self) -> None:
        self._texts = {}
        self._show_run()


def _read(engine: "Engine") -> _Found:
    stages = view.stages(engine.lifecycle.pipeline(), [name for name, _ in engine.plans.systems()])
    batches: tuple[BatchRecord, ...] = ()
    with suppress(MissingExtra):  # then none was ever sent
        batches = engine.batches.all()
    lines = batch_lines(batches, engine.real_now())
    sent = tuple(record for record in batches if record.state.value == "sent")
    return _Found(stages, engine.costs.curves(CostKey.ROLE, SPANS[0]), lines, sent)


def _run_text(run: QueueEntry) -> "Callable[[Engine], tuple[str, tuple[Line, ...]]]":
    def read(engine: "Engine") -> tuple[str, tuple[Line, ...]]:
        report, replay = engine.plans.load(run.id).report, run.system == "replay"
        standing = engine.replays.standing(run.id) if replay else None
        return run.id, view.run_lines(report, standing, engine.replays.figures(run.id) if replay else None)

    return read
