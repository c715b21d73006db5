"""Overview's panes: which there are, where they stand at which size, their names, and the line above them."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from engine.errors import MemdeckError
from engine.monitoring.agent_changes import SinceLook
from engine.plans.plan import QueueEntry
from engine.plans.status import Status
from tui.present.approvals import queue
from tui.present.overview import agent_changes as agent
from tui.present.overview import panes as overview
from tui.present.overview import what_if
from tui.present.overview.agent_changes import Key, LineFigures
from tui.present.overview.verdict import VerdictFacts, earlier, verdict
from tui.present.spans import Line, ListRow, Span, fitting, plain
from tui.present.window import gauge_row
from tui.present.words import clock, safe
from tui.screens.overview.gauge_cards import GaugeCards
from tui.screens.page import Page
from tui.widgets.card import GaugeCard
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.style import style_sheet
from tui.widgets.trend_pane import TrendPane

if TYPE_CHECKING:
    from engine.monitoring.trends import Trend

CARDS = ("working", "episodic", "semantic", "archive")
TITLES = ("Working", "Episodic", "Semantic", "Archive")
_LOW = 20
"""Lines up to which the cards show their gravest gauge alone."""
_SNUG = 116
"""Columns up to which two cards stand side by side, not four; from there on the courses have a pane of their own."""
_COURSES = 30
"""Lines from which on the courses have their pane."""
_FULL = 14
"""Rows of a list that take its room; the others are scrolled to."""
_LEAST_PEEK = 5
"""Lines of a diff beside the list of the agent's changes, with its border."""
_AROUND, _CARD_LINES = 2, 8
"""Lines of a border, and of the cards where the courses have a pane of their own."""
_WIDE = 100
"""Columns from which on panes stand beside one another (`-wide` of the console)."""
_RIGHT = ("since", "due", "attention", "waiting")
"""The panes of the right column from top to bottom."""


