"""Defines the Tree page: where is it, and is it still true?"""

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from engine.errors import Stale
from engine.tree.levels import ROOT_PATH
from tui.bridge.facts import StatusRead
from tui.present.source_lines import file_line
from tui.present.spans import Line, ListRow, Span, error_lines, join
from tui.screens.page import Page, Place, TypedWords
from tui.screens.tree import tree_queries as reading
from tui.screens.tree.calendar import CalendarGrid
from tui.screens.tree.node_text import NodeTextPane, VersionsPane
from tui.screens.tree.nodes import NodesPane, TreeFilter
from tui.screens.tree.pane import TreePane
from tui.screens.tree.topics_gaps import AheadPane, GapsPane, TopicIndexPane
from tui.widgets.line_block import LineBlock
from tui.widgets.one_line import OneLine
from tui.widgets.painted import Painted
from tui.widgets.searchable_pane import LinePlace

ASIDE = ("nodes", "topics", "gaps", "ahead", "calendar")
MAIN = ("text", "compare")


class TreePage(Page, scope="tree"):
    """Shows the tree at the left and the selected node at the right, with topics, gaps and future nodes beside."""

    PANES: ClassVar[tuple[str, ...]] = (*ASIDE, *MAIN)
    NAMES: ClassVar[Mapping[str, str]] = {"nodes": "tree", "ahead": "fixed when", "compare": "versions"}

    def __init__(self) -> None:
        super().__init__(id="tree", classes="left-nodes right-text at-aside")
        self._at = "nodes"
        self._wish: LinePlace | None = None  # a place that somebody wants to see once the tree is read
        self._outdated = True  # true if the workspace changed after the tree was read
        self._finding = False  # True if `/` was last used to find in a pane, and not to filter the tree

    def compose(self) -> ComposeResult:
        yield OneLine(ident="way")
        with Horizontal(id="walk"):
            with Vertical(id="aside"):
                advice = LineBlock(ident="advice")
                yield (nodes := NodesPane())
                yield TopicIndexPane()
                yield GapsPane(advice)
                yield AheadPane()
                yield CalendarGrid()
                yield advice
                yield TreeFilter(nodes)
            with Vertical(id="main"):
                yield NodeTextPane()
                yield VersionsPane()

    def on_mount(self) -> None:
        self.name_panes()
        self.deck.facts.follow(StatusRead, self._read)

    # Panes

    @cached_property
    def nodes(self) -> NodesPane:
        return self.query_one(NodesPane)

    @cached_property
    def text_pane(self) -> NodeTextPane:
        return self.query_one(NodeTextPane)

    @property
    def noted_line(self) -> LinePlace | None:
        return self.text_pane.noted_line

    @cached_property
    def _panes(self) -> dict[str, TreePane]:
        return {name: pane for name in self.PANES if isinstance(pane := self.pane(name), TreePane)}

    @property
    def current(self) -> str:
        return self._at

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Brings a clicked pane to the front."""
        gone_on = event.widget is not self.screen.focused  # by the next key of a burst
        if event.widget.id in self.PANES and event.widget.id != self._at and not gone_on:
            self._came_to(event.widget.id)

    def turn_to(self, name: str) -> None:
        """Focuses a pane, which replaces the others on its side."""
        self._came_to(name)
        super().turn_to(name)

    def _came_to(self, name: str) -> None:
        self._at = name
        side, kind = (ASIDE, "left") if name in ASIDE else (MAIN, "right")
        for other in self.PANES:
            self.pane(other).set_class(other == name, "current", update=False)
        sides = {"at-aside": name in ASIDE, "at-main": name in MAIN}
        self.update_classes({f"{kind}-{other}": other == name for other in side} | sides)
        self.name_panes()
        self.refresh_bindings()

    def shown(self, names: Collection[str]) -> str:
        """Returns the visible pane among those of one side."""
        return next(name for name in names if self.has_class(f"left-{name}") or self.has_class(f"right-{name}"))

    def action_pane(self, by: int) -> None:
        self.turn_to(self.shown(MAIN if self.current in ASIDE else ASIDE))

    def others(self, name: str) -> Line:
        """Names the pane that `tab` leads to, if only one shows; else empty."""
        if not self.one_pane:
            return ()
        other = self.shown(MAIN if name in ASIDE else ASIDE)
        return (Span("tab ", "key"), Span(self.NAMES.get(other, other), "muted"))

    @on(TreePane.Renamed)
    def name_panes(self) -> None:
        for name, pane in self._panes.items():
            self.query_one(f"#{name}", Painted).name_it(*pane.names(self.others(name)))
        *above, here = self.nodes.way()
        line = join([*((Span(name, "muted"),) for name in above), (Span(here, "title"),)], Span(" › ", "rule"))
        self.query_one("#way", OneLine).show(ListRow(line))
        if self.has_class("here"):
            self.deck.show_crumbs()

    def on_resize(self) -> None:
        self.call_after_refresh(self.name_panes)

    # Where one is

    def crumbs(self) -> tuple[str, ...]:
        return (*super().crumbs(), *self.nodes.way())

    def spot(self) -> str:
        return f"{self.current} {self.nodes.here}"

    def return_to(self, spot: str) -> None:
        pane, _, path = spot.partition(" ")
        self.show(LinePlace(path, 0))
        super().return_to(pane)

    def show(self, wanted: Place) -> bool:
        match wanted:
            case LinePlace():
                self._wish = wanted
                self._grant_wish()
                return True
            case TypedWords(words):
                return self._take(words)
        return False

    def _take(self, words: tuple[str, ...]) -> bool:
        """Runs `:tree 2026-W11`, which goes there, `:tree find TEXT`, or `:tree life FILE:LINE`."""
        match words:
            case ("find", *text):
                self.nodes.filter_by(" ".join(text))
                return bool(text)
            case ("life", place) if (line := file_line(place)) is not None:
                self.deck.flows.readers.show_life(*line)
                return True
            case (name,) if (path := reading.place_of(name)) is not None:
                return self.show(LinePlace(path, 0))
        return False

    def _grant_wish(self) -> None:
        """Goes to a place that was asked for before the tree was read."""
        browser, wish = self.nodes.browser, self._wish
        if browser is None or wish is None:
            return
        self._wish = None
        if browser.parent(wish.path) is not None or wish.path == ROOT_PATH:
            self.nodes.reveal(wish.path, wish.line - 1 if wish.line else None)
            self.turn_to("text" if wish.line else "nodes")
        else:
            self.deck.flows.readers.show_note(wish.path, wish.line)

    # Reading

    def enter(self) -> None:
        super().enter()
        if self._outdated:
            self._read()

    def _read(self, _: StatusRead | None = None) -> None:
        """Reads the tree after a change in the workspace, if the page is in front."""
        self._outdated = not self.has_class("here")
        if not self._outdated:
            self.nodes.read_tree(self._took)

    def _took(self, opened: reading.OpenedNode) -> None:
        for pane in self._panes.values():
            pane.browser, pane.empty_tree = opened.browser, opened.empty
        self._show_text(NodesPane.Came())
        self._grant_wish()
        self._panes[self.shown(ASIDE)].read()

    @on(TreePane.Unanswered)
    def _unanswered(self, event: TreePane.Unanswered) -> None:
        error = event.error
        if isinstance(error, Stale):
            # The file changed after the last look at the workspace: a new look brings a new tree.
            self.text_pane.tell_nothing((Span("changed just now, reading again…", "muted"),))
            self.deck.read_all()
            return
        if self.nodes.browser is None:
            self.nodes.show_empty("", error_lines(error))
        self.text_pane.tell_nothing(*error_lines(error))

    # What the panes tell

    @on(NodesPane.Came)
    def _show_text(self, event: NodesPane.Came) -> None:
        self.text_pane.show_node(self.nodes.in_view(), event.seconds)
        if self.has_class("right-compare"):
            self.query_one(VersionsPane).show_versions(self.nodes.here, event.seconds)

    @on(TreePane.Entered)
    def _entered(self) -> None:
        self.turn_to("text" if self.current == "calendar" else self.shown(MAIN))

    @on(TreePane.Pointed)
    def _pointed(self, event: TreePane.Pointed) -> None:
        """Shows the node selected in a list beside the tree, if the list is visible."""
        if self.has_class(f"left-{event.pane}"):
            self.nodes.reveal(event.path)
            if event.opened:
                self.turn_to("nodes")

    @on(TreePane.Wanted)
    def _wanted(self, event: TreePane.Wanted) -> None:
        self.turn_to(str(event.pane.id))

    @on(TopicIndexPane.Picked)
    def _picked(self, event: TopicIndexPane.Picked) -> None:
        self.nodes.sift_topic(event.topic)
        self.turn_to("nodes")

    @on(NodeTextPane.Jumped)
    def _jumped(self, event: NodeTextPane.Jumped) -> None:
        self.nodes.reveal(event.path, event.landing)
        self.turn_to("text")

    # Keys that lead from pane to pane

    def action_aside(self, name: str) -> None:
        """Shows topics, gaps or future nodes instead of the tree, or the tree again."""
        wanted = "nodes" if self.current == name else name
        self.turn_to(wanted)
        self.query_one(CalendarGrid).here = self.nodes.here
        self._panes[wanted].read()

    def action_compare(self) -> None:
        if self.has_class("right-compare"):
            self.turn_to("text")
        else:
            self.turn_to("compare")
            self.query_one(VersionsPane).show_versions(self.nodes.here)

    def action_close_node(self) -> None:
        if self.current == "nodes":
            self.nodes.close_node()
        else:
            self.turn_to(self.shown(ASIDE))

    async def action_back(self) -> None:
        if not self.text_pane.back():
            await self.deck.action_last_place()

    def action_hit(self, by: int) -> None:
        """Goes to the next match of the filter, in the tree or the text, else of the last `/` search."""
        if self.current == "nodes" and self.nodes.needle:
            self.nodes.next_hit(by)
        elif self.current != "text" or self._finding or not self.text_pane.next_hit(by):
            self.deck.action_find_again(by)

    def action_filter(self) -> None:
        """Opens the filter below the tree; in a text or list, searches."""
        self._finding = self.current != "nodes"
        if self._finding:
            self.deck.action_find_here()
        else:
            self.turn_to("nodes")
            self.query_one(TreeFilter).open(self.nodes.needle)

    def leave(self) -> bool:
        """Leaves the innermost of: filter field, comparison, jump, text, list beside the tree, filter."""
        if (field := self.query_one(TreeFilter)).has_focus:
            field.close()
            self.nodes.filter_by("")
        elif self.current == "compare":
            self.turn_to("text")
        elif self.current == "text" and self.text_pane.trail:
            self.text_pane.back()
        elif self.current != "nodes":
            self.turn_to("nodes")
        elif self.nodes.needle:
            self.nodes.filter_by("")
        else:
            return super().leave()
        return True
