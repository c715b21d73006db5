"""Defines the Overview page: is anything wrong, and what is due?"""

from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from engine.errors import Cancelled, MemdeckError
from engine.monitoring.agent_changes import SinceLook
from engine.plans.memory_status import Alarm, EndedFact, Status
from engine.plans.plan import QueueEntry
from tui.bridge.facts import EarlierStatusRead, LookFailed, QueueRead, StatusRead, TimePassed
from tui.present.approvals import queue_rows
from tui.present.context_window import gauge_row
from tui.present.overview import agent_changes as agent
from tui.present.overview import due_jobs
from tui.present.overview import triggers_notices as overview
from tui.present.overview.forecast import Outlook, outlooks
from tui.present.overview.trends import trend_lines
from tui.present.overview.verdict import VerdictFacts
from tui.present.spans import Line, ListRow, ListRows, Span, plain
from tui.present.words import safe
from tui.screens.overview import row_details
from tui.screens.overview.agent_changes_pane import SincePane
from tui.screens.overview.gauge_cards import GaugeCards
from tui.screens.overview.pane_sizes import COURSES, LOW, SNUG, fit_panes
from tui.screens.overview.verdict_line import VerdictLine, VerdictReading
from tui.screens.page import Page
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.picture import Picture
from tui.widgets.searchable_pane import LinePlace

if TYPE_CHECKING:
    from engine.monitoring.trends import Trend
    from engine.services.engine import Engine


