"""The tree's left side: nodes that open and close, and the filter below them."""

from textual import events, on
from textual.widgets import Input

from tui.present.spans import Line, Span
from tui.present.tree import rows as tree
from tui.present.tree.open_nodes import Below, index_of, places
from tui.present.words import noun, safe
from tui.screens.tree import queries as reading
from tui.screens.tree.state import ASIDE, MAIN, TreeState
from tui.widgets.line_list import LineList

_SETTLE_SECONDS = 0.06
"""Seconds for which the cursor rests on a node before its text is read."""
_TYPED_SECONDS = 0.15
"""Seconds without a key after which the list is searched."""


class NodesSide(TreeState):
    """The visible nodes, a line each."""

    def __init__(self) -> None:
        super().__init__()
        self._looked = ""
        """The text for which all nodes were looked through; a quicker answer about it comes too late."""

    def show_nodes(self, wanted: str | None = None) -> None:
        """The visible lines, the cursor on the node it was on or on its nearest visible parent."""
        self.places = places(self.walk)
        path = wanted or self.here
        index = index_of(self.places, path)
        while index is None and self.browser is not None and (above := self.browser.parent(path)) is not None:
            path, index = above, index_of(self.places, above)
        cap = self.deck.limits.policy.limits.root_tokens
        lines = self.list_of("nodes")
        lines.show_empty(self._nothing())
        none = self.empty or (self.walk.only is not None and not self.walk.matched)
        lines.show(tree.NodeRows(self.walk, () if none else self.places, cap=cap), index or 0)
        if self.places and lines.count:
            self.here = self.places[lines.cursor].path
        self.name_panes()
        missing = self.walk.unread()
        if missing and self.browser is not None:
            browser = self.browser
            self.ask(lambda: reading.read_below(browser, missing), self._took_below, "below")

    def _nothing(self) -> str:
        if not self.needle:
            return "no tree yet\nit grows from daily logs: memory/YYYY-MM-DD.md"
        if self._looked == self.needle:
            return "no node and no log reads like this\nesc clears the filter"
        return "no node by that name\nenter looks in the text of all nodes and logs\nesc clears the filter"

    def _took_below(self, below: Below) -> None:
        self.walk = self.walk.took((), below)
        before = self.here
        self.show_nodes(self.landing[0] if self.landing else None)
        if self.here != before:
            self.show_text()

    @on(LineList.Moved, "#nodes")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self.landing = None
        self.here = self.places[event.index].path
        self.name_panes()
        self.show_text(_SETTLE_SECONDS)

    @on(LineList.Chosen, "#nodes")
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        node = self.node
        if node is not None and self.walk.can_open(node) and node.path not in self.walk.opened:
            self.action_open_node()
        else:
            self.turn_to(self.shown(MAIN))

    def action_open_node(self) -> None:
        """Opens the node under the cursor; an open one leads to its first child."""
        node = self.node
        if self.current != "nodes" or node is None or not self.walk.can_open(node):
            return
        if node.path in self.walk.opened:
            self.list_of("nodes").action_move(1)
        else:
            self.walk = self.walk.opening({node.path})
            self.show_nodes()

    def action_close_node(self) -> None:
        """Closes the node under the cursor; a closed one leads to its parent; from the text back to the tree."""
        if self.current != "nodes":
            self.turn_to(self.shown(ASIDE))
            return
        if self.here in self.walk.opened and self.here in self.walk.below:
            self.walk = self.walk.closing(self.here)
            self.show_nodes()
        elif self.browser is not None and (above := self.browser.parent(self.here)) is not None:
            self.list_of("nodes").go(index_of(self.places, above) or 0)

    def reveal(self, path: str, landing: int | str | None = None) -> None:
        """Opens all above a node and puts the cursor on it; `landing` is a line or a topic in its text."""
        if self.browser is None:
            return
        if self.walk.only is not None and path not in self.walk.only:
            self.clear_filter()
        self.landing = (path, landing)
        self.walk = self.walk.opening(self.browser.breadcrumbs(path)[:-1])
        self.show_nodes(path)
        if self.here == path:
            self.show_text()

    # Filter

    def look_for(self, text: str) -> None:
        self.needle = text.strip()
        self._sift()

    def action_filter(self) -> None:
        """Opens the filter below the tree; in a text or list, what finds in it."""
        self.finding = self.current != "nodes"
        if self.finding:
            self.action_find()
            return
        self.turn_to("nodes")
        field = self.query_one("#sieve", Input)
        field.value = self.needle
        field.set_class(True, "shown")
        field.focus()

    @on(Input.Changed, "#sieve")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value.strip() != self.needle:
            self.needle = event.value.strip()
            self.after("sift", _TYPED_SECONDS, self._sift)

    def _sift(self) -> None:
        browser, needle = self.browser, self.needle
        if not needle:
            self.clear_filter()
            self.show_nodes()
        elif browser is not None:
            self.ask(lambda: reading.sift(browser, needle), self._took_sifted, "sift")

    def _took_sifted(self, found: reading.FilteredTree) -> None:
        if found.text != self.needle or (self._looked == found.text and not found.deep):
            return
        self._looked = found.text if found.deep else ""
        self.walk = self.walk.filtered(found.matched, found.above, found.hits)
        self.places = places(self.walk)
        if found.first and self.here not in found.matched:
            self.landing = (found.first, None)
        self.show_nodes(self.landing[0] if self.landing else None)
        self.show_text()

    @on(Input.Submitted, "#sieve")
    def _submitted(self, event: Input.Submitted) -> None:
        """Looks in the text of all nodes and logs, with progress; `esc` stops it."""
        event.stop()
        self.close_filter()
        browser, needle = self.browser, self.needle
        if not needle or browser is None:
            return
        started = self.deck.bridge.long(
            f"looking for {safe(needle)}",
            lambda engine, tick: reading.sifted(browser, engine.tree.find(needle, tick)),
            self._took_sifted,
            self.deck.fail,
        )
        if not started and self.deck.bridge.work is not None:
            self.deck.say(f"wait: {self.deck.bridge.work.title} is under way", severity="warning")
        self.deck.show_work()

    def close_filter(self) -> None:
        self.query_one("#sieve", Input).set_class(False, "shown")
        self.turn_to("nodes")

    def clear_filter(self) -> None:
        self.needle = ""
        self.query_one("#sieve", Input).value = ""
        self.walk = self.walk.unfiltered()

    def on_key(self, event: events.Key) -> None:
        field = self.query_one("#sieve", Input)
        if field.has_focus and event.key in ("down", "up"):
            event.stop()
            self.list_of("nodes").action_move(1 if event.key == "down" else -1)

    def nodes_title(self) -> Line:
        if not self.needle:
            return (Span("Tree", "title"),)
        lines = sum(self.walk.hits.values())
        words = noun(len(self.walk.matched), "match", "matches") + (f", {noun(lines, 'line')}" if lines else "")
        return (Span("Tree", "title"), Span(f" /{safe(self.needle)}", "warn"), Span(f" {words}", "muted"))
