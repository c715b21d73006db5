"""Beside the tree: topics as a table, gaps and stale nodes with what to do, and what would be fixed on a day."""

from datetime import date, timedelta

from textual import on

from engine.tree.browse.browser import Todo, TopicRow
from engine.tree.browse.weeks import weeks
from engine.tree.levels import NodeLevel, node_path, node_place
from engine.tree.source_references import raw_day
from tui.present.spans import Line, Span, join
from tui.present.tree import calendar as calendars
from tui.present.tree import lists as tree_lists
from tui.present.tree.calendar import TreeCalendar
from tui.present.tree.lists import TopicOrder
from tui.present.words import count
from tui.screens.tree import queries as reading
from tui.screens.tree.calendar import CalendarGrid
from tui.screens.tree.text import TextSide
from tui.widgets.line_list import LineList
from tui.widgets.lines import LineBlock

FARTHEST = 3650
"""Days that can be looked ahead."""


class TreeLists(TextSide):
    """The lists that can stand in the place of the tree."""

    def __init__(self) -> None:
        super().__init__()
        self._topics: tuple[TopicRow, ...] = ()
        self._order, self._backwards = TopicOrder.AGE, False
        self._todo: tuple[Todo, ...] = ()
        self._days_ahead = 1
        self._ahead: tuple[str, ...] | None = None
        """The nodes that would be fixed by then; None while that is worked out."""

    def action_aside(self, name: str) -> None:
        """Topics, gaps or what will be fixed in the place of the tree; the same key brings the tree back."""
        wanted = "nodes" if self.current == name else name
        self.turn_to(wanted)
        self.show_beside(wanted)

    def show_beside(self, name: str) -> None:
        """Reads what a list beside the tree shows."""
        browser = self.browser
        if browser is None:
            return
        match name:
            case "topics":
                self.ask(lambda: browser.topics(), self._took_topics, "topics")
            case "gaps":
                self.ask(lambda: tree_lists.todo_order(browser.todo()), self._took_todo, "gaps")
            case "ahead":
                self._look_ahead()
            case "calendar":
                self.ask(lambda: TreeCalendar(weeks(browser)), self._took_calendar, "calendar")
            case _:
                pass

    def _took_topics(self, topics: tuple[TopicRow, ...]) -> None:
        self._topics = topics
        self._show_topics()

    def _sorted(self) -> tuple[TopicRow, ...]:
        return tree_lists.ordered(self._topics, self._order, backwards=self._backwards)

    def _show_topics(self) -> None:
        lines = self.list_of("topics")
        lines.show_empty("no topic yet: topics are the headings of raw logs")
        lines.show(tree_lists.TopicAgeRows(self._sorted()))
        self.name_panes()

    def action_sort(self) -> None:
        """Sorts by the next column."""
        orders = list(TopicOrder)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self._show_topics()

    def action_reverse(self) -> None:
        self._backwards = not self._backwards
        self._show_topics()

    @on(LineList.Chosen, "#topics")
    def _topic_chosen(self, event: LineList.Chosen) -> None:
        """Filters the tree by a topic."""
        event.stop()
        browser, name = self.browser, self._sorted()[event.index].name
        if browser is not None:
            self.needle = name
            self.ask(lambda: reading.sift_topic(browser, name), self._took_sifted, "sift")
            self.turn_to("nodes")

    # Gaps

    def _took_todo(self, todo: tuple[Todo, ...]) -> None:
        self._todo = todo
        lines = self.list_of("gaps")
        whole: Line = (Span("✓ ", "ok"), Span("every node is there and true to its sources", "muted"))
        lines.show_empty("", ((Span("nothing to do yet: there is no raw log", "muted"),) if self.empty else whole,))
        lines.show(tree_lists.TodoRows(todo))
        self._show_advice()
        self.name_panes()
        if todo and self.has_class("left-gaps"):
            self.reveal(todo[lines.cursor].path)

    def _show_advice(self) -> None:
        advice = self.query_one("#advice", LineBlock)
        cursor = self.list_of("gaps").cursor
        advice.set_class(cursor < len(self._todo), "shown")
        if cursor < len(self._todo):
            advice.show(*tree_lists.todo_lines(self._todo[cursor]))

    @on(LineList.Moved, "#gaps")
    def _moved_in_gaps(self, event: LineList.Moved) -> None:
        event.stop()
        self._show_advice()
        self.reveal(self._todo[event.index].path)

    @on(LineList.Chosen, "#gaps")
    def _gap_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self.reveal(self._todo[event.index].path)
        self.turn_to("nodes")

    # The calendar

    @property
    def _grid(self) -> CalendarGrid:
        return self.query_one(CalendarGrid)

    def _took_calendar(self, calendar: TreeCalendar) -> None:
        self._grid.show(calendar, self._day_here())
        self.name_panes()
        day = calendar.at(self._grid.place)
        if day is not None and self.has_class("left-calendar"):
            self.reveal(day.node.path)

    def _day_here(self) -> date | None:
        """The day of the node that the page is about; None for a week, a month or ROOT."""
        place = node_place(self.here)
        if place is not None and place[0] is NodeLevel.DAILY:
            return date.fromisoformat(place[1])
        return raw_day(self.here)

    @on(CalendarGrid.Moved)
    def _moved_in_calendar(self, event: CalendarGrid.Moved) -> None:
        event.stop()
        self.name_panes()
        self.reveal(node_path(NodeLevel.DAILY, event.day.isoformat()))

    @on(CalendarGrid.Chosen)
    def _day_chosen(self, event: CalendarGrid.Chosen) -> None:
        event.stop()
        self.turn_to("text")

    def _calendar_names(self) -> tuple[Line, Line]:
        days = calendars.foot(self._grid.calendar, self._grid.place)
        return calendars.title(self._grid.calendar), join([self.others("calendar"), days], Span("  "))

    # What would be fixed

    def _look_ahead(self) -> None:
        browser, today = self.browser, self.today
        if browser is None or today is None:
            return
        day = today + timedelta(days=self._days_ahead)
        self._ahead = None
        self.name_panes()
        self.ask(lambda: (day, browser.fixed_on(day)), lambda found: self._took_ahead(*found), "ahead")

    def _took_ahead(self, day: date, paths: tuple[str, ...]) -> None:
        if self.today is None or day != self.today + timedelta(days=self._days_ahead):
            return
        self._ahead = paths
        lines = self.list_of("ahead")
        lines.show_empty(tree_lists.nothing_ahead(day))
        lines.show(tree_lists.AheadRows(paths))
        self.name_panes()
        if paths and self.has_class("left-ahead"):
            self.reveal(paths[lines.cursor])

    def action_ahead(self, by: int) -> None:
        """Moves the supposed day."""
        self._days_ahead = max(0, min(self._days_ahead + by, FARTHEST))
        if self.current != "ahead":
            self.turn_to("ahead")
        self._look_ahead()

    @on(LineList.Moved, "#ahead")
    def _moved_ahead(self, event: LineList.Moved) -> None:
        event.stop()
        if self._ahead is not None:
            self.reveal(self._ahead[event.index])

    @on(LineList.Chosen, "#ahead")
    def _ahead_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        if self._ahead is not None:
            self.reveal(self._ahead[event.index])
            self.turn_to("nodes")

    def _ahead_names(self) -> tuple[Line, Line]:
        if self.today is None:
            return (Span("Fixed when", "title"),), ()
        day = self.today + timedelta(days=self._days_ahead)
        many = len(self._ahead) if self._ahead is not None else None
        keys: Line = (Span("< >", "key"), Span(" a day  ", "muted"), Span("{ }", "key"), Span(" a week", "muted"))
        return tree_lists.ahead_title(day, self.today, many), join([self.others("ahead"), keys], Span("  "))

    def beside_names(self) -> dict[str, tuple[Line, Line]]:
        """Titles and feet of the lists."""
        topics = tree_lists.topics_title(len(self._topics), self._order, backwards=self._backwards)
        keys: Line = (Span("s", "key"), Span(" sort  ", "muted"), Span("enter", "key"), Span(" where it is", "muted"))
        keys = join([self.others("topics"), keys if self._topics else ()], Span("  "))
        gaps: Line = (Span("Gaps and stale nodes", "title"), Span(f" ⟨{count(len(self._todo))}⟩", "muted"))
        return {
            "topics": (topics, keys),
            "gaps": (gaps, self.others("gaps")),
            "ahead": self._ahead_names(),
            "calendar": self._calendar_names(),
        }
