"""The tree's right side: a node's text, jumps to where a line came from, and its previous version."""

from textual import on

from engine.tree.browse.browser import RAW
from engine.tree.browse.previous_version import Compared
from engine.workspace.values import LineSpan
from tui.present.spans import Line, Span, join
from tui.present.tree import rows as tree
from tui.present.tree.open_nodes import next_hit
from tui.present.tree.text import NodeText, span_words
from tui.present.words import count, safe
from tui.screens.tree import queries as reading
from tui.screens.tree.nodes import NodesSide
from tui.widgets.diff_view import DiffView
from tui.widgets.source_text import SourceText

_EDGES = 6
"""Cells that a pane's corners and the blanks around its title take."""


class TextSide(NodesSide):
    """Shows the node under the cursor."""

    def say_text(self, *lines: Line) -> None:
        self.text = None
        self.text_pane.say(*lines)
        self.name_panes()

    def show_text(self, seconds: float = 0) -> None:
        """Shows the node under the cursor, now or once the cursor rests."""
        self.after("text", seconds, self._read_text)

    def _read_text(self) -> None:
        self.refresh_bindings()
        browser, node = self.browser, self.node
        if self.empty:
            self.say_text(*tree.NO_TREE)
        elif browser is None or node is None:
            self.say_text(tree.READING)
        elif not node.status:
            self.say_text(*tree.nothing_here(node))
        else:
            path, needle = node.path, self.needle
            self.ask(lambda: reading.read_text(browser, path, needle), self._took_text, "text")
        if self.has_class("right-compare"):
            self._read_versions()

    def _took_text(self, text: NodeText) -> None:
        if text.path != self.here:
            return
        same = self.text is not None and (self.text.path, self.text.needle) == (text.path, text.needle)
        self.text, wanted = text, None
        if self.landing is not None and self.landing[0] == text.path:
            wanted, self.landing = self.landing[1], None
        if isinstance(wanted, str):
            self.text_pane.show(text, reading.line_of(text, wanted))
        elif wanted is not None:
            self.text_pane.show(text, wanted)
        else:
            at = self.text_pane.cursor if same else (text.hits[0] if text.hits else text.body)
            self.text_pane.show(text, at, above=same or bool(text.hits))
        self.name_panes()

    @on(SourceText.Moved)
    def _moved_in_text(self, event: SourceText.Moved) -> None:
        event.stop()
        self.name_panes()

    @on(SourceText.Chosen)
    def _follow(self, event: SourceText.Chosen) -> None:
        """`enter` on a line: one step down, to the node it was copied from or to the raw lines."""
        event.stop()
        if self.text is not None:
            self._jump(self.text.leads_to(event.index), self.text.lines[event.index].topic)

    def action_raw(self) -> None:
        """Straight to the raw lines."""
        if self.text is not None:
            self._jump(self.text.raw_lines(self.text_pane.cursor))

    def action_life(self) -> None:
        """Follows the line under the cursor from its raw log up."""
        if self.text is not None and len(self.text):
            self.deck.flows.readers.show_life(self.text.path, self.text_pane.cursor + 1)

    def _jump(self, span: LineSpan | None, topic: str = "") -> None:
        if span is None or self.browser is None:
            raw = self.node is not None and self.node.level == RAW
            self.deck.say("a raw log came from no other file" if raw else "this line came from no other file")
            return
        self.trail.append((self.here, self.text_pane.cursor))
        self.reveal(span.path, topic or span.start - 1)
        self.turn_to("text")

    def action_back(self) -> None:
        """To where the last jump came from."""
        if self.trail:
            path, line = self.trail.pop()
            self.reveal(path, line)
            self.turn_to("text")
        else:
            self.deck.action_last_place()

    def action_hit(self, by: int) -> None:
        """To the next match of the filter: a node in the tree, a line in the text; else of what `/` found last."""
        if self.current == "nodes" and self.needle:
            index = next_hit(self.walk, self.places, self.list_of("nodes").cursor, by)
            if index is not None:
                self.list_of("nodes").go(index)
        elif self.current == "text" and self.text is not None and self.text.hits and not self.finding:
            line = self.text.next_hit(self.text_pane.cursor, by)
            if line is not None:
                self.text_pane.go(line)
        else:
            self.action_find_again(by)

    # Compared with its previous version

    def action_compare(self) -> None:
        """The node against what it held before; the same key brings the text back."""
        if self.has_class("right-compare"):
            self.turn_to("text")
        else:
            self.turn_to("compare")
            self._read_versions()

    def _read_versions(self) -> None:
        path = self.here
        self.query_one("#compare", DiffView).say((Span("reading…", "muted"),))
        self.deck.bridge.read(
            lambda engine: (path, engine.tree.compared(path)),
            lambda found: self._took_versions(*found),
            self.could_not,
            group="tree-compare",
        )

    def _took_versions(self, path: str, compared: Compared | None) -> None:
        if path != self.here:
            return
        pane = self.query_one("#compare", DiffView)
        if compared is None:
            pane.say(
                (Span("No earlier version is known.", "strong"),),
                (Span("It was written once, or neither memdeck nor git has seen another.", "muted"),),
            )
            pane.name_it((Span(safe(path), "title"),), self._compare_foot())
            return
        pane.show(compared.diff, (tree.compared_with(compared, self.deck.now()),), {})
        figures = (Span(f" +{count(compared.diff.added)}", "ok"), Span(f" −{count(compared.diff.removed)}", "blocked"))
        pane.name_it((Span(safe(path), "title"), *figures), self._compare_foot())

    def _compare_foot(self) -> Line:
        """Names the way back to the text, and what `tab` leads to."""
        return join([self.others("compare"), (Span("v", "key"), Span(" the text", "muted"))], Span("  "))

    def text_names(self) -> tuple[Line, Line]:
        node, others = self.node, self.others("text")
        if node is None:
            return (Span("Node", "title"),), others
        if self.empty:
            return tree.NO_TREE_TITLE, others
        span = self.text.leads_to(self.text_pane.cursor) if self.text is not None and self.current == "text" else None
        leads: Line = (Span("enter", "key"), Span(f" {span_words(span)}", "muted")) if span is not None else ()
        back: Line = (Span("-", "key"), Span(" back", "muted")) if self.trail else ()
        width = self.text_pane.outer_size.width - _EDGES
        return tree.title(node, width if width > 0 else 1000), join([others, leads, back], Span("  "))
