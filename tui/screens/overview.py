"""Overview: is anything wrong, and what is due?"""

from datetime import UTC, datetime, timedelta
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from engine.errors import Cancelled, MemdeckError
from engine.plans.diff import FileDiff
from engine.plans.plan import QueueEntry
from engine.views import Status
from engine.watching.since import AgentChange, SinceLook
from engine.watching.trends import Trend
from tui.port import Engine
from tui.screens.page import Page
from tui.screens.reading import Reading
from tui.viewmodels import due, overview, queue, what_if
from tui.viewmodels import since as agent
from tui.viewmodels.diff import LABEL
from tui.viewmodels.outlook import Outlook, outlooks
from tui.viewmodels.since import Figures, Key
from tui.viewmodels.spans import Line, ListRows, Row, Span
from tui.viewmodels.verdict import Seen, verdict
from tui.viewmodels.wording import clock, safe
from tui.widgets.card import GaugeCard
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine

CARDS = ("working", "episodic", "semantic", "archive")
_TITLES = ("Working", "Episodic", "Semantic", "Archive")
_COUNTED = 200
"""Changes of the agent whose lines are counted at once; those of others when they are opened."""
_ROOMY, _LOW = 44, 20
"""Lines from which on the cards get more room, and up to which they show their gravest gauge alone."""
_SNUG = 116
"""Columns up to which two cards stand side by side, not four."""


