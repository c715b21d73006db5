"""Defines the panes at the right of the tree: a node's text with jumps to sources, and its previous version."""

from dataclasses import dataclass
from typing import NamedTuple

from textual import on
from textual.message import Message

from engine.tree.browse.browser import RAW, Browser, TreeNode
from engine.tree.browse.previous_version import Compared
from engine.workspace.values import LineSpan
from tui.present.diff import computed_rows
from tui.present.spans import Line, Span, join
from tui.present.tree import node_rows as tree
from tui.present.tree.node_text import NodeText, span_words
from tui.present.words import count, safe
from tui.screens.hosted import Rest
from tui.screens.tree import tree_queries as reading
from tui.screens.tree.pane import TreePane
from tui.widgets.diff_view import DiffView
from tui.widgets.searchable_pane import LinePlace
from tui.widgets.source_text import SourceText

_EDGES = 6  # cells that a pane's corners and the blanks around its title take


class NodeInView(NamedTuple):
    """The selected node, the text to search in it, and the place to go to."""

    browser: Browser | None
    path: str
    node: TreeNode | None
    needle: str
    landing: int | str | None
    empty_tree: bool


class NodeTextPane(TreePane, SourceText):
    """The text of the selected node."""

    @dataclass
    class Jumped(Message):
        """Says that a line leads to another node, to a line of it or a topic in it."""

        path: str
        landing: int | str | None

    def __init__(self) -> None:
        super().__init__(ident="text")
        self.text: NodeText | None = None
        self.trail: list[tuple[str, int]] = []  # the places that jumps came from: path and line index
        self._shown: NodeInView | None = None
        self._resting = Rest(self)

    def tell_nothing(self, *lines: Line) -> None:
        """Shows words in place of a node's text."""
        self.text = None
        self.say(*lines)
        self.tell(self.Renamed())

    def show_node(self, shown: NodeInView, seconds: float = 0) -> None:
        """Shows a node after `seconds`, with 0 at once."""
        before = self._shown
        if shown.landing is None and before is not None and before.path == shown.path:
            shown = shown._replace(landing=before.landing)  # asked for before, and not shown yet
        self._shown = shown
        self._resting.after(seconds, self._read)

    def _read(self) -> None:
        self.refresh_bindings()
        shown = self._shown
        if shown is None or shown.empty_tree:
            self.tell_nothing(*tree.NO_TREE)
        elif shown.browser is None or shown.node is None:
            self.tell_nothing(tree.READING)
        elif not shown.node.status:
            self.tell_nothing(*tree.nothing_here(shown.node))
        else:
            self.ask(lambda browser: reading.read_text(browser, shown.path, shown.needle), self._took)

    def _took(self, text: NodeText) -> None:
        shown = self._shown
        if shown is None or text.path != shown.path:
            return
        same = self.text is not None and (self.text.path, self.text.needle) == (text.path, text.needle)
        self.text, wanted = text, shown.landing
        self._shown = shown._replace(landing=None)
        if isinstance(wanted, str):
            self.show(text, reading.line_of(text, wanted))
        elif wanted is not None:
            self.show(text, wanted)
        else:
            at = self.cursor if same else (text.hits[0] if text.hits else text.body)
            self.show(text, at, top=0 if same or text.hits else at)
        self.tell(self.Renamed())

    @on(SourceText.Moved)
    def _moved(self, event: SourceText.Moved) -> None:
        event.stop()
        self.tell(self.Renamed())

    @on(SourceText.Chosen)
    def _follow(self, event: SourceText.Chosen) -> None:
        """Goes one step down from a line: to the node it was copied from, or to the raw lines."""
        if self.text is not None:
            self._jump(self.text.leads_to(event.index), self.text.lines[event.index].topic)

    def _jump(self, span: LineSpan | None, topic: str = "") -> None:
        shown = self._shown
        if span is None or shown is None:
            raw = shown is not None and shown.node is not None and shown.node.level == RAW
            self.deck.say("a raw log came from no other file" if raw else "this line came from no other file")
            return
        self.trail.append((shown.path, self.cursor))
        self.tell(self.Jumped(span.path, topic or span.start - 1))

    def back(self) -> bool:
        """Goes back to where the last jump began, and tells whether there was one."""
        if self.trail:
            self.tell(self.Jumped(*self.trail.pop()))
            return True
        return False

    def next_hit(self, by: int) -> bool:
        """Goes to the next line that matches the filter; False without any."""
        if self.text is None or not self.text.hits:
            return False
        if (line := self.text.next_hit(self.cursor, by)) is not None:
            self.go(line)
        return True

    def lacks_raw_lines(self) -> str:
        raw = self.text.raw_lines(self.cursor) if self.text is not None else None
        return "" if raw is not None else "this line names no raw lines"

    def lacks_text_line(self) -> str:
        return "" if self.text is not None and len(self.text) else "there is no line to follow"

    def action_raw(self) -> None:
        if self.text is not None:
            self._jump(self.text.raw_lines(self.cursor))

    def action_life(self) -> None:
        if self.text is not None:
            self.deck.flows.readers.show_life(self.text.path, self.cursor + 1)

    @property
    def noted_line(self) -> LinePlace | None:
        return LinePlace(self.text.path, self.cursor + 1) if self.text is not None and len(self.text) else None

    def names(self, others: Line) -> tuple[Line, Line]:
        shown = self._shown
        if shown is None or shown.node is None:
            return (Span("Node", "title"),), others
        if shown.empty_tree:
            return tree.NO_TREE_TITLE, others
        span = self.text.leads_to(self.cursor) if self.text is not None and self.has_class("current") else None
        leads: Line = (Span("enter", "key"), Span(f" {span_words(span)}", "muted")) if span is not None else ()
        back: Line = (Span("-", "key"), Span(" back", "muted")) if self.trail else ()
        width = self.outer_size.width - _EDGES
        return tree.title(shown.node, width if width > 0 else 1000), join([others, leads, back], Span("  "))


