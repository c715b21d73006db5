"""Tree: where is it, and is it still true?"""

from collections.abc import Callable, Collection
from datetime import date, timedelta
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input

from engine.errors import MemdeckError, Stale
from engine.tree.browse import Browser, Todo, TopicRow, TreeNode
from engine.tree.levels import ROOT_PATH, NodeStatus
from engine.tree.previous import Compared
from engine.views import Status
from engine.workspace.values import LineSpan
from tui.screens import tree_reading as reading
from tui.screens.page import Page
from tui.viewmodels import tree, tree_lists
from tui.viewmodels.spans import Line, Row, Span
from tui.viewmodels.tree_lists import Order
from tui.viewmodels.tree_text import NodeText, span_words
from tui.viewmodels.tree_walk import Below, Place, Walk, index_of, next_hit, places
from tui.viewmodels.wording import age, count, noun, safe
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.lines import Lines
from tui.widgets.one_line import OneLine
from tui.widgets.source_text import SourceText

T = TypeVar("T")

ASIDE = ("nodes", "topics", "gaps", "ahead")
MAIN = ("text", "compare")
_SETTLE_SECONDS = 0.06
"""How long the cursor rests on a node before its text is read."""
_TYPED_SECONDS = 0.15
_ROOMY = 170
"""Cells from which topics and gaps have a column of their own."""