class OverviewPanes(Page):
    """The panes of the Overview: cards, triggers and courses; the agent's changes, due work, notices, queue."""

    PANES: ClassVar[tuple[str, ...]] = ("triggers", "since", "due", "attention", "waiting")
    SCOPED_CSS = False
    DEFAULT_CSS = style_sheet("OverviewPage")

    def __init__(self) -> None:
        super().__init__(id="overview", classes="here unfollowed")
        self.status: Status | None = None
        self.earlier = False
        """Tells whether the status is that of an earlier look, while the workspace is read."""
        self.open_plans: tuple[QueueEntry, ...] = ()
        self.trends: tuple[Trend, ...] = ()
        self.since: SinceLook | None = None
        self.figures: dict[Key, LineFigures] = {}
        self.problem: MemdeckError | None = None
        self.unread = ""
        """The reason why there is nothing to show, in a word; empty as long as it is being read."""
        self.real_ahead = timedelta()

    def compose(self) -> ComposeResult:
        yield OneLine(ident="verdict")
        yield OneLine(ident="window")
        yield GaugeCards(CARDS)
        with Horizontal(id="lower"):
            with Vertical(id="left"):
                yield LineList(ident="triggers", empty="reading the workspace…")
                yield TrendPane(ident="trends")
            with Vertical(id="right"):
                yield LineList(ident="since", empty="comparing…")
                yield DiffView(ident="peek")
                yield LineList(ident="due", empty="reading…")
                yield LineList(ident="attention", empty="reading…")
                yield LineList(ident="waiting", empty="reading…")

    def on_mount(self) -> None:
        for card, title in zip(CARDS, TITLES, strict=True):
            self.query_one(f"#{card}", GaugeCard).show(overview.Card(title, ((Span("reading…", "muted"),),)))
        self.query_one("#peek", DiffView).can_focus = False
        self.query_one("#trends", TrendPane).name_it((Span("Trends", "title"),))
        self.show_verdict()
        self.name_panes()

    def on_resize(self) -> None:
        width, height = self.app.size
        courses = width >= _SNUG and height >= _COURSES
        self.update_classes({"courses": courses, "snug": width < _SNUG, "tight": height < _LOW})
        self.show_verdict()
        self.show_window()
        self.name_panes()
        self.fit_panes()

    @property
    def has_courses(self) -> bool:
        """Tells whether the courses stand in a pane of their own, so that the cards need not show them."""
        return self.has_class("courses")

    def fit_panes(self) -> None:
        """Gives each list the lines that its rows take, and what is left to the courses and the agent's changes. Where
        panes share the room, each has it all."""
        names = ("triggers", *_RIGHT)
        if self.app.size.width < _WIDE or self.has_class("zoom"):
            for name in names:
                self.list_of(name).styles.height = "1fr"
            self.query_one("#peek", DiffView).styles.display = None if self.has_class("zoom") else "none"
            return
        wanted = {name: min(max(self.list_of(name).rows_wanted, 1), _FULL) + _AROUND for name in names}
        room = self.app.size.height - self._lines_above()
        spare = room - sum(wanted[name] for name in _RIGHT)
        peeks = self.has_class("peeks") and spare >= _LEAST_PEEK
        for name in names:
            alone = name == "triggers" and not self.has_courses
            grows = alone or (name == "since" and not peeks)
            self.list_of(name).styles.height = "1fr" if grows else wanted[name] if spare >= 0 else "1fr"
        self.query_one("#peek", DiffView).styles.display = "block" if peeks else "none"

    def _lines_above(self) -> int:
        """Counts the lines of the console's edges, the verdict and the cards, for what stands below them."""
        cards = self.query_one("#cards").outer_size.height
        window = self.query_one("#window").outer_size.height
        return self.app.size.height - self.outer_size.height + 1 + window + (cards or _CARD_LINES)

    def list_of(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    def real_now(self) -> datetime:
        """The real time by the engine's clock, whatever instant is supposed."""
        if self.status is not None and not self.status.simulated_clock:
            return self.deck.now()
        return datetime.now(UTC) + self.real_ahead

    def crumbs(self) -> tuple[str, ...]:
        """`Overview › Due`."""
        here = self.current
        return (*super().crumbs(), *(() if here == self.PANES[0] else (plain(self.names()[here][:1]),)))

    # The line on top and the names of the panes

    def show_verdict(self) -> None:
        line = self.query_one("#verdict", OneLine)
        if self.problem is not None:
            line.show(self._problem_row(self.problem))
        elif self.status is None and self.unread:
            line.show(ListRow((Span(self.unread, "muted"),)))
        elif self.status is None:
            line.show(ListRow((Span("◐ ", "info"), Span("reading the workspace…", "muted"))))
        elif self.earlier:
            line.show(earlier(self.status.now, self.deck.now()))
        elif self.status.simulated_clock:
            zone = self.deck.limits.policy.zone
            flows = self.deck.flows
            step = flows.clock.step if flows.clock.supposed is not None else ""
            line.show(what_if.banner(self.status.now, self.real_now(), zone, step=step))
        else:
            seen = VerdictFacts(self.status, queue.waiting(self.open_plans), self.trends, self.since)
            line.show(verdict(seen, line.content_size.width or 1000, beside=not self.one_pane))

    def show_window(self) -> None:
        """Shows the context window of the session that is nearest to its limit."""
        known = self.status.window if self.status is not None else {}
        self.set_class(not known.get("sessions"), "unfollowed")
        line = self.query_one("#window", OneLine)
        line.show(gauge_row(known, line.content_size.width or 100) if known else ListRow(()))

    def _problem_row(self, error: MemdeckError) -> ListRow:
        """Says what is wrong, and if there is room its place and the age of what is below; and how to try again."""
        wrong: Line = (Span("✗ ", "blocked"), Span(safe(error.message), "blocked"))
        old = f"what is shown is of {clock(self.status.now, self.deck.now())}" if self.status else ""
        right: Line = (Span("ctrl+r", "key"), Span(" read again", "muted"))
        width = (self.query_one("#verdict", OneLine).content_size.width or 1000) - len(plain(right)) - 1
        parts = [part for part in (wrong, (Span(old, "warn"),), (Span(safe(error.where), "muted"),)) if plain(part)]
        return ListRow(fitting(parts, Span("  "), width), right)

    def _waiting_words(self) -> str:
        """`1 snoozed`: those that wait are counted in the header."""
        asleep = sum(entry.snoozed_until is not None for entry in self.open_plans)
        return f"{asleep} snoozed" * bool(asleep)

    def name_panes(self) -> None:
        names = self.names()
        for at, name in enumerate(self.PANES):
            others = (*self.PANES[at + 1 :], *self.PANES[:at])
            listed = " · ".join(plain(names[other]) if other != "triggers" else "Triggers" for other in others)
            foot = agent.foot(self.since) if name == "since" else ()
            tabs: Line = (Span("tab ", "key"), Span(listed, "muted")) if self.one_pane else foot
            self.list_of(name).name_it(names[name], tabs)

    @property
    def reachable(self) -> tuple[str, ...]:
        return ("cards", *self.PANES)

    def turn_to(self, name: str) -> None:
        """Names the panes again: a name depends on whether its pane is the one in front."""
        if name == "cards":
            self.screen.set_focus(self.query_one(GaugeCards))
            return
        super().turn_to(name)
        if self.one_pane:
            self.name_panes()
        self.fit_panes()

    def names(self) -> dict[str, Line]:
        looks = overview.attention_count(self.status) if self.status else 0
        since: Line = _titled("Agent", str(len(self.since.changes)) if self.since and self.since.changes else "")
        if not self.one_pane or self.list_of("since").has_class("current"):
            since = agent.title(self.since, self.figures, self.real_now())
        return {
            "triggers": _titled("Triggers, in order", ""),
            "since": since,
            "due": _titled("Due", ""),
            "waiting": _titled("Queue", self._waiting_words()),
            "attention": _titled("Notices", str(looks) if looks and self.one_pane else ""),
        }


def _titled(title: str, extra: str) -> Line:
    name = Span(title, "title")
    return (name, Span(f" {extra}", "accent")) if extra else (name,)
