"""Overview: is anything wrong, and what is due?"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from engine.plans.plan import QueueEntry
from engine.views import Status
from tui.screens.page import Page
from tui.screens.reading import Reading
from tui.viewmodels import due, overview, queue
from tui.viewmodels.spans import Line, ListRows, Span
from tui.widgets.card import GaugeCard
from tui.widgets.line_list import LineList

CARDS = ("working", "episodic", "semantic", "archive")


class OverviewPage(Page):
    """A card per memory tier, then triggers, due work, what needs a look, and the queue."""

    PANES: ClassVar[tuple[str, ...]] = ("triggers", "due", "attention", "waiting")
    SCOPED_CSS = False
    DEFAULT_CSS = """
    OverviewPage #cards { height: 9; layout: horizontal; }
    OverviewPage #cards GaugeCard { width: 1fr; }
    OverviewPage #lower { layout: grid; grid-size: 2 2; grid-columns: 3fr 2fr; grid-rows: 11 1fr; height: 1fr; }
    OverviewPage LineList { border: round $border-blurred; height: 1fr; padding: 0; }
    OverviewPage LineList:focus { border: round $border; }
    .-short OverviewPage #cards { height: 6; }
    .-short OverviewPage #lower { grid-rows: 11 1fr; }
    .-narrow OverviewPage #cards { height: 10; layout: grid; grid-size: 2 2; grid-rows: 5 5; }
    .-narrow OverviewPage #lower { layout: vertical; }
    .-narrow OverviewPage LineList { display: none; }
    .-narrow OverviewPage LineList.current { display: block; }
    OverviewPage.zoom #cards { display: none; }
    OverviewPage.zoom #lower { layout: vertical; }
    OverviewPage.zoom LineList { display: none; }
    OverviewPage.zoom LineList.current { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("d", "app.dry_run", "Dry run")]

    def __init__(self) -> None:
        super().__init__(id="overview", classes="here")
        self._status: Status | None = None
        self._waiting: tuple[QueueEntry, ...] = ()

    def compose(self) -> ComposeResult:
        with Horizontal(id="cards"):
            for name in CARDS:
                yield GaugeCard(ident=name)
        with Horizontal(id="lower"):
            yield LineList(ident="triggers", empty="reading the workspace…")
            yield LineList(ident="due", empty="reading…")
            yield LineList(ident="attention", empty="reading…")
            yield LineList(ident="waiting", empty="reading…")

    def on_mount(self) -> None:
        for card, title in zip(CARDS, ("Working", "Episodic", "Semantic", "Archive"), strict=True):
            self.query_one(f"#{card}", GaugeCard).show(overview.Card(title, ((Span("reading…", "muted"),),)))
        self._name_panes()

    def on_resize(self) -> None:
        self._name_panes()

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    def show_status(self, status: Status) -> None:
        self._status = status
        for name, card in zip(CARDS, overview.cards(status, self.deck.limits), strict=True):
            self.query_one(f"#{name}", GaugeCard).show(card)
        self._list("triggers").show(ListRows(overview.triggers(status)))
        self._list("attention").show_empty(
            "nothing needs a look", ((Span("✓ ", "ok"), Span("nothing needs a look", "muted")),)
        )
        self._list("attention").show(ListRows(overview.attention(status)))
        self._list("due").show(ListRows(due.due(status)))
        self._name_panes()

    def show_queue(self, entries: tuple[QueueEntry, ...]) -> None:
        self._waiting = queue.ordered(overview.open_entries(entries))
        self._list("waiting").show_empty("no plan waits for you\nd makes a dry run: it changes nothing")
        self.show_tick()
        self._name_panes()

    def show_tick(self) -> None:
        self._list("waiting").show(queue.QueueRows(self._waiting, self.deck.now(), self.deck.running))

    def _name_panes(self) -> None:
        fired = sum(trigger.fired for trigger in self._status.triggers) if self._status else 0
        looks = self._list("attention").count
        names: dict[str, tuple[str, str]] = {
            "triggers": ("Triggers, in order", f"{fired} fired" if fired else ""),
            "due": ("Due", ""),
            "attention": ("Worth a look", str(looks) if looks else ""),
            "waiting": ("Queue", f"⟨{len(self._waiting)}⟩" if self._waiting else ""),
        }
        for name, (title, extra) in names.items():
            line: Line = (Span(title, "title"), Span(f" {extra}", "accent")) if extra else (Span(title, "title"),)
            others = [f"{names[other][0]} {names[other][1]}".strip() for other in self.PANES if other != name]
            tabs: Line = (Span("tab ", "key"), Span(" · ".join(others), "muted")) if self.one_pane else ()
            self._list(name).name_it(line, tabs)

    async def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        match event.lines.id:
            case "waiting" if event.index < len(self._waiting):
                await self.deck.open_plan(self._waiting[event.index].id)
            case "attention" if self._status is not None:
                title, lines = overview.attention_detail(self._status, event.index)
                self.app.push_screen(Reading(title, lines))
            case "triggers" if self._status is not None:
                self.app.push_screen(Reading(*overview.trigger_detail(self._status, event.index)))
            case _:
                pass