class TreePage(Page):
    """The tree at the left, the node under the cursor at the right; topics, gaps and what comes next beside them."""

    PANES: ClassVar[tuple[str, ...]] = (*ASIDE, *MAIN)
    SCOPED_CSS = False
    DEFAULT_CSS = """
    TreePage { layout: vertical; }
    TreePage #crumbs { background: transparent; }
    TreePage #walk { height: 1fr; }
    TreePage #aside { width: 42%; max-width: 64; height: 1fr; }
    TreePage.left-topics #aside, TreePage.left-gaps #aside { width: 56%; max-width: 84; }
    TreePage #main { width: 1fr; height: 1fr; }
    TreePage .pane { display: none; border: round $border-blurred; padding: 0; }
    TreePage .pane:focus { border: round $border; }
    TreePage.left-nodes #nodes, TreePage.left-topics #topics, TreePage.left-gaps #gaps, TreePage.left-ahead #ahead,
    TreePage.right-text #text, TreePage.right-compare #compare { display: block; }
    TreePage #advice { display: none; padding: 0 1; max-height: 6; }
    TreePage.left-gaps #advice.shown { display: block; }
    TreePage #sieve { display: none; height: 1; border: none; padding: 0 1; background: $surface; }
    TreePage #sieve.shown { display: block; }
    .-narrow TreePage.at-main #aside, TreePage.zoom.at-main #aside,
    .-narrow TreePage.at-aside #main, TreePage.zoom.at-aside #main { display: none; }
    .-narrow TreePage #aside, TreePage.zoom #aside { width: 1fr; max-width: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "cycle", "Plan cycle"),
        Binding("D", "drain", "Plan all", show=False),
        Binding("slash", "filter", "Filter"),
        Binding("t", "aside('topics')", "Topics"),
        Binding("exclamation_mark", "aside('gaps')", "Gaps", key_display="!"),
        Binding("f", "aside('ahead')", "Fixed when"),
        Binding("v", "compare", "Versions"),
        Binding("R", "raw", "Raw lines", show=False),
        Binding("minus,backspace", "back", "Back", key_display="-"),
        Binding("n", "hit(1)", "Next match", show=False),
        Binding("N", "hit(-1)", "Previous match", show=False),
        Binding("right", "open_node", "Open", show=False),
        Binding("left,h", "close_node", "Close", show=False),
        Binding("o", "reopen", "Reopen a fixed node…", show=False),
        Binding("s", "sort", "Sort topics", show=False),
        Binding("S", "reverse", "Sort the other way", show=False),
        Binding("greater_than_sign", "ahead(1)", "A day on", key_display=">", show=False),
        Binding("less_than_sign", "ahead(-1)", "A day back", key_display="<", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="tree", classes="left-nodes right-text at-aside")
        self.walk = Walk()
        self.places: tuple[Place, ...] = ()
        self.text: NodeText | None = None
        self._browser: Browser | None = None
        self._today: date | None = None
        self._empty = False
        self._here = ROOT_PATH
        self._needle = ""
        self._trail: list[tuple[str, int]] = []
        """Where jumps came from: path and line index."""
        self._landing: tuple[str, int | str] | None = None
        """A node whose text is about to be shown, and the line or topic to go to."""
        self._rests: dict[str, Timer] = {}
        self._stale = True
        """Whether the tree was read before the workspace last changed."""
        self._topics: tuple[TopicRow, ...] = ()
        self._order, self._backwards = Order.AGE, False
        self._todo: tuple[Todo, ...] = ()
        self._days_ahead = 1
        self._ahead: tuple[str, ...] | None = None

    def compose(self) -> ComposeResult:
        yield OneLine(ident="crumbs")
        with Horizontal(id="walk"):
            with Vertical(id="aside"):
                yield LineList(ident="nodes", empty="reading the tree…")
                yield LineList(ident="topics", empty="reading…")
                yield LineList(ident="gaps", empty="looking…")
                yield LineList(ident="ahead", empty="looking…")
                yield Lines(ident="advice")
                yield Input(
                    compact=True,
                    id="sieve",
                    placeholder="topic, period or status · enter: look in the text too",
                    select_on_focus=False,
                )
            with Vertical(id="main"):
                yield SourceText(ident="text")
                yield DiffView(ident="compare")

    def on_mount(self) -> None:
        for name in self.PANES:
            self.pane(name).add_class("pane")
        self._name_panes()

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    @property
    def _text(self) -> SourceText:
        return self.query_one("#text", SourceText)

    @property
    def node(self) -> TreeNode | None:
        """The node that the page is about."""
        return self.walk.known.get(self._here)

    # Panes

    def turn_to(self, name: str) -> None:
        """Gives a pane the focus, in the place of the others on its side."""
        side, kind = ("aside", "left") if name in ASIDE else ("main", "right")
        names = ASIDE if name in ASIDE else MAIN
        self.update_classes({f"{kind}-{other}": other == name for other in names})
        self.update_classes({"at-aside": side == "aside", "at-main": side == "main"})
        super().turn_to(name)
        self._name_panes()
        self.refresh_bindings()

    def _shown(self, names: Collection[str]) -> str:
        return next(name for name in names if self.has_class(f"left-{name}") or self.has_class(f"right-{name}"))

    def action_pane(self, by: int) -> None:
        """From one side to the other."""
        self.turn_to(self._shown(MAIN if self.current in ASIDE else ASIDE))

    def action_aside(self, name: str) -> None:
        """Topics, gaps or what will be fixed in the place of the tree; the same key brings the tree back."""
        self.turn_to("nodes" if self.current == name else name)
        if self.current == name and self._browser is not None:
            self._read_aside(name)

    def _read_aside(self, name: str) -> None:
        browser = self._browser
        if browser is None:
            return
        match name:
            case "topics":
                self._read(lambda: browser.topics(), self._took_topics, "topics")
            case "gaps":
                self._read(lambda: tree_lists.todo_order(browser.todo()), self._took_todo, "gaps")
            case "ahead":
                self._look_ahead()
            case _:
                pass

    # Reading

    def _read(self, call: Callable[[], T], done: Callable[[T], None], group: str) -> None:
        self.deck.bridge.read(lambda _: call(), done, self._could_not, group=f"tree-{group}")

    def enter(self) -> None:
        super().enter()
        if self._stale:
            self.read()

    def show_status(self, status: Status) -> None:
        """Something in the workspace changed, or may have."""
        self._stale = True
        if self.has_class("here"):
            self.read()

    def read(self) -> None:
        """Reads the tree anew, with all that is open."""
        self._stale = False
        first = self._browser is None
        wanted = self.walk.opened if not first else ()
        self.deck.bridge.read(
            lambda engine: reading.open_tree(engine, wanted, first=first), self._took, self._could_not, group="tree"
        )

    def _took(self, opened: reading.Opened) -> None:
        first = self._browser is None
        self._browser, self._today, self._empty = opened.browser, opened.today, opened.empty
        self.walk = Walk(
            opened=self.walk.opened, only=self.walk.only, matched=self.walk.matched, hits=self.walk.hits
        ).took((opened.root,), opened.below)
        if first:
            self.walk = self.walk.opening(opened.below)
        self._show_nodes()
        self._show_text(0)
        if self._shown(ASIDE) != "nodes":
            self._read_aside(self._shown(ASIDE))

    def _could_not(self, error: MemdeckError) -> None:
        if isinstance(error, Stale):
            # The file changed after the last look at the workspace: a new look brings a new tree.
            self._say_text((Span("changed just now, reading again…", "muted"),))
            self.deck.read_all()
            return
        if self._browser is None:
            self._list("nodes").show_empty(f"✗ {error.title}\n{safe(error.line())}")
        self._say_text((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line())),))

    def _after(self, name: str, seconds: float, call: Callable[[], None]) -> None:
        """Calls once nothing more of that name came for a while."""
        if name in self._rests:
            self._rests[name].stop()
        if seconds:
            self._rests[name] = self.set_timer(seconds, call)
        else:
            call()

    # The tree

    def _show_nodes(self, wanted: str | None = None) -> None:
        """The visible lines, the cursor on the node it was on or on its nearest visible parent."""
        self.places = places(self.walk)
        path = wanted or self._here
        index = index_of(self.places, path)
        while index is None and self._browser is not None and (above := self._browser.parent(path)) is not None:
            path, index = above, index_of(self.places, above)
        cap = self.deck.limits.policy.limits.root_tokens
        ahead = frozenset(self._ahead or ()) if self.has_class("left-ahead") else frozenset[str]()
        lines = self._list("nodes")
        lines.show_empty("no node matches\nesc clears the filter" if self._needle else "no tree yet")
        lines.show(tree.NodeRows(self.walk, () if self._empty else self.places, cap=cap, ahead=ahead), index or 0)
        if self.places and lines.count:
            self._here = self.places[lines.cursor].path
        self._name_panes()
        missing = self.walk.unread()
        if missing and self._browser is not None:
            browser = self._browser
            self._read(lambda: reading.read_below(browser, missing), self._took_below, "below")

    def _took_below(self, below: Below) -> None:
        self.walk = self.walk.took((), below)
        self._show_nodes(self._landing[0] if self._landing else None)
        if self._landing:
            self._show_text(0)

    @on(LineList.Moved, "#nodes")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._landing = None
        self._here = self.places[event.index].path
        self._name_panes()
        self._show_text(_SETTLE_SECONDS)

    @on(LineList.Chosen, "#nodes")
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        node = self.node
        if node is not None and self.walk.can_open(node) and node.path not in self.walk.opened:
            self.action_open_node()
        else:
            self.turn_to(self._shown(MAIN))

    def action_open_node(self) -> None:
        """Opens the node under the cursor; an open one leads to its first child."""
        node = self.node
        if self.current != "nodes" or node is None or not self.walk.can_open(node):
            return
        if node.path in self.walk.opened:
            self._list("nodes").action_move(1)
        else:
            self.walk = self.walk.opening({node.path})
            self._show_nodes()

    def action_close_node(self) -> None:
        """Closes the node under the cursor; a closed one leads to its parent; from the text back to the tree."""
        if self.current != "nodes":
            self.turn_to(self._shown(ASIDE))
            return
        if self._here in self.walk.opened and self._here in self.walk.below:
            self.walk = self.walk.closing(self._here)
            self._show_nodes()
        elif self._browser is not None and (above := self._browser.parent(self._here)) is not None:
            self._list("nodes").go(index_of(self.places, above) or 0)

    def _reveal(self, path: str, landing: int | str = 0) -> None:
        """Opens all above a node and puts the cursor on it; `landing` is a line or a topic in its text."""
        if self._browser is None:
            return
        if self.walk.only is not None and path not in self.walk.only:
            self._clear_filter()
        self._landing = (path, landing)
        self.walk = self.walk.opening(self._browser.breadcrumbs(path)[:-1])
        self._show_nodes(path)
        if self._here == path:
            self._show_text(0)

    # The text

    def _say_text(self, *lines: Line) -> None:
        self.text = None
        self._text.say(*lines)
        self._name_panes()

    def _show_text(self, seconds: float) -> None:
        """Shows the node under the cursor, now or once the cursor rests."""
        self._after("text", seconds, self._read_text)

    def _read_text(self) -> None:
        self.refresh_bindings()
        browser, node = self._browser, self.node
        if self._empty:
            self._say_text(*tree.NO_TREE)
        elif browser is None or node is None:
            self._say_text(tree.READING)
        elif not node.status:
            self._say_text(*tree.nothing_here(node))
        else:
            path, needle = node.path, self._needle
            self._read(lambda: reading.read_text(browser, path, needle), self._took_text, "text")
        if self.has_class("right-compare"):
            self._read_versions()

    def _took_text(self, text: NodeText) -> None:
        if text.path != self._here:
            return
        before, landing = self.text, self._landing
        self.text = text
        if landing is not None and landing[0] == text.path:
            at = landing[1]
            self._text.show(text, reading.line_of(text, at) if isinstance(at, str) else at)
            self._landing = None
        else:
            same = before is not None and before.path == text.path
            self._text.show(text, self._text.cursor if same else (text.hits[0] if text.hits else 0))
        self._name_panes()

    @on(SourceText.Moved)
    def _moved_in_text(self, event: SourceText.Moved) -> None:
        event.stop()
        self._name_panes()

    @on(SourceText.Chosen)
    def _follow(self, event: SourceText.Chosen) -> None:
        """`enter` on a line: one step down, to the node it was copied from or to the raw lines."""
        event.stop()
        if self.text is not None:
            self._jump(self.text.leads_to(event.index), self.text.lines[event.index].topic)

    def action_raw(self) -> None:
        """Straight to the raw lines."""
        if self.text is not None:
            self._jump(self.text.raw_lines(self._text.cursor))

    def _jump(self, span: LineSpan | None, topic: str = "") -> None:
        if span is None or self._browser is None:
            self.deck.say("this line came from no other file")
            return
        self._trail.append((self._here, self._text.cursor))
        self._reveal(span.path, topic or span.start - 1)
        self.turn_to("text")

    def action_back(self) -> None:
        """To where the last jump came from."""
        if self._trail:
            path, line = self._trail.pop()
            self._reveal(path, line)
            self.turn_to("text")
        else:
            self.action_close_node()

    # Compared with its previous version

    def action_compare(self) -> None:
        """The node against what it held before; the same key brings the text back."""
        if self.has_class("right-compare"):
            self.turn_to("text")
        else:
            self.turn_to("compare")
            self._read_versions()

    def _read_versions(self) -> None:
        path = self._here
        self.query_one("#compare", DiffView).say((Span("reading…", "muted"),))
        self.deck.bridge.read(
            lambda engine: (path, engine.tree_compared(path)),
            lambda found: self._took_versions(*found),
            self._could_not,
            group="tree-compare",
        )

    def _took_versions(self, path: str, compared: Compared | None) -> None:
        if path != self._here:
            return
        pane = self.query_one("#compare", DiffView)
        if compared is None:
            pane.say(
                (Span("No earlier version is known.", "strong"),),
                (Span("It was written once, or neither memdeck nor git has seen another.", "muted"),),
            )
            pane.name_it((Span(safe(path), "title"),), self._others("compare"))
            return
        since = f", {age(compared.until, self.deck.now())} ago" if compared.until is not None else ""
        before = f"before {compared.origin}" if compared.origin.startswith("o-") else compared.origin
        pane.show(compared.diff, ((Span("previous  ", "muted"), Span(safe(before) + since)),), {})
        figures = (Span(f" +{count(compared.diff.added)}", "ok"), Span(f" −{count(compared.diff.removed)}", "blocked"))
        pane.name_it((Span(safe(path), "title"), *figures), self._others("compare"))

    # Topics

    def _took_topics(self, topics: tuple[TopicRow, ...]) -> None:
        self._topics = topics
        self._show_topics()

    def _sorted(self) -> tuple[TopicRow, ...]:
        return tree_lists.ordered(self._topics, self._order, backwards=self._backwards)

    def _show_topics(self) -> None:
        lines = self._list("topics")
        lines.show_empty("no topic yet: topics are the headings of raw logs")
        lines.show(tree_lists.TopicRows(self._sorted()))
        self._name_panes()

    def action_sort(self) -> None:
        """Sorts by the next column."""
        orders = list(Order)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self._show_topics()

    def action_reverse(self) -> None:
        self._backwards = not self._backwards
        self._show_topics()

    @on(LineList.Chosen, "#topics")
    def _topic_chosen(self, event: LineList.Chosen) -> None:
        """Where a topic comes up: the tree filtered by it."""
        event.stop()
        browser, name = self._browser, self._sorted()[event.index].name
        if browser is not None:
            self._needle = name
            self._read(lambda: reading.sift_topic(browser, name), self._took_sifted, "sift")
            self.turn_to("nodes")

    # Gaps

    def _took_todo(self, todo: tuple[Todo, ...]) -> None:
        self._todo = todo
        lines = self._list("gaps")
        lines.show_empty("", ((Span("✓ ", "ok"), Span("every node is there and true to its sources", "muted")),))
        lines.show(tree_lists.TodoRows(todo))
        self._show_advice()
        self._name_panes()

    def _show_advice(self) -> None:
        advice = self.query_one("#advice", Lines)
        cursor = self._list("gaps").cursor
        advice.set_class(cursor < len(self._todo), "shown")
        if cursor < len(self._todo):
            advice.show(*tree_lists.todo_lines(self._todo[cursor]))

    @on(LineList.Moved, "#gaps")
    def _moved_in_gaps(self, event: LineList.Moved) -> None:
        event.stop()
        self._show_advice()
        self._reveal(self._todo[event.index].path)

    @on(LineList.Chosen, "#gaps")
    def _gap_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self._reveal(self._todo[event.index].path)
        self.turn_to("nodes")

    # What would be fixed

    def _look_ahead(self) -> None:
        browser, today = self._browser, self._today
        if browser is None or today is None:
            return
        day = today + timedelta(days=self._days_ahead)
        self._ahead = None
        self._name_panes()
        self._read(lambda: (day, browser.fixed_on(day)), lambda found: self._took_ahead(*found), "ahead")

    def _took_ahead(self, day: date, paths: tuple[str, ...]) -> None:
        if self._today is None or day != self._today + timedelta(days=self._days_ahead):
            return
        self._ahead = paths
        lines = self._list("ahead")
        lines.show_empty(tree_lists.nothing_ahead(day))
        lines.show(tree_lists.AheadRows(paths))
        self._name_panes()

    def action_ahead(self, by: int) -> None:
        """Moves the supposed day."""
        self._days_ahead = max(0, min(self._days_ahead + by, 3650))
        if self.current != "ahead":
            self.turn_to("ahead")
        self._look_ahead()

    @on(LineList.Moved, "#ahead")
    def _moved_ahead(self, event: LineList.Moved) -> None:
        event.stop()
        if self._ahead is not None:
            self._reveal(self._ahead[event.index])

    @on(LineList.Chosen, "#ahead")
    def _ahead_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        if self._ahead is not None:
            self._reveal(self._ahead[event.index])
            self.turn_to("nodes")

    # Plans

    def why_not(self, action: str) -> str:
        match action.partition("(")[0]:
            case "cycle" | "drain" | "reopen" if self.deck.bridge.work is not None:
                return f"wait: {self.deck.bridge.work.title} is under way"
            case "reopen" if self.node is None or self.node.status != NodeStatus.FIXED:
                return "only a fixed node can be reopened"
            case "back" if not self._trail:
                return "there was no jump to come back from"
            case "hit" if not self._needle:
                return "there is no filter: / sets one"
            case "sort" | "reverse" if self.current != "topics":
                return "for the topics: t shows them"
            case "raw" if self.text is None or self.text.raw_lines(self._text.cursor) is None:
                return "this line names no raw lines"
            case _:
                return ""

    def action_cycle(self) -> None:
        """The dry run of the next cycle: a plan for the queue, or the reason for none."""
        self.deck.flows.dry_run("tree")

    def action_drain(self) -> None:
        """The dry run of all cycles that are needed until nothing waits."""
        self.deck.flows.dry_run("tree", drain=True)

    def action_reopen(self) -> None:
        """The dry run that makes a fixed node anew; the plan needs the typed word."""
        why = self.why_not("reopen")
        if why:
            self.deck.say(why, severity="warning")
        else:
            self.deck.flows.dry_run("tree", reopen=(self._here,))

    # Filter

    def action_filter(self) -> None:
        """Opens the filter below the tree."""
        self.turn_to("nodes")
        field = self.query_one("#sieve", Input)
        field.value = self._needle
        field.set_class(True, "shown")
        field.focus()

    @on(Input.Changed, "#sieve")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value.strip() != self._needle:
            self._needle = event.value.strip()
            self._after("sift", _TYPED_SECONDS, self._sift)

    def _sift(self) -> None:
        browser, needle = self._browser, self._needle
        if not needle:
            self._clear_filter()
            self._show_nodes()
        elif browser is not None:
            self._read(lambda: reading.sift(browser, needle), self._took_sifted, "sift")

    def _took_sifted(self, found: reading.Sifted) -> None:
        if found.text != self._needle:
            return
        self.walk = self.walk.filtered(found.matched, found.above, found.hits)
        self.places = places(self.walk)
        first = min(found.matched - found.above, default=None, key=lambda path: (path.count("/"), path))
        self._show_nodes()
        if first is not None and self._here not in found.matched:
            index = next_hit(self.walk, self.places, 0, 1)
            self._list("nodes").go(index or 0)
        self._show_text(0)

    @on(Input.Submitted, "#sieve")
    def _submitted(self, event: Input.Submitted) -> None:
        """Looks in the text of all nodes and logs, with progress; `esc` stops it."""
        event.stop()
        self._close_filter()
        browser, needle = self._browser, self._needle
        if not needle or browser is None:
            return
        started = self.deck.bridge.long(
            f"looking for {safe(needle)}",
            lambda engine, tick: reading.sifted(browser, engine.tree_find(needle, tick)),
            self._took_sifted,
            self.deck.fail,
        )
        if not started and self.deck.bridge.work is not None:
            self.deck.say(f"wait: {self.deck.bridge.work.title} is under way", severity="warning")
        self.deck.show_work()

    def _close_filter(self) -> None:
        self.query_one("#sieve", Input).set_class(False, "shown")
        self.turn_to("nodes")

    def _clear_filter(self) -> None:
        self._needle = ""
        self.query_one("#sieve", Input).value = ""
        self.walk = self.walk.unfiltered()

    def action_hit(self, by: int) -> None:
        """To the next match: a node in the tree, a line in the text."""
        if self.why_not("hit"):
            self.deck.say(self.why_not("hit"))
        elif self.current == "text" and self.text is not None:
            line = self.text.next_hit(self._text.cursor, by)
            if line is not None:
                self._text.go(line)
        else:
            index = next_hit(self.walk, self.places, self._list("nodes").cursor, by)
            if index is not None:
                self._list("nodes").go(index)

    def on_key(self, event: events.Key) -> None:
        field = self.query_one("#sieve", Input)
        if field.has_focus and event.key in ("down", "up"):
            event.stop()
            self._list("nodes").action_move(1 if event.key == "down" else -1)

    # Names and leaving

    def _others(self, name: str) -> Line:
        """What `tab` leads to, where one side is shown at a time."""
        if not self.one_pane:
            return ()
        other = self._shown(MAIN if name in ASIDE else ASIDE)
        return (Span("tab ", "key"), Span({"nodes": "tree", "ahead": "fixed when"}.get(other, other), "muted"))

    def _name_panes(self) -> None:
        names: dict[str, tuple[Line, Line]] = {
            "nodes": (self._nodes_title(), self._others("nodes")),
            "topics": (
                tree_lists.topics_title(len(self._topics), len(self._topics), self._order, backwards=self._backwards),
                (Span("s", "key"), Span(" sort  ", "muted"), Span("enter", "key"), Span(" where it comes up", "muted")),
            ),
            "gaps": ((Span("Gaps and stale nodes", "title"), Span(f" ⟨{count(len(self._todo))}⟩", "muted")), ()),
            "ahead": self._ahead_names(),
            "text": self._text_names(),
        }
        for name, (title, foot) in names.items():
            pane = self._list(name) if name in ASIDE else self._text
            pane.name_it(title, foot)
        self._show_crumbs()

    def _nodes_title(self) -> Line:
        if not self._needle:
            return (Span("Tree", "title"),)
        lines = sum(self.walk.hits.values())
        words = noun(len(self.walk.matched), "match", "matches") + (f", {noun(lines, 'line')}" if lines else "")
        return (Span("Tree", "title"), Span(f" /{safe(self._needle)}", "warn"), Span(f" {words}", "muted"))

    def _ahead_names(self) -> tuple[Line, Line]:
        if self._today is None:
            return (Span("Fixed when", "title"),), ()
        day = self._today + timedelta(days=self._days_ahead)
        many = len(self._ahead) if self._ahead is not None else None
        keys: Line = (Span("< >", "key"), Span(" another day", "muted"))
        return tree_lists.ahead_title(day, self._today, many), keys

    def _text_names(self) -> tuple[Line, Line]:
        node, foot = self.node, self._others("text")
        if node is None:
            return (Span("Node", "title"),), foot
        span = self.text.leads_to(self._text.cursor) if self.text is not None and self.current == "text" else None
        if span is not None:
            foot = (*foot, Span("  enter", "key"), Span(f" {span_words(span)}", "muted"))
        return tree.title(node), foot

    def _show_crumbs(self) -> None:
        paths = self._browser.breadcrumbs(self._here) if self._browser is not None else (self._here,)
        back: Line = (Span("-", "key"), Span(f" back ({len(self._trail)})", "muted")) if self._trail else ()
        self.query_one("#crumbs", OneLine).show(Row(tree.crumbs(paths, self.walk.known), back))

    def on_resize(self) -> None:
        self.call_after_refresh(self._name_panes)

    def leave(self) -> bool:
        """`esc`: out of the filter's field, a comparison, a jump, the text, a list beside the tree, the filter."""
        field = self.query_one("#sieve", Input)
        if field.has_focus:
            self._clear_filter()
            self._close_filter()
            self._show_nodes()
        elif self.current == "compare":
            self.turn_to("text")
        elif self.current == "text" and self._trail:
            self.action_back()
        elif self.current != "nodes":
            self.turn_to("nodes")
        elif self._needle:
            self._clear_filter()
            self._show_nodes()
        else:
            return super().leave()
        return True
