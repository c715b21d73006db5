"""Defines the panes in place of the tree: topics as a table, gaps and stale nodes, and nodes fixed by a day."""

from dataclasses import dataclass
from datetime import date, timedelta

from textual import on
from textual.message import Message

from engine.tree.browse.browser import Todo, TopicRow
from tui.present.spans import Line, Span, join, key_line
from tui.present.tree import topics_gaps as tree_lists
from tui.present.tree.topics_gaps import TopicOrder
from tui.present.words import count
from tui.screens.tree.pane import TreePane
from tui.widgets.line_block import LineBlock
from tui.widgets.line_list import LineList

FARTHEST = 3650  # days that can be looked ahead


class TopicIndexPane(TreePane, LineList):
    """The headings of raw logs with their ages, in an order that the operator chooses."""

    @dataclass
    class Picked(Message):
        """Asks for the nodes of a topic."""

        topic: str

    def __init__(self) -> None:
        super().__init__(ident="topics", empty="reading…")
        self._topics: tuple[TopicRow, ...] = ()
        self._order, self._backwards = TopicOrder.AGE, False

    def read(self) -> None:
        self.ask(lambda browser: browser.topics(), self._took)

    def _took(self, topics: tuple[TopicRow, ...]) -> None:
        self._topics = topics
        self._show_sorted()

    def _sorted(self) -> tuple[TopicRow, ...]:
        return tree_lists.ordered(self._topics, self._order, backwards=self._backwards)

    def _show_sorted(self) -> None:
        self.show_empty("no topic yet: topics are the headings of raw logs")
        self.show(tree_lists.TopicAgeRows(self._sorted()))
        self.tell(self.Renamed())

    def lacks_topics(self) -> str:
        return "" if self.has_class("current") else "for the topics: t shows them"

    def action_sort(self) -> None:
        orders = list(TopicOrder)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self._show_sorted()

    def action_reverse(self) -> None:
        self._backwards = not self._backwards
        self._show_sorted()

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        self.tell(self.Picked(self._sorted()[event.index].name))

    def names(self, others: Line) -> tuple[Line, Line]:
        keys = key_line(("s", "sort"), ("enter", "where it is"))
        title = tree_lists.topics_title(len(self._topics), self._order, backwards=self._backwards)
        return title, join([others, keys if self._topics else ()], Span("  "))


class PointingPane(TreePane, LineList):
    """Rows about nodes: the cursor shows the node, `enter` opens it."""

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        self._point(event.index)

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        self._point(event.index, opened=True)

    def _point(self, index: int, *, opened: bool = False) -> None:
        raise NotImplementedError


class GapsPane(PointingPane):
    """Gaps and stale nodes, with the remedy for the selected one below."""

    def __init__(self, advice: LineBlock) -> None:
        super().__init__(ident="gaps", empty="looking…")
        self._todo: tuple[Todo, ...] = ()
        self._advice = advice

    def read(self) -> None:
        self.ask(lambda browser: tree_lists.todo_order(browser.todo()), self._took)

    def _took(self, todo: tuple[Todo, ...]) -> None:
        self._todo = todo
        whole: Line = (Span("✓ ", "ok"), Span("every node is there and true to its sources", "muted"))
        none: Line = (Span("nothing to do yet: there is no raw log", "muted"),)
        self.show_empty("", (none if self.empty_tree else whole,))
        self.show(tree_lists.TodoRows(todo))
        self._point(self.cursor)

    def _point(self, index: int, *, opened: bool = False) -> None:
        self._advice.set_class(index < len(self._todo), "shown")
        if index < len(self._todo):
            self._advice.show(*tree_lists.todo_lines(self._todo[index]))
            self.point(self._todo[index].path, opened=opened)
        self.tell(self.Renamed())

    def names(self, others: Line) -> tuple[Line, Line]:
        return (Span("Gaps and stale nodes", "title"), Span(f" ⟨{count(len(self._todo))}⟩", "muted")), others


class AheadPane(PointingPane):
    """The nodes that will be fixed by a day ahead."""

    def __init__(self) -> None:
        super().__init__(ident="ahead", empty="looking…")
        self._days_ahead = 1
        self._paths: tuple[str, ...] | None = None
        """The nodes fixed by that day; None while they are computed."""

    @property
    def _day(self) -> date | None:
        return self.browser.survey.today + timedelta(days=self._days_ahead) if self.browser is not None else None

    def read(self) -> None:
        if (day := self._day) is not None:
            self._paths = None
            self.tell(self.Renamed())
            self.ask(lambda browser: (day, browser.fixed_on(day)), lambda answer: self._took(*answer))

    def _took(self, day: date, paths: tuple[str, ...]) -> None:
        if day != self._day:
            return
        self._paths = paths
        self.show_empty(f"nothing would be fixed by {day}: > looks further ahead")
        self.show(tree_lists.AheadRows(paths))
        self._point(self.cursor)

    def _point(self, index: int, *, opened: bool = False) -> None:
        if self._paths:
            self.point(self._paths[index], opened=opened)
        self.tell(self.Renamed())

    def action_ahead(self, by: int) -> None:
        self._days_ahead = max(0, min(self._days_ahead + by, FARTHEST))
        if not self.has_class("current"):
            self.tell(self.Wanted(self))
        self.read()

    def names(self, others: Line) -> tuple[Line, Line]:
        day = self._day
        if self.browser is None or day is None:
            return (Span("Fixed when", "title"),), ()
        many = len(self._paths) if self._paths is not None else None
        keys = key_line(("< >", "a day"), ("{ }", "a week"))
        return tree_lists.ahead_title(day, self.browser.survey.today, many), join([others, keys], Span("  "))
