"""Tree: where is it, and is it still true?"""

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from engine.tree.browse.browser import TreeNode


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

    def why_not(self, action: str) -> str:
        match action.partition("(")[0]:
            case "cycle" | "drain" | "reopen" | "take" if self.deck.read_only:
                return "read-only: the console was started with --read-only"
            case "cycle" | "drain" | "reopen" | "take" if self.deck.bridge.work is not None:
                return f"wait: {self.deck.bridge.work.title} is under way"
            case "reopen" if self.node is None or (
                self.node.status != NodeStatus.FIXED and self.node.freshness is not Freshness.FORGED
            ):
                return "only a fixed node can be reopened"
            case "take" if self.node is None or not self._is_left_out(self.node):
                return "for ROOT, whose flagged lines it takes, and for nodes that are omitted"
            case "links" if not self.here:
                return "there is no note under the cursor"
            case "sort" | "reverse" if self.current != "topics":
                return "for the topics: t shows them"
            case "raw" if self.text is None or self.text.raw_lines(self.text_pane.cursor) is None:
                return "this line names no raw lines"
            case "life" if self.text is None or not len(self.text):
                return "there is no line to follow"
            case "open":
                return "here enter opens folds; the text, on v, says where a line came from"
            case _:
                return ""

    def action_cycle(self) -> None:
        """The dry run of the next cycle: a plan for the queue, or the reason for none."""
        self.deck.flows.dry_runs.start("tree")

    def action_drain(self) -> None:
        """The dry run of all cycles that are needed until nothing waits."""
        self.deck.flows.dry_runs.start("tree", PlanRequest(TreeRequest(drain=True)))

    def action_reopen(self) -> None:
        """The dry run that makes a fixed node anew; the plan needs the typed word."""
        why = self.why_not("reopen")
        if why:
            self.deck.say(why, severity="warning")
        else:
            self.deck.flows.dry_runs.start("tree", PlanRequest(TreeRequest(reopen=(self.here,))))

    def action_links(self) -> None:
        """Lists the links of the node or raw log that is shown, and those to it."""
        why = self.why_not("links")
        if why:
            self.deck.say(why, severity="warning")
        else:
            self.deck.flows.readers.show_links(self.here)

    @staticmethod
    def _is_left_out(node: "TreeNode") -> bool:
        return node.path == ROOT_PATH or node.freshness is Freshness.FORGED

    def action_take(self) -> None:
        """The dry run with what is omitted: a node whose claims do not hold, or the flagged lines of ROOT."""
        why = self.why_not("take")
        if why:
            self.deck.say(why, severity="warning")
        elif self.here == ROOT_PATH:
            self.deck.flows.dry_runs.start("tree", PlanRequest(TreeRequest(take_flagged=True)))
        else:
            self.deck.flows.dry_runs.start("tree", PlanRequest(TreeRequest(take=(self.here,))))

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