class OverviewPage(Page, scope="overview"):
    """Shows cards, triggers, courses, the agent's changes, due work, notices and queue, now or at a what-if date."""

    PANES: ClassVar[tuple[str, ...]] = ("triggers", "since", "due", "attention", "waiting")

    def __init__(self) -> None:
        super().__init__(id="overview", classes="here unfollowed")
        self.status: Status | None = None
        self.open_plans: tuple[QueueEntry, ...] = ()
        self._trends: tuple[Trend, ...] = ()
        self._problem: MemdeckError | None = None
        self._real_ahead, self._unread = timedelta(), ""
        self._earlier = self._asking = self._ask_again = False
        self._outlooks: dict[str, Outlook] = {}

    def compose(self) -> ComposeResult:
        yield VerdictLine(ident="verdict")
        yield OneLine(ident="window")
        yield GaugeCards()
        peek = DiffView(ident="peek")
        with Horizontal(id="lower"):
            with Vertical(id="left"):
                yield LineList(ident="triggers", empty="reading the workspace…")
                yield Picture(ident="trends")
            with Vertical(id="right"):
                yield SincePane(peek, self.real_now)
                yield peek
                yield LineList(ident="due", empty="reading…")
                yield LineList(ident="attention", empty="reading…")
                yield LineList(ident="waiting", empty="reading…")

    def on_mount(self) -> None:
        self._say("reading…")
        self.query_one("#peek", DiffView).can_focus = False
        self.query_one("#trends", Picture).name_it((Span("Trends", "title"),))
        self._arrange()
        follow = self.deck.facts.follow
        follow(StatusRead, self._took_status)
        follow(EarlierStatusRead, self._took_earlier)
        follow(QueueRead, self._took_queue)
        follow(TimePassed, self._show_ages)
        follow(LookFailed, self._show_problem)

    def on_resize(self) -> None:
        width, height = self.app.size
        courses = width >= SNUG and height >= COURSES
        self.update_classes({"courses": courses, "snug": width < SNUG, "tight": height < LOW})
        self._show_window()
        self._arrange()
        if self.status is not None:
            self._show_cards(self.status)

    @on(SincePane.Changed)
    def _arrange(self) -> None:
        """Updates the verdict, and the titles and sizes of the panes."""
        self._show_verdict()
        self._name_panes()
        fit_panes(self, courses=self.has_class("courses"))

    @cached_property
    def changed(self) -> SincePane:
        return self.query_one(SincePane)

    def real_now(self) -> datetime:
        """Returns the real time by the engine's clock, even on a what-if clock."""
        supposed = self.status is None or self.status.simulated_clock
        return datetime.now(UTC) + self._real_ahead if supposed else self.deck.now()

    # What was read

    def _took_status(self, read: StatusRead) -> None:
        self._earlier = False
        self._show(read.status)
        self._ask_engine(read.status)

    def _took_earlier(self, read: EarlierStatusRead) -> None:
        """Shows the status of an earlier look, without asking the engine about it."""
        self._earlier = True
        self._show(read.status)

    def _show(self, status: Status) -> None:
        self.status, self._problem, self._unread = status, None, ""
        self.set_class(status.simulated_clock, "what-if")
        attention = self.list_of("attention")
        attention.show_empty("", ((Span("✓ ", "ok"), Span("nothing needs a look", "muted")),))
        attention.show(overview.AttentionRows(status, lambda: attention.room))
        self.list_of("due").show(ListRows(due_jobs.due(status)))
        self._show_window()
        self._show_gauges(status)

    def _show_gauges(self, status: Status) -> None:
        self._outlooks = outlooks(self._trends, status.now, self.real_now())
        self._show_cards(status)
        shown = (self._trends, self._outlooks)
        self.query_one("#trends", Picture).show(shown, lambda width, height: trend_lines(*shown, width, height))
        self.list_of("triggers").show(ListRows(overview.triggers(status)))
        self._arrange()

    def _show_cards(self, status: Status) -> None:
        """Shows the gauges, with their courses only if those have no pane."""
        courses = {} if self.has_class("courses") else self._outlooks
        self.query_one(GaugeCards).show(overview.cards(status, self.deck.limits, courses))

    def _ask_engine(self, status: Status) -> None:
        """Reads trends and the agent's changes after the status is on screen, so that it waits for neither."""
        if self._asking:
            self._ask_again = True
            return
        self._asking = True

        def ask(engine: "Engine") -> "tuple[tuple[Trend, ...], SinceLook, datetime]":
            return engine.status.trends(status), engine.review.since_looked(flags=True), engine.real_now()

        self.deck.bridge.look(ask, self._took, self._could_not)

    def _took(self, answer: "tuple[tuple[Trend, ...], SinceLook, datetime]") -> None:
        self._trends, since, real_now = answer
        self._real_ahead = real_now - datetime.now(UTC)
        self._asked()
        if self.status is not None:
            self._show_gauges(self.status)
        self.changed.took(since)

    def _could_not(self, error: MemdeckError) -> None:
        self._asked()
        self.changed.could_not(error)

    def _asked(self) -> None:
        again, self._asking, self._ask_again = self._ask_again, False, False
        if again and self.status is not None:
            self._ask_engine(self.status)

    def _took_queue(self, read: QueueRead) -> None:
        waiting = overview.open_entries(read.entries)
        asleep = tuple(entry for entry in waiting if entry.snoozed_until is not None)
        self.open_plans = queue_rows.ordered(tuple(entry for entry in waiting if entry not in asleep)) + asleep
        self.list_of("waiting").show_empty("", overview.no_plan_waits(read_only=self.deck.read_only))
        self._show_ages()
        self._arrange()

    def _show_ages(self, _: TimePassed | None = None) -> None:
        self.list_of("waiting").show(queue_rows.QueueRows(self.open_plans, self.deck.now(), self.deck.running))
        self._show_verdict()

    def _show_problem(self, failed: LookFailed) -> None:
        error = failed.error
        if not failed.opened:
            self._show_unread("not read", ())
        elif self.status is None:
            again: Line = (Span("ctrl+r", "key"), Span(" reads the workspace again", "muted"))
            self._show_unread("stopped" if isinstance(error, Cancelled) else "not read", again, safe(error.hint))
        self._problem = error if failed.opened else self._problem
        self._show_verdict()

    def _show_unread(self, words: str, again: Line, hint: str = "") -> None:
        """Says in every pane that there is nothing to show, and in the first what would help."""
        self._unread = words
        self._say(words)
        for name in self.PANES:
            helps: Line = (Span(hint, "muted"),) if hint and name == self.PANES[0] else ()
            self.list_of(name).show_empty("", tuple(filter(None, ((Span(words, "muted"),), helps, again))))
        fit_panes(self, courses=self.has_class("courses"))

    def _say(self, words: str) -> None:
        self.query_one(GaugeCards).say(words)
        self.query_one("#trends", Picture).show(words, lambda width, height: ((Span(words, "muted"),),))

    # The lines on top, and the names of the panes

    def _show_verdict(self) -> None:
        waiting, since = queue_rows.waiting(self.open_plans), self.changed.since
        facts = VerdictFacts(self.status, waiting, self._trends, since) if self.status is not None else None
        reading = (self.real_now(), self._earlier, self._problem, self._unread)
        self.query_one(VerdictLine).say(VerdictReading(facts, *reading, beside=not self.one_pane))

    def _show_window(self) -> None:
        known = self.status.window if self.status is not None else {}
        self.set_class(not known.get("sessions"), "unfollowed")
        line = self.query_one("#window", OneLine)
        line.show(gauge_row(known, line.content_size.width or 100) if known else ListRow(()))

    def crumbs(self) -> tuple[str, ...]:
        here = self.current
        return (*super().crumbs(), *(() if here == self.PANES[0] else (plain(self.names()[here][:1]),)))

    def _name_panes(self) -> None:
        names = self.names()
        for at, name in enumerate(self.PANES):
            others = (*self.PANES[at + 1 :], *self.PANES[:at])
            listed = " · ".join(plain(names[other]) if other != "triggers" else "Triggers" for other in others)
            foot = agent.foot(self.changed.since) if name == "since" else ()
            tabs: Line = (Span("tab ", "key"), Span(listed, "muted")) if self.one_pane else foot
            self.list_of(name).name_it(names[name], tabs)

    @property
    def reachable(self) -> tuple[str, ...]:
        return ("cards", *self.PANES)

    def turn_to(self, name: str) -> None:
        """Brings a pane to the front, and names the panes again, since a title depends on that."""
        if name == "cards":
            return self.screen.set_focus(self.query_one(GaugeCards))
        super().turn_to(name)
        if self.one_pane:
            self._name_panes()
        return fit_panes(self, courses=self.has_class("courses"))

    def names(self) -> dict[str, Line]:
        asleep = sum(entry.snoozed_until is not None for entry in self.open_plans)
        looks = overview.attention_count(self.status) if self.status else 0
        return {
            "triggers": _titled("Triggers, in order", ""),
            "since": self.changed.title(brief=self.one_pane and not self.list_of("since").has_class("current")),
            "due": _titled("Due", ""),
            "waiting": _titled("Queue", f"{asleep} snoozed" * bool(asleep)),
            "attention": _titled("Notices", str(looks) if looks and self.one_pane else ""),
        }

    # Keys

    @property
    def loss(self) -> Alarm | None:
        """The loss under the cursor of the notices, else the first; None without any."""
        return overview.loss_at(self.status, self.list_of("attention").cursor) if self.status is not None else None

    def lacks_loss(self) -> str:
        return "" if self.loss is not None or self.ended is not None else "no loss waits for an answer"

    @property
    def ended(self) -> EndedFact | None:
        """The ended fact under the cursor of the due list; None if it is not focused."""
        due = self.list_of("due")
        return due_jobs.ended_at(self.status, due.cursor) if self.status is not None and due.has_focus else None

    @property
    def noted_line(self) -> LinePlace | None:
        return LinePlace(self.ended.path, self.ended.line) if self.ended is not None else None

    @on(LineList.Chosen)
    async def _chosen(self, event: LineList.Chosen) -> None:
        if event.control.id == "waiting" and event.index < len(self.open_plans):
            await self.deck.open_plan(self.open_plans[event.index].id)
        elif event.control.id == "since":
            self.changed.open_changes(event.index)
        elif self.status is not None:
            row_details.open_row(self.deck, str(event.control.id), self.status, event.index, self.open_plans)

    @on(GaugeCards.Chosen)
    def _open_chart(self, event: GaugeCards.Chosen) -> None:
        from tui.screens.overview.chart import GaugeChartScreen

        self.app.push_screen(GaugeChartScreen(self.query_one(GaugeCards).gauges, event.gauge, self.status))

    def action_gauges(self) -> None:
        """Moves to the gauges, where `enter` opens a chart; a second time moves back."""
        self.turn_to(self.current if self.query_one(GaugeCards).has_focus else "cards")

    def action_pane(self, by: int) -> None:
        """Moves to the next pane; the gauges come between the last and the first."""
        cards, at = self.query_one(GaugeCards), self.PANES.index(self.current)
        if cards.has_focus:
            self.turn_to(self.PANES[0 if by > 0 else -1])
        elif not 0 <= at + by < len(self.PANES) and not self.one_pane:
            self.turn_to("cards")
        else:
            super().action_pane(by)

    def leave(self) -> bool:
        """Moves from the gauges back to the pane focused before."""
        if self.query_one(GaugeCards).has_focus:
            self.turn_to(self.current)
            return True
        return super().leave()

    def action_take_back(self) -> None:
        if self.noted_line is not None:
            self.deck.flows.dry_runs.forget(self.noted_line)
        elif self.loss is not None:
            self.deck.flows.dry_runs.revert(self.loss.path)

    def action_keep_loss(self) -> None:
        """Keeps a file that lost content, or an ended fact as still true."""
        if (ended := self.ended) is not None:
            self.deck.bridge.look(lambda engine: engine.facts.still(ended.id), lambda _: self.deck.read_all())
        elif self.loss is not None:
            self.deck.flows.dry_runs.keep_loss(self.loss.path)

    def action_digest(self) -> None:
        self.deck.flows.readers.show_digest()


def _titled(title: str, extra: str) -> Line:
    name = Span(title, "title")
    return (name, Span(f" {extra}", "accent")) if extra else (name,)