class OverviewPage(Page):
    """One line that sums up, a card per memory tier, then triggers, the agent's changes, due work, remarks, queue."""

    PANES: ClassVar[tuple[str, ...]] = ("triggers", "since", "due", "attention", "waiting")
    SCOPED_CSS = False
    DEFAULT_CSS = """
    OverviewPage { layout: vertical; }
    OverviewPage #verdict { background: $background; padding: 0 2; }
    OverviewPage #cards { height: 10; layout: horizontal; }
    OverviewPage #cards GaugeCard { width: 1fr; }
    OverviewPage.roomy #cards { height: 13; }
    OverviewPage #lower { height: 1fr; }
    OverviewPage #left { width: 3fr; }
    OverviewPage #right { width: 2fr; }
    OverviewPage LineList { border: round $border-blurred; height: 1fr; padding: 0; }
    OverviewPage LineList:focus { border: round $border; }
    OverviewPage #triggers { height: 11; }
    OverviewPage #due { height: 7; }
    OverviewPage #peek { border: round $border-blurred; height: 1fr; display: none; }
    OverviewPage.roomy.peeks #peek { display: block; }
    OverviewPage.roomy.peeks #since { height: 8; }
    OverviewPage.zoom #peek { display: none; }
    OverviewPage.what-if LineList, OverviewPage.what-if GaugeCard { border: round $warning; }
    .-short OverviewPage #cards { height: 6; }
    .-short OverviewPage #triggers { height: 3fr; }
    .-short OverviewPage #since { height: 2fr; }
    .-short OverviewPage #due { height: 1fr; }
    OverviewPage.snug #cards { height: 10; layout: grid; grid-size: 2 2; grid-rows: 5 5; }
    .-tall OverviewPage.snug #cards { height: 16; grid-rows: 8 8; }
    OverviewPage.tight #cards { height: 6; layout: grid; grid-size: 2 2; grid-rows: 3 3; }
    .-narrow OverviewPage #left, .-narrow OverviewPage #right { width: 1fr; display: none; }
    .-narrow OverviewPage LineList { display: none; }
    .-narrow OverviewPage LineList.current, .-narrow OverviewPage #triggers, .-narrow OverviewPage #due {
        height: 1fr;
    }
    .-narrow OverviewPage LineList.current { display: block; }
    OverviewPage.zoom #cards, OverviewPage.zoom #left, OverviewPage.zoom #right, OverviewPage.zoom LineList {
        display: none;
    }
    OverviewPage.zoom #left, OverviewPage.zoom #right { width: 1fr; }
    OverviewPage.zoom LineList.current { display: block; }
    OverviewPage.zoom #triggers, OverviewPage.zoom #since, OverviewPage.zoom #due { height: 1fr; }
    .-narrow OverviewPage.at-triggers #left, .-narrow OverviewPage.at-since #left { display: block; }
    .-narrow OverviewPage.at-due #right, .-narrow OverviewPage.at-waiting #right { display: block; }
    .-narrow OverviewPage.at-attention #right { display: block; }
    OverviewPage.zoom.at-triggers #left, OverviewPage.zoom.at-since #left { display: block; }
    OverviewPage.zoom.at-due #right, OverviewPage.zoom.at-waiting #right { display: block; }
    OverviewPage.zoom.at-attention #right { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "app.dry_run", "Dry run"),
        Binding("t", "what_if", "What if"),
        Binding("m", "mark_looked", "Mark as looked", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="overview", classes="here")
        self._status: Status | None = None
        self._waiting: tuple[QueueEntry, ...] = ()
        self._trends: tuple[Trend, ...] = ()
        self._outlooks: dict[str, Outlook] = {}
        self._since: SinceLook | None = None
        self._figures: dict[Key, Figures] = {}
        self._diffs: dict[Key, FileDiff] = {}
        self._problem: MemdeckError | None = None
        self._supposed: datetime | None = None
        self._real_ahead = timedelta()
        self._asking = self._ask_again = False

    def compose(self) -> ComposeResult:
        yield OneLine(ident="verdict")
        with Horizontal(id="cards"):
            for name in CARDS:
                yield GaugeCard(ident=name)
        with Horizontal(id="lower"):
            with Vertical(id="left"):
                yield LineList(ident="triggers", empty="reading the workspace…")
                yield LineList(ident="since", empty="comparing…")
                yield DiffView(ident="peek")
            with Vertical(id="right"):
                yield LineList(ident="due", empty="reading…")
                yield LineList(ident="attention", empty="reading…")
                yield LineList(ident="waiting", empty="reading…")

    def on_mount(self) -> None:
        for card, title in zip(CARDS, _TITLES, strict=True):
            self.query_one(f"#{card}", GaugeCard).show(overview.Card(title, ((Span("reading…", "muted"),),)))
        self.query_one("#peek", DiffView).can_focus = False
        self._show_verdict()
        self._name_panes()

    def on_resize(self) -> None:
        width, height = self.app.size
        self.update_classes(
            {"roomy": height >= _ROOMY and width >= _SNUG, "snug": width < _SNUG, "tight": height < _LOW}
        )
        self._show_verdict()
        self._name_panes()

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    # What was read

    def show_status(self, status: Status) -> None:
        self._status, self._problem = status, None
        self.set_class(status.simulated_clock, "what-if")
        self._list("attention").show_empty(
            "nothing needs a look", ((Span("✓ ", "ok"), Span("nothing needs a look", "muted")),)
        )
        self._list("attention").show(ListRows(overview.attention(status)))
        self._list("due").show(ListRows(due.due(status)))
        self._show_gauges(status)
        self._ask_engine(status)

    def _show_gauges(self, status: Status) -> None:
        """All that the outlook has a part in."""
        self._outlooks = outlooks(self._trends, status.now, self._real_now())
        for name, card in zip(CARDS, overview.cards(status, self.deck.limits, self._outlooks), strict=True):
            self.query_one(f"#{name}", GaugeCard).show(card)
        self._list("triggers").show(ListRows(overview.triggers(status, self._outlooks)))
        self._show_verdict()
        self._name_panes()

    def _real_now(self) -> datetime:
        """The real time by the engine's clock, whatever instant is supposed."""
        if self._status is not None and not self._status.simulated_clock:
            return self._status.now
        return datetime.now(UTC) + self._real_ahead

    def _ask_engine(self, status: Status) -> None:
        """Trends and the agent's changes come after the status is on screen, so that it waits for neither."""
        if self._asking:
            self._ask_again = True
            return
        self._asking = True

        def ask(engine: Engine) -> tuple[tuple[Trend, ...], SinceLook, datetime]:
            return engine.trends(status), engine.since_looked(), engine.real_now()

        self.deck.bridge.look(ask, self._took, self._could_not, group="outlook")

    def _took(self, found: tuple[tuple[Trend, ...], SinceLook, datetime]) -> None:
        self._trends, self._since, real_now = found
        self._real_ahead = real_now - datetime.now(UTC)
        self._asked()
        if self._status is not None:
            self._show_gauges(self._status)
        self._show_since()
        self._count_lines()

    def _could_not(self, error: MemdeckError) -> None:
        self._asked()
        lines: tuple[Line, ...] = ((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line()), "muted"),))
        self._list("since").show_empty("", lines)

    def _asked(self) -> None:
        self._asking = False
        if self._ask_again and self._status is not None:
            self._ask_again = False
            self._ask_engine(self._status)

    def _show_since(self) -> None:
        lines, since = self._list("since"), self._since
        lines.show_empty("", agent.empty(since, self._real_now(), read_only=self.deck.read_only))
        lines.show(agent.ChangeRows(since.changes if since else (), self._figures))
        self._peek()
        self._show_verdict()
        self._name_panes()
        self.refresh_bindings()

    @on(LineList.Moved, "#since")
    def _peek(self) -> None:
        """The diff of the change under the cursor, where there is room for it."""
        changes, at = (self._since.changes if self._since else ()), self._list("since").cursor
        diff = self._diffs.get(agent.key_of(changes[at])) if at < len(changes) else None
        self.set_class(diff is not None, "peeks")
        view = self.query_one("#peek", DiffView)
        if diff is not None and diff is not view.showing:
            view.name_it(agent.diff_title(changes[at], diff, at, len(changes)))
            view.show(diff, agent.preface(changes[at], diff, LABEL), {})

    def _count_lines(self) -> None:
        """Counts the lines of changes that are new here, a few hundred at once."""
        changes = self._since.changes[:_COUNTED] if self._since else ()
        self._figures = {key: known for change in changes if (known := self._figures.get(key := agent.key_of(change)))}
        new = tuple(change for change in changes if agent.key_of(change) not in self._figures)
        self._diffs = {key: self._diffs[key] for key in self._figures if key in self._diffs}
        if not new:
            return

        def count(engine: Engine) -> tuple[tuple[AgentChange, FileDiff], ...]:
            return tuple(zip(new, engine.agent_diffs(new), strict=True))

        self.deck.bridge.read(count, self._counted, lambda _: None, group="agent-lines")

    def _counted(self, found: tuple[tuple[AgentChange, FileDiff], ...]) -> None:
        self._figures |= {agent.key_of(change): agent.figures_of(diff) for change, diff in found}
        self._diffs |= {agent.key_of(change): diff for change, diff in found}
        self._show_since()

    def show_queue(self, entries: tuple[QueueEntry, ...]) -> None:
        self._waiting = queue.ordered(overview.open_entries(entries))
        self._list("waiting").show_empty("no plan waits for you\nd makes a dry run: it changes nothing")
        self._show_waiting()
        self._show_verdict()
        self._name_panes()

    def _show_waiting(self) -> None:
        self._list("waiting").show(queue.QueueRows(self._waiting, self._real_now(), self.deck.running))

    def show_tick(self) -> None:
        self._show_waiting()
        self._show_verdict()

    def show_problem(self, error: MemdeckError) -> None:
        self._problem = error
        if self._status is None:
            words = "stopped" if isinstance(error, Cancelled) else "not read"
            for card, title in zip(CARDS, _TITLES, strict=True):
                self.query_one(f"#{card}", GaugeCard).show(overview.Card(title, ((Span(words, "muted"),),)))
            for name in self.PANES:
                self._list(name).show_empty(f"{words}\nctrl+r reads the workspace again")
        self._show_verdict()

    # The line on top and the names of the panes

    def _show_verdict(self) -> None:
        line = self.query_one("#verdict", OneLine)
        if self._problem is not None:
            line.show(self._problem_row(self._problem))
        elif self._status is None:
            line.show(Row((Span("◐ ", "info"), Span("reading the workspace…", "muted"))))
        elif self._status.simulated_clock:
            zone = self.deck.limits.policy.zone
            line.show(what_if.banner(self._status.now, self._real_now(), zone, leave=self._supposed is not None))
        else:
            seen = Seen(self._status, queue.waiting(self._waiting), self._trends, self._since)
            line.show(verdict(seen, line.content_size.width or 1000))

    def _problem_row(self, error: MemdeckError) -> Row:
        old = f"  what is shown is of {clock(self._status.now, self.deck.now())}" if self._status else ""
        left: Line = (Span("✗ ", "blocked"), Span(safe(error.line()), "blocked"), Span(old, "warn"))
        return Row(left, (Span("ctrl+r", "key"), Span(" read again", "muted")))

    def _name_panes(self) -> None:
        names = self._names()
        for name, title in names.items():
            others = " · ".join("".join(span.text for span in names[other]) for other in self.PANES if other != name)
            foot = agent.foot(self._since) if name == "since" else ()
            tabs: Line = (Span("tab ", "key"), Span(others, "muted")) if self.one_pane else foot
            self._list(name).name_it(title, tabs)

    def _names(self) -> dict[str, Line]:
        fired = sum(trigger.fired for trigger in self._status.triggers) if self._status else 0
        looks = overview.attention_count(self._status) if self._status else 0
        since: Line = _titled("Agent", str(len(self._since.changes)) if self._since and self._since.changes else "")
        if not self.one_pane or self._list("since").has_class("current"):
            since = agent.title(self._since, self._figures, self._real_now())
        return {
            "triggers": _titled("Triggers, in order", f"{fired} fired" if fired else ""),
            "since": since,
            "due": _titled("Due", ""),
            "waiting": _titled("Queue", f"⟨{len(self._waiting)}⟩" if self._waiting else ""),
            "attention": _titled("Worth a look", str(looks) if looks else ""),
        }

    # Keys

    def why_not(self, action: str) -> str:
        if action == "mark_looked":
            if self.deck.read_only:
                return "read-only: the console was started with --read-only"
            if self._since is not None and self._since.looked_at is not None and not self._since.changes:
                return "the agent changed nothing since you looked"
        return ""

    @on(LineList.Chosen)
    async def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        status = self._status
        match event.lines.id:
            case "waiting" if event.index < len(self._waiting):
                await self.deck.open_plan(self._waiting[event.index].id)
            case "since":
                self._open_changes(event.index)
            case "attention" if status is not None:
                self.app.push_screen(Reading(*overview.attention_detail(status, event.index)))
            case "due" if status is not None:
                self.app.push_screen(Reading(*due.due_detail(status, event.index)))
            case "triggers" if status is not None:
                self.app.push_screen(Reading(*overview.trigger_detail(status, event.index)))
            case _:
                pass

    def _open_changes(self, index: int) -> None:
        from tui.screens.agent_changes import AgentChanges

        since = self._since
        if since is None or index >= len(since.changes):
            return

        def closed(marked: bool | None) -> None:
            self._show_since()
            if marked:
                self._mark(since)

        page = AgentChanges(since, self._figures, index, real_now=self._real_now(), read_only=self.deck.read_only)
        self.app.push_screen(page, closed)

    def action_mark_looked(self) -> None:
        """What is listed counts as seen; what the agent does from here on is listed anew."""
        why = self.why_not("mark_looked")
        if why:
            self.deck.say(why, severity="warning")
        elif self._since is not None:
            self._mark(self._since)

    def _mark(self, shown: SinceLook) -> None:
        def mark(engine: Engine) -> SinceLook:
            engine.looked(shown.changes if shown.looked_at is not None else None)
            return engine.since_looked()

        self.deck.bridge.look(mark, self._marked, self.deck.fail, group="looked")

    def _marked(self, since: SinceLook) -> None:
        self._since = since
        self._show_since()
        self.deck.say("what the agent changes from now on is listed here", title="Marked as looked at")

    # The what-if clock

    def action_what_if(self) -> None:
        """Asks for a date, then shows everything as of then; `esc` comes back."""
        from tui.screens.what_if import AskInstant

        def asked(at: datetime | None) -> None:
            if at is not None:
                self._suppose(at)

        self.app.push_screen(AskInstant(self._real_now(), self.deck.limits.policy.zone), asked)

    def _suppose(self, at: datetime | None) -> None:
        self._supposed = at

        def supposed(_: None) -> None:
            self.deck.read_all()

        self.deck.bridge.look(lambda engine: engine.suppose(at), supposed, self.deck.fail, group="suppose")

    def leave(self) -> bool:
        if super().leave():
            return True
        if self._supposed is not None:
            self._suppose(None)
            return True
        return False


def _titled(title: str, extra: str) -> Line:
    name = Span(title, "title")
    return (name, Span(f" {extra}", "accent")) if extra else (name,)
