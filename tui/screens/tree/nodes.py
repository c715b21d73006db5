"""Shows the tree as a pane: nodes that open and close, a filter, and dry runs of the selected node."""

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace
from textual import on
from textual.message import Message
from textual.widgets import Input

from engine.plans.planning import PlanRequest
from engine.tree.browse.browser import TreeNode
from engine.tree.cycle.idle import TreeRequest
from engine.tree.levels import ROOT_PATH, Freshness, NodeStatus
from tui.present.spans import Line, Span
from tui.present.tree import node_rows as tree
from tui.present.tree.node_rows import label
from tui.present.tree.open_nodes import Below, OpenNodes, VisibleNode, index_of, next_hit, places
from tui.present.words import noun, safe
from tui.screens.hosted import Rest
from tui.screens.tree import tree_queries as reading
from tui.screens.tree.node_text import NodeInView
from tui.screens.tree.pane import TreePane
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList

_SETTLE_SECONDS = 0.06  # seconds for which the cursor rests on a node before its text is read
_TYPED_SECONDS = 0.15  # seconds without a key after which the list is searched


class NodesPane(TreePane, LineList):
    """The visible nodes, one on each line; the selected one decides what the page shows."""

    @dataclass
    class Came(Message):
        """Says that another node is selected, or it was read again; its text is shown after `seconds`."""

        seconds: float = 0

    def __init__(self) -> None:
        super().__init__(ident="nodes", empty="reading the tree…")
        self.walk = OpenNodes()
        self.places: tuple[VisibleNode, ...] = ()
        self.here = ROOT_PATH  # the node that the page is about
        self.needle = ""  # the text that the filter looks for
        self.landing: tuple[str, int | str | None] | None = None
        """The node to show next, and the line or topic in it to go to; None if there is none."""
        self._looked = ""  # the text for which all nodes were looked through; a quicker answer about it comes too late
        self._typing = Rest(self)

    @property
    def node(self) -> TreeNode | None:
        return self.walk.known.get(self.here)

    def read_tree(self, took: Callable[[reading.OpenedNode], None]) -> None:
        """Reads the tree with all open nodes; calls `took` when it is shown."""
        first = self.browser is None
        wanted = self.walk.opened if not first else ()

        def done(opened: reading.OpenedNode) -> None:
            self._took(opened)
            took(opened)

        self.deck.bridge.read(lambda engine: reading.open_tree(engine, wanted, first=first), done, self.could_not)

    def _took(self, opened: reading.OpenedNode) -> None:
        first = self.browser is None
        self.browser, self.empty_tree = opened.browser, opened.empty
        walk = self.walk.anew().took((opened.root,), opened.below)
        self.walk = walk.opening(opened.below) if first else walk
        self.show_nodes()

    def show_nodes(self, wanted: str | None = None) -> None:
        """Shows the visible lines with the cursor on its node, or on its nearest visible parent."""
        self.places = places(self.walk)
        path = wanted or self.here
        index = index_of(self.places, path)
        while index is None and self.browser is not None and (above := self.browser.parent(path)) is not None:
            path, index = above, index_of(self.places, above)
        cap = self.deck.limits.policy.limits.root_tokens
        self.show_empty(self._nothing())
        none = self.empty_tree or (self.walk.only is not None and not self.walk.matched)
        self.show(tree.NodeRows(self.walk, () if none else self.places, cap=cap), index or 0)
        if self.places and self.count:
            self.here = self.places[self.cursor].path
        self.tell(self.Renamed())
        if missing := self.walk.unread():
            self.ask(lambda browser: reading.read_below(browser, missing), self._took_below)

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
            self.tell(self.Came())

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        self.landing = None
        self.here = self.places[event.index].path
        self.tell(self.Renamed())
        self.tell(self.Came(_SETTLE_SECONDS))

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        node = self.node
        if node is not None and self.walk.can_open(node) and node.path not in self.walk.opened:
            self.action_open_node()
        else:
            self.tell(self.Entered())

    def action_open_node(self) -> None:
        """Opens the selected node; in an open one goes to its first child."""
        node = self.node
        if not self.has_class("current") or node is None or not self.walk.can_open(node):
            return
        if node.path in self.walk.opened:
            self.action_move(1)
        else:
            self.walk = self.walk.opening({node.path})
            self.show_nodes()

    def close_node(self) -> None:
        """Closes the selected node; from a closed one goes to its parent."""
        if self.here in self.walk.opened and self.here in self.walk.below:
            self.walk = self.walk.closing(self.here)
            self.show_nodes()
        elif self.browser is not None and (above := self.browser.parent(self.here)) is not None:
            self.go(index_of(self.places, above) or 0)

    def reveal(self, path: str, landing: int | str | None = None) -> None:
        """Opens all nodes above a node and selects it; `landing` is a line or a topic in its text."""
        if self.browser is None:
            return
        if self.walk.only is not None and path not in self.walk.only:
            self.clear_filter()
        self.landing = (path, landing)
        self.walk = self.walk.opening(self.browser.breadcrumbs(path)[:-1])
        self.show_nodes(path)
        if self.here == path:
            self.tell(self.Came())

    def next_hit(self, by: int) -> None:
        if (index := next_hit(self.walk, self.places, self.cursor, by)) is not None:
            self.go(index)

    def way(self) -> tuple[str, ...]:
        """Returns the nodes from ROOT to the selected one, by their shortest names."""
        paths = self.browser.breadcrumbs(self.here) if self.browser is not None else (self.here,)
        return tuple(label(self.walk.known[path]) if path in self.walk.known else safe(path) for path in paths)

    def in_view(self) -> NodeInView:
        """Returns the selected node, and once the place in it to go to."""
        landing = None
        if self.landing is not None and self.landing[0] == self.here:
            landing, self.landing = self.landing[1], None
        return NodeInView(self.browser, self.here, self.node, self.needle, landing, self.empty_tree)

    # Filter

    def typed(self, text: str) -> None:
        if text.strip() != self.needle:
            self.needle = text.strip()
            self._typing.after(_TYPED_SECONDS, self._sift)

    def filter_by(self, text: str) -> None:
        self.needle = text.strip()
        self._sift()

    def _sift(self) -> None:
        if not (needle := self.needle):
            self.clear_filter()
            self.show_nodes()
        else:
            self.ask(lambda browser: reading.sift(browser, needle), self._took_sifted)

    def sift_topic(self, name: str) -> None:
        """Shows only the nodes that state exactly this topic."""
        if self.browser is not None:
            self.needle = name
            self.ask(lambda browser: reading.sift_topic(browser, name), self._took_sifted)

    def look_deep(self) -> None:
        """Searches the text of all nodes and logs with progress; `esc` stops it."""
        browser, needle = self.browser, self.needle
        if not needle or browser is None:
            return
        started = self.deck.bridge.long(
            f"looking for {safe(needle)}",
            lambda engine, tick: reading.sifted(browser, engine.tree.find(needle, tick)),
            self._took_sifted,
        )
        if not started:
            self.deck.say(self.deck.lacks_idle(), severity="warning")
        self.deck.show_work()

    def _took_sifted(self, filtered: reading.FilteredTree) -> None:
        if filtered.text != self.needle or (self._looked == filtered.text and not filtered.deep):
            return
        self._looked = filtered.text if filtered.deep else ""
        self.walk = self.walk.filtered(filtered.matched, filtered.above, filtered.hits)
        self.places = places(self.walk)
        if filtered.first and self.here not in filtered.matched:
            self.landing = (filtered.first, None)
        self.show_nodes(self.landing[0] if self.landing else None)
        self.tell(self.Came())

    def clear_filter(self) -> None:
        self.needle = ""
        self.walk = replace(self.walk, only=None, matched=frozenset(), hits={})

    def names(self, others: Line) -> tuple[Line, Line]:
        if not self.needle:
            return (Span("Tree", "title"),), others
        lines = sum(self.walk.hits.values())
        words = noun(len(self.walk.matched), "match", "matches") + (f", {noun(lines, 'line')}" if lines else "")
        return (Span("Tree", "title"), Span(f" /{safe(self.needle)}", "warn"), Span(f" {words}", "muted")), others

    # Plans

    def lacks_fixed_node(self) -> str:
        node = self.node
        fixed = node is not None and (node.status == NodeStatus.FIXED or node.freshness is Freshness.FORGED)
        return "" if fixed else "only a fixed node can be reopened"

    def lacks_omitted_node(self) -> str:
        omitted = self.node is not None and (self.here == ROOT_PATH or self.node.freshness is Freshness.FORGED)
        return "" if omitted else "for ROOT, whose flagged lines it takes, and for nodes that are omitted"

    def lacks_note(self) -> str:
        return "" if self.here else "there is no note under the cursor"

    def _plan(self, request: TreeRequest | None = None) -> None:
        self.deck.flows.dry_runs.start("tree", PlanRequest(request) if request is not None else None)

    def action_cycle(self) -> None:
        self._plan()

    def action_drain(self) -> None:
        self._plan(TreeRequest(drain=True))

    def action_reopen(self) -> None:
        """Plans a new version of a fixed node; the plan needs the typed word."""
        self._plan(TreeRequest(reopen=(self.here,)))

    def action_take(self) -> None:
        """Plans with omitted parts: a node with unproven claims, or the flagged lines of ROOT."""
        self._plan(TreeRequest(take_flagged=True) if self.here == ROOT_PATH else TreeRequest(take=(self.here,)))

    def action_links(self) -> None:
        self.deck.flows.readers.show_links(self.here)


class TreeFilter(FilterField, scope="tree-filter"):
    """Filters the tree by names while typing, and by the text of nodes and logs with `enter`."""

    def __init__(self, nodes: NodesPane) -> None:
        super().__init__("topic, period or status", ident="sieve", of="nodes")
        self._tree = nodes

    def close(self) -> bool:
        self.screen.set_focus(self._tree)
        return super().close()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._tree.typed(event.value)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.close()
        self._tree.look_deep()
