"""Tree: where is it, and is it still true?"""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from engine.plans.planning import PlanRequest
from engine.tree.cycle.options import TreeRequest
from engine.tree.levels import ROOT_PATH, Freshness, NodeStatus
from tui.keys.naming import bindings
from tui.present.spans import Line
from tui.screens.tree.calendar import CalendarGrid
from tui.screens.tree.lists import TreeLists
from tui.widgets.diff_view import DiffView
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList
from tui.widgets.lines import LineBlock
from tui.widgets.one_line import OneLine
from tui.widgets.source_text import SourceText
from tui.widgets.style import style_sheet


class TreeFilter(FilterField):
    """The tree's filter: names as one types, and with `enter` what stands in the nodes and logs."""

    SCOPE = "tree"
    BINDINGS = bindings("TreeFilter")


class TreePage(TreeLists):
    """The tree at the left, the node under the cursor at the right; topics, gaps and what comes next beside them."""

    SCOPED_CSS = False
    DEFAULT_CSS = style_sheet("TreePage")
    BINDINGS = bindings("TreePage")

    def compose(self) -> ComposeResult:
        yield OneLine(ident="way")
        with Horizontal(id="walk"):
            with Vertical(id="aside"):
                yield LineList(ident="nodes", empty="reading the tree…")
                yield LineList(ident="topics", empty="reading…")
                yield LineList(ident="gaps", empty="looking…")
                yield LineList(ident="ahead", empty="looking…")
                yield CalendarGrid(ident="calendar")
                yield LineBlock(ident="advice")
                yield TreeFilter("topic, period or status", ident="sieve")
            with Vertical(id="main"):
                yield SourceText(ident="text")
                yield DiffView(ident="compare")

    def on_mount(self) -> None:
        self.name_panes()

    def names(self) -> dict[str, tuple[Line, Line]]:
        return {
            "nodes": (self.nodes_title(), self.others("nodes")),
            "text": self.text_names(),
            **self.beside_names(),
        }

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

    def lacks_topics(self) -> str:
        return "" if self.current == "topics" else "for the topics: t shows them"

    def lacks_raw_lines(self) -> str:
        raw = self.text.raw_lines(self.text_pane.cursor) if self.text is not None else None
        return "" if raw is not None else "this line names no raw lines"

    def lacks_text_line(self) -> str:
        return "" if self.text is not None and len(self.text) else "there is no line to follow"

    def lacks_source(self) -> str:
        opens = self.query_one("#compare", DiffView).opens
        return "" if opens else "here enter opens folds; the text, on v, says where a line came from"

    def _plan(self, request: TreeRequest | None = None) -> None:
        """Starts a dry run: a plan for the queue, or the reason for none."""
        self.deck.flows.dry_runs.start("tree", PlanRequest(request) if request is not None else None)

    def action_cycle(self) -> None:
        """Plans the next cycle."""
        self._plan()

    def action_drain(self) -> None:
        """Plans all cycles that are needed until nothing waits."""
        self._plan(TreeRequest(drain=True))

    def action_reopen(self) -> None:
        """Plans a fixed node anew; the plan needs the typed word."""
        self._plan(TreeRequest(reopen=(self.here,)))

    def action_links(self) -> None:
        """Lists the links of the node or raw log that is shown, and those to it."""
        self.deck.flows.readers.show_links(self.here)

    def action_take(self) -> None:
        """Plans with what is omitted: a node whose claims do not hold, or the flagged lines of ROOT."""
        take = TreeRequest(take_flagged=True) if self.here == ROOT_PATH else TreeRequest(take=(self.here,))
        self._plan(take)

    def leave(self) -> bool:
        """`esc`: out of the filter's field, a comparison, a jump, the text, a list beside the tree, the filter."""
        field = self.query_one("#sieve", Input)
        if field.has_focus:
            self.clear_filter()
            self.close_filter()
            self.show_nodes()
        elif self.current == "compare":
            self.turn_to("text")
        elif self.current == "text" and self.trail:
            self.action_back()
        elif self.current != "nodes":
            self.turn_to("nodes")
        elif self.needle:
            self.clear_filter()
            self.show_nodes()
        else:
            return super().leave()
        return True