class VersionsPane(TreePane, DiffView):
    """Compares the node with its previous version."""

    def __init__(self) -> None:
        super().__init__(ident="compare")
        self._path = ""
        self._resting = Rest(self)
        self._compared: Line = ()  # the node that was compared, and how many lines differ

    def show_versions(self, path: str, seconds: float = 0) -> None:
        """Reads both versions of a node after `seconds`, with 0 at once."""
        self._path = path
        self._resting.after(seconds, self._read)

    def _read(self) -> None:
        path = self._path
        self.say((Span("reading…", "muted"),))
        self.deck.bridge.read(
            lambda engine: (path, engine.tree.compared(path)), lambda answer: self._took(*answer), self.could_not
        )

    def _took(self, path: str, compared: Compared | None) -> None:
        if path != self._path:
            return
        title: Line = (Span(safe(path), "title"),)
        if compared is None:
            self.say(
                (Span("No earlier version is known.", "strong"),),
                (Span("It was written once, or neither memdeck nor git has seen another.", "muted"),),
            )
        else:
            folded = computed_rows(compared.diff, "tree")
            self.show(compared.diff, (tree.compared_with(compared, self.deck.now()),), {}, frontmatter=folded)
            added, removed = count(compared.diff.added), count(compared.diff.removed)
            title += (Span(f" +{added}", "ok"), Span(f" −{removed}", "blocked"))
        self._compared = title
        self.tell(self.Renamed())

    def names(self, others: Line) -> tuple[Line, Line]:
        back: Line = (Span("v", "key"), Span(" the text", "muted"))
        return self._compared, join([others, back], Span("  ")) if self._compared else ()

    def lacks_source(self) -> str:
        return "" if self.opens else "here enter opens folds; the text, on v, says where a line came from"
