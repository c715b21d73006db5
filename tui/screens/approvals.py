"""Approvals: what will change if I say yes?"""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.plans.operation import Operation
from engine.plans.plan import QueueEntry
from tui.screens.page import Page
from tui.screens.plan_desk import PlanDesk, load
from tui.viewmodels import diff as diffs
from tui.viewmodels import plan as plans
from tui.viewmodels import queue
from tui.viewmodels.plan import Loaded
from tui.viewmodels.spans import Line, ListRows, Span
from tui.viewmodels.wording import safe
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.text_pane import TextPane

_SETTLE_SECONDS = 0.06
"""A plan is read once the cursor rests on it this long, so that running down the queue reads none."""

_PATIENCE_SECONDS = 0.15
"""A plan that is read within this time replaces the one before without a word in between."""
_HEAD_LINES = 7
"""Lines of a plan's head on a wide screen, so that the diff below stays put from plan to plan."""

_ABOUT_A_PLAN = frozenset({"ask_approval", "ask_rejection", "mark", "turn(1)", "report", "select"})


class ApprovalsPage(Page):
    """The queue, the plan under its cursor, its changes, and the diff of one of them."""

    PANES: ClassVar[tuple[str, ...]] = ("queue", "head", "changes", "diff")
    SCOPED_CSS = False
    DEFAULT_CSS = """
    ApprovalsPage { layout: vertical; }
    ApprovalsPage #left { dock: left; width: 38%; max-width: 72; height: 1fr; }
    ApprovalsPage #right { width: 1fr; height: 1fr; }
    ApprovalsPage .pane { border: round $border-blurred; padding: 0; }
    ApprovalsPage .pane:focus { border: round $border; }
    ApprovalsPage #head { height: 9; padding: 0 1; }
    ApprovalsPage #filter { display: none; height: 1; border: none; padding: 0 1; background: $surface; }
    ApprovalsPage #filter.shown { display: block; }

    .-narrow ApprovalsPage #left, ApprovalsPage.zoom #left { dock: none; width: 1fr; max-width: 100%; }
    .-narrow ApprovalsPage.at-queue #right, .-narrow ApprovalsPage.at-queue #changes { display: none; }
    ApprovalsPage.zoom.at-queue #right, ApprovalsPage.zoom.at-queue #changes { display: none; }
    .-narrow ApprovalsPage.at-diff #left, .-narrow ApprovalsPage.at-diff #head { display: none; }
    ApprovalsPage.zoom.at-diff #left, ApprovalsPage.zoom.at-diff #head { display: none; }
    .-narrow ApprovalsPage.at-head #queue, .-narrow ApprovalsPage.at-changes #queue { display: none; }
    .-narrow ApprovalsPage.at-head #diff, .-narrow ApprovalsPage.at-changes #diff { display: none; }
    .-narrow ApprovalsPage.at-head #right, .-narrow ApprovalsPage.at-changes #right { height: auto; }
    ApprovalsPage.zoom.at-changes #right, ApprovalsPage.zoom.at-changes #queue { display: none; }
    ApprovalsPage.zoom.at-head #left, ApprovalsPage.zoom.at-head #diff { display: none; }
    ApprovalsPage.zoom.at-head #head { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+a", "ask_approval", "Approve…"),
        Binding("r", "ask_rejection", "Reject…"),
        Binding("space", "mark", "Mark"),
        Binding("right", "turn(1)", "Change", key_display="←/→"),
        Binding("left", "turn(-1)", "Previous change", show=False),
        Binding("i", "report", "Report"),
        Binding("slash", "filter", "Filter", show=False),
        Binding("d", "app.dry_run", "Dry run", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="approvals")
        self.desk = PlanDesk()
        self._entries: tuple[QueueEntry, ...] = ()
        self._shown: tuple[QueueEntry, ...] = ()
        self._filter = ""
        self._selected = ""
        self._expected = ""
        self._change = 0
        self._on_screen: tuple[str, int] | None = None
        self._settling: Timer | None = None
        self._read = False

    def on_mount(self) -> None:
        for name in self.PANES:
            self.pane(name).add_class("pane")

    def compose(self) -> ComposeResult:
        with Vertical(id="right"):
            yield TextPane(ident="head", hang=diffs.LABEL)
            yield DiffView(ident="diff")
        with Vertical(id="left"):
            yield LineList(ident="queue", empty="reading the queue…")
            yield Input(
                compact=True,
                id="filter",
                placeholder="filter: words of system, target, state, tier:c",
                select_on_focus=False,
            )
            yield LineList(ident="changes")

    # What is under the cursors

    @property
    def entry(self) -> QueueEntry | None:
        """The plan under the queue's cursor."""
        return next((entry for entry in self._shown if entry.id == self._selected), None)

    @property
    def loaded(self) -> Loaded | None:
        """The same plan, if it was read already."""
        return self.desk.get(self.entry)

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    @property
    def _diff(self) -> DiffView:
        return self.query_one("#diff", DiffView)

    def show_plan(self, plan_id: str) -> None:
        """Puts the cursor on a plan; where the filter hides it, the filter goes."""
        if all(entry.id != plan_id for entry in self._shown):
            self._filter = ""
        self._selected = plan_id
        self._show_list()
        self._settle()

    def expect_plan(self, plan_id: str) -> None:
        """Puts the cursor on a plan once it is there, unless the operator is looking at another right now."""
        if not self.display:
            self._expected = plan_id

    # The queue

    def show_operations(self, operations: tuple[Operation, ...] | None) -> None:
        if operations is not None:
            self.desk.take_operations(operations)
            self._show_head()

    def show_queue(self, entries: tuple[QueueEntry, ...]) -> None:
        self._entries = queue.ordered(entries)
        self._read = True
        before = self.entry
        self._show_list()
        if self.entry != before or self._on_screen is None:
            self._settle(0 if before is None or self.entry is None or before.id == self.entry.id else _SETTLE_SECONDS)

    def _show_list(self) -> None:
        """The rows, with the cursor on the plan it was on; where that is gone, on its neighbour."""
        self._shown = queue.matching(self._entries, self._filter)
        if any(entry.id == self._expected for entry in self._shown):
            self._selected, self._expected = self._expected, ""
        index = next((i for i, entry in enumerate(self._shown) if entry.id == self._selected), None)
        lines = self._list("queue")
        lines.show_empty(self._empty_words())
        lines.show(self._rows(), index)
        if index is None:
            self._selected = self._shown[lines.cursor].id if self._shown else ""
        self._name_queue()

    def _rows(self) -> queue.QueueRows:
        return queue.QueueRows(self._shown, self.deck.now(), self.deck.running)

    def _empty_words(self) -> str:
        if not self._read:
            return "reading the queue…"
        if self._filter:
            return "no plan matches\nesc clears the filter"
        return "no plan yet\nd makes a dry run: it plans,\nshows the diff and changes nothing"

    def _name_queue(self) -> None:
        number = queue.waiting(self._shown)
        name: Line = (Span("Queue", "title"), Span(f" ⟨{number:,}⟩", "accent" if number else "muted"))
        if self._filter:
            name += (Span(f" /{safe(self._filter)}", "warn"),)
        over = len(self._shown) - number
        self._list("queue").name_it(name, (Span(f"{over:,} over", "muted"),) if over else ())

    def show_tick(self) -> None:
        self._list("queue").show(self._rows())
        self._show_head()

    @on(LineList.Moved, "#queue")
    def _moved_in_queue(self, event: LineList.Moved) -> None:
        self._selected = self._shown[event.index].id
        self._settle(_SETTLE_SECONDS)

    def _settle(self, seconds: float = 0.0) -> None:
        """Shows the plan under the cursor, now if it was read, else once the cursor rests."""
        if self._settling is not None:
            self._settling.stop()
        self._change = 0
        self._on_screen = None
        if self.entry is None or self.loaded is not None or not seconds:
            self._show_plan()
        else:
            self._settling = self.set_timer(seconds, self._show_plan)

    # The plan

    def _show_plan(self) -> None:
        entry = self.entry
        if entry is None:
            self._show_nothing()
            return
        loaded = self.loaded
        if loaded is None:
            plan_id = entry.id
            self.set_timer(_PATIENCE_SECONDS, lambda: self._show_reading(plan_id))
            self.deck.bridge.read(lambda engine: load(engine, plan_id), self._took, self._could_not, group="plan")
            return
        self._show_head()
        self._show_changes(loaded)
        self._show_change(loaded)

    def _took(self, loaded: Loaded) -> None:
        self.desk.keep(loaded)
        if loaded.plan.id == self._selected and self._on_screen is None:
            if self.loaded is None:
                self._could_not(
                    MemdeckError("the plan in the queue is not the plan that was read", hint="wait a moment")
                )
            else:
                self._show_plan()

    def _could_not(self, error: MemdeckError) -> None:
        lines = ((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line())),))
        self._list("changes").show(ListRows())
        self._diff.say((), *lines)

    def _show_nothing(self) -> None:
        head = self.query_one("#head", TextPane)
        head.name_it((Span("Plan", "title"),))
        head.show(((Span("Nothing selected.", "muted"),),))
        self._list("changes").name_it((Span("Changes", "title"),))
        self._list("changes").show(ListRows())
        self._diff.name_it((Span("Diff", "title"),))
        self._diff.say(*_WELCOME if self._read and not self._entries else ())

    def _show_reading(self, plan_id: str) -> None:
        """Says that a plan is being read, where that takes long enough to be noticed."""
        entry = self.entry
        if entry is None or entry.id != plan_id or self.loaded is not None:
            return
        head = self.query_one("#head", TextPane)
        head.name_it(plans.title(entry, self.deck.now()))
        head.show(((Span("reading the plan…", "muted"),),))
        self._list("changes").show(ListRows())
        self._diff.say((Span("reading…", "muted"),))

    def _show_head(self) -> None:
        entry, loaded = self.entry, self.loaded
        if entry is None or loaded is None:
            return
        head = self.query_one("#head", TextPane)
        head.name_it(plans.title(entry, self.deck.now()))
        standing = plans.Standing(
            self.desk.operations.get(entry.id),
            self.deck.running.get(entry.id, ""),
            self.deck.failed_plans.get(entry.id),
        )
        head.show(plans.head(entry, loaded, self.desk.chosen(loaded), standing), keep_place=True)
        self.call_after_refresh(self._fit_head)

    def _fit_head(self) -> None:
        """As tall as its lines; on a wide screen never below the usual, so that the diff stays put."""
        head = self.query_one("#head", TextPane)
        least = 0 if self.one_pane else _HEAD_LINES
        height = max(least, min(head.lines_laid_out, _HEAD_LINES + 4)) + 2
        if head.styles.height is None or head.styles.height.value != height:
            head.styles.height = height

    @on(TextPane.Laid, "#head")
    def _head_laid(self) -> None:
        self._fit_head()

    def _show_changes(self, loaded: Loaded) -> None:
        marks, seen = self.desk.marks(loaded), self.desk.seen(loaded)
        lines = self._list("changes")
        lines.show(plans.ChangeRows(loaded, marks, seen), self._change)
        total = len(loaded.plan.changes)
        foot: Line = (
            (Span(f"{len(marks)} marked", "accent"),)
            if marks
            else (Span("○", "info"), Span(" not shown yet · all, unless marked", "muted"))
        )
        lines.name_it((Span("Changes", "title"), Span(f" {min(self._change + 1, total)}/{total}", "accent")), foot)

    def _show_change(self, loaded: Loaded) -> None:
        """The diff of the current change; once it is painted it counts as seen."""
        if not loaded.plan.changes:
            self._diff.say((Span("this plan changes nothing", "muted"),))
            return
        change, diff = loaded.plan.changes[self._change], loaded.diffs[self._change]
        self._diff.name_it(diffs.title(change, diff, len(loaded.plan.changes)))
        if self._on_screen != (loaded.digest, change.n):
            self._diff.show(diff, diffs.preface(change, diff), diffs.origins(change, diff))
        self._on_screen = (loaded.digest, change.n)
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        """Notes the diff on screen as seen, if it really is on screen."""
        loaded = self.loaded
        if loaded is None or not self.diff_on_screen or self._on_screen is None:
            return
        if self.desk.saw(loaded, self._on_screen[1]):
            self._show_changes(loaded)

    @property
    def diff_on_screen(self) -> bool:
        """Whether the diff of the selected plan is painted where the operator can see it."""
        loaded = self.loaded
        shown = self._on_screen is not None and loaded is not None and self._on_screen[0] == loaded.digest
        return shown and self._diff.showing is not None and self._diff.region.height > 2 and bool(self.display)

    # Changes of the plan

    @on(LineList.Moved, "#changes")
    def _moved_in_changes(self, event: LineList.Moved) -> None:
        self._change = event.index
        self._refresh_change()

    def _refresh_change(self) -> None:
        loaded = self.loaded
        if loaded is not None:
            self._show_changes(loaded)
            self._show_change(loaded)

    def action_turn(self, by: int) -> None:
        """To the next or previous change."""
        if self.loaded is not None:
            self._change = max(0, min(self._change + by, len(self.loaded.plan.changes) - 1))
            self._refresh_change()

    def action_mark(self) -> None:
        """Marks the current change; once some are marked, only those are approved."""
        loaded = self.loaded
        if loaded is None or not loaded.plan.changes:
            return
        explanation = self.desk.toggle(loaded, loaded.plan.changes[self._change].n)
        if explanation:
            self.deck.say(explanation)
        self._show_changes(loaded)
        self._show_head()

    @on(LineList.Chosen)
    def _opened(self, event: LineList.Chosen) -> None:
        event.stop()
        self.turn_to("changes" if event.lines.id == "queue" and self.one_pane else "diff")

    @on(DiffView.SourceWanted)
    def _source(self, event: DiffView.SourceWanted) -> None:
        event.stop()
        self.deck.flows.show_source(event.span)

    # Keys that lead to a decision; none of them decides

    def why_not(self, action: str) -> str:
        if action in ("ask_approval", "ask_rejection") and self.deck.read_only:
            return "read-only: the console was started with --read-only"
        entry, loaded = self.entry, self.loaded
        if entry is None:
            return "no plan is selected" if action in _ABOUT_A_PLAN else ""
        match action:
            case "ask_approval" if loaded is None:
                return "the plan is still being read"
            case "ask_approval" if self.deck.bridge.work is not None:
                return f"wait: {self.deck.bridge.work.title} is under way"
            case "ask_approval" if loaded is not None:
                return self.desk.why_not_approve(entry, loaded, on_screen=self.diff_on_screen)
            case "ask_rejection" if entry.state.value not in queue.REJECTABLE:
                return f"{entry.id} is over: {plans.state_words(entry, self.deck.now())}"
            case _:
                return ""

    def action_ask_approval(self) -> None:
        """Opens the question. It approves nothing: the dialog reads the answer from keys alone."""
        entry, loaded, why = self.entry, self.loaded, self.why_not("ask_approval")
        if why or entry is None or loaded is None:
            self.deck.say(why or "no plan is selected", severity="warning")
            return
        self.deck.flows.ask_approval(entry, loaded, self.desk.chosen(loaded), self.desk.seen(loaded), self)

    def action_ask_rejection(self) -> None:
        """Asks for the reason of a refusal."""
        why = self.why_not("ask_rejection")
        if why or self.entry is None:
            self.deck.say(why, severity="warning")
        else:
            self.deck.flows.ask_rejection(self.entry)

    def action_report(self) -> None:
        """The planner's own report, whole."""
        if self.loaded is not None:
            self.deck.flows.show_report(self.loaded.plan)

    def scroll_behind(self, key: str) -> None:
        """Keys that a dialog passes on, so that the diff stays readable under it."""
        match key:
            case "left" | "right":
                self.action_turn(1 if key == "right" else -1)
            case "up" | "down":
                self._diff.action_move(1 if key == "down" else -1)
            case _:
                self._diff.action_page(1 if key == "pagedown" else -1)

    # Filter and leaving

    def action_filter(self) -> None:
        """Opens the filter under the queue."""
        self.turn_to("queue")
        field = self.query_one("#filter", Input)
        field.value = self._filter
        field.set_class(True, "shown")
        field.focus()

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        self._filter = event.value
        self._show_list()
        self._settle(_SETTLE_SECONDS)

    @on(Input.Submitted, "#filter")
    def _filter_done(self, event: Input.Submitted) -> None:
        event.stop()
        self._close_filter()

    def _close_filter(self) -> None:
        self.query_one("#filter", Input).set_class(False, "shown")
        self.turn_to("queue")

    def turn_to(self, name: str) -> None:
        super().turn_to(name)
        self.call_after_refresh(self._look)

    def leave(self) -> bool:
        field = self.query_one("#filter", Input)
        if field.has_focus or self._filter:
            field.value = self._filter = ""
            self._close_filter()
            self._show_list()
            return True
        if super().leave():
            return True
        back = {"diff": "changes" if self.one_pane else "queue", "changes": "queue", "head": "queue"}
        if self.current in back:
            self.turn_to(back[self.current])
            return True
        return False

    def on_key(self, event: events.Key) -> None:
        field = self.query_one("#filter", Input)
        if field.has_focus and event.key in ("down", "up"):
            event.stop()
            self._list("queue").action_move(1 if event.key == "down" else -1)


_WELCOME: tuple[Line, ...] = (
    (),
    (Span("No plan yet.", "strong"),),
    (),
    (
        Span(f"{'d':<{diffs.LABEL}}", "key"),
        Span("makes a dry run: memdeck reads the memory and plans what should change."),
    ),
    (Span(" " * diffs.LABEL), Span("You see every line of it here. Nothing is written until you approve.", "muted")),
    (Span(f"{'ctrl+a':<{diffs.LABEL}}", "key"), Span("approves a plan, after you looked at its diff.")),
    (Span(f"{'z':<{diffs.LABEL}}", "key"), Span("takes back what was applied, byte for byte.")),
)
