"""Holds what the parts of the tree's screen share: what was read, where the cursor is, and which panes are up."""

from collections.abc import Callable, Collection, Sequence
from datetime import date
from typing import ClassVar, TypeVar

from textual import events
from textual.timer import Timer

from engine.errors import MemdeckError, Stale
from engine.plans.status import Status
from engine.tree.browse.browser import Browser, TreeNode
from engine.tree.levels import ROOT_PATH
from tui.present.source import file_line
from tui.present.spans import Line, ListRow, Span, join
from tui.present.tree.open_nodes import OpenNodes, VisibleNode
from tui.present.tree.rows import label
from tui.present.tree.text import NodeText
from tui.present.words import safe
from tui.screens.page import Page
from tui.screens.tree import queries as reading
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.painted import Painted
from tui.widgets.source_text import SourceText

T = TypeVar("T")

ASIDE = ("nodes", "topics", "gaps", "ahead", "calendar")
MAIN = ("text", "compare")
_NAMES = {"nodes": "tree", "ahead": "fixed when", "compare": "versions"}


class TreeState(Page):
    """State and reading. The parts that fill the panes build on it."""

    PANES: ClassVar[tuple[str, ...]] = (*ASIDE, *MAIN)

    def __init__(self) -> None:
        super().__init__(id="tree", classes="left-nodes right-text at-aside")
        self.walk = OpenNodes()
        self.places: tuple[VisibleNode, ...] = ()
        self.text: NodeText | None = None
        self.browser: Browser | None = None
        self.today: date | None = None
        self.here = ROOT_PATH
        """The node that the page is about."""
        self.needle = ""
        """The text that the filter looks for."""
        self.finding = False
        """True if `/` was last used to find in a pane, and not to filter the tree."""
        self.trail: list[tuple[str, int]] = []
        """The places that jumps came from: path and line index."""
        self.landing: tuple[str, int | str | None] | None = None
        """A node that is about to be shown, and the line or topic in it to go to."""
        self.empty = False
        """True if there is neither a log nor a node."""
        self._at = "nodes"
        self._wish: tuple[str, int | None] | None = None
        """A place that somebody wants to see once the tree is read."""
        self._rests: dict[str, Timer] = {}
        self._outdated = True
        """True if the workspace changed after the tree was read."""

    # What the parts do

    def show_nodes(self, wanted: str | None = None) -> None:
        """Puts the visible nodes on screen, the cursor on `wanted` or where it was."""

    def show_text(self, seconds: float = 0) -> None:
        """Shows the node under the cursor, now or once the cursor rested."""

    def show_beside(self, name: str) -> None:
        """Reads what a list beside the tree shows."""

    def say_text(self, *lines: Line) -> None:
        """Says something in the place of a node's text."""

    def reveal(self, path: str, landing: int | str | None = None) -> None:
        """Opens all above a node and puts the cursor on it; `landing` is a line or a topic in its text."""

    def look_for(self, text: str) -> None:
        """Filters the tree by a text."""

    def names(self) -> dict[str, tuple[Line, Line]]:
        """Titles and feet of the panes."""
        return {}

    # Panes

    def list_of(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    @property
    def text_pane(self) -> SourceText:
        return self.query_one("#text", SourceText)

    @property
    def node(self) -> TreeNode | None:
        return self.walk.known.get(self.here)

    @property
    def current(self) -> str:
        return self._at

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click gives a pane the focus too."""
        gone_on = event.widget is not self.screen.focused  # by the next key of a burst
        if event.widget.id in self.PANES and event.widget.id != self._at and not gone_on:
            self._came_to(event.widget.id)

    def turn_to(self, name: str) -> None:
        """Gives a pane the focus, in the place of the others on its side."""
        self._came_to(name)
        super().turn_to(name)

    def _came_to(self, name: str) -> None:
        self._at = name
        side, kind = (ASIDE, "left") if name in ASIDE else (MAIN, "right")
        self.update_classes({f"{kind}-{other}": other == name for other in side})
        self.update_classes({"at-aside": name in ASIDE, "at-main": name in MAIN})
        self.name_panes()
        self.refresh_bindings()

    def shown(self, names: Collection[str]) -> str:
        """The pane that is up of those on one side."""
        return next(name for name in names if self.has_class(f"left-{name}") or self.has_class(f"right-{name}"))

    def action_pane(self, by: int) -> None:
        """From one side to the other."""
        self.turn_to(self.shown(MAIN if self.current in ASIDE else ASIDE))

    def others(self, name: str) -> Line:
        """Names what `tab` leads to, where one side is shown at a time."""
        if not self.one_pane:
            return ()
        other = self.shown(MAIN if name in ASIDE else ASIDE)
        return (Span("tab ", "key"), Span(_NAMES.get(other, other), "muted"))

    def name_panes(self) -> None:
        for name, (title, foot) in self.names().items():
            self.query_one(f"#{name}", Painted).name_it(title, foot)
        way = tuple(Span(name, "muted") for name in self.way()[:-1])
        line = join([*((span,) for span in way), (Span(self.way()[-1], "title"),)], Span(" › ", "rule"))
        self.query_one("#way", OneLine).show(ListRow(line))
        if self.has_class("here"):
            self.deck.show_crumbs()

    def way(self) -> tuple[str, ...]:
        """From ROOT to the node that the page is about, each by its shortest name."""
        paths = self.browser.breadcrumbs(self.here) if self.browser is not None else (self.here,)
        return tuple(label(self.walk.known[path]) if path in self.walk.known else safe(path) for path in paths)

    # Where one is

    def crumbs(self) -> tuple[str, ...]:
        return (*super().crumbs(), *self.way())

    def spot(self) -> str:
        return f"{self.current} {self.here}"

    def return_to(self, spot: str) -> None:
        pane, _, path = spot.partition(" ")
        self.show_file(path, 0)
        super().return_to(pane)

    def show_file(self, path: str, line: int) -> None:
        """Goes to a node or raw log; `line` counts from 1, 0 is the node as a whole."""
        self._wish = (path, line - 1 if line else None)
        self._grant_wish()

    def _grant_wish(self) -> None:
        """A place asked for before the tree was read waits for it."""
        if self.browser is None or self._wish is None:
            return
        (path, landing), self._wish = self._wish, None
        if self.browser.parent(path) is not None or path == ROOT_PATH:
            self.reveal(path, landing)
            self.turn_to("nodes" if landing is None else "text")

    def take_command(self, words: Sequence[str]) -> bool:
        """`:tree 2026-W11` goes there, `:tree find TEXT` filters, `:tree life FILE:LINE` follows a line."""
        if words[:1] == ["find"] or words[:1] == ("find",):
            self.look_for(" ".join(words[1:]))
            return len(words) > 1
        if list(words[:1]) == ["life"]:
            line = file_line(words[1]) if len(words) == 2 else None
            if line is not None:
                self.deck.flows.readers.show_life(*line)
            return line is not None
        path = reading.place_of(words[0]) if len(words) == 1 else None
        if path is not None:
            self.show_file(path, 0)
        return path is not None

    def on_resize(self) -> None:
        self.call_after_refresh(self.name_panes)

    # Reading

    def ask(self, call: Callable[[], T], done: Callable[[T], None], group: str) -> None:
        """Asks the tree in a thread; what comes back is shown by `done`."""
        self.deck.bridge.read(lambda _: call(), done, self.could_not, group=f"tree-{group}")

    def after(self, name: str, seconds: float, call: Callable[[], None]) -> None:
        """Calls once nothing more of that name came for a while."""
        if name in self._rests:
            self._rests.pop(name).stop()
        if seconds:
            self._rests[name] = self.set_timer(seconds, call)
        else:
            call()

    def enter(self) -> None:
        super().enter()
        if self._outdated:
            self.read()

    def show_status(self, status: Status) -> None:
        """Something in the workspace changed, or may have."""
        self._outdated = True
        if self.has_class("here"):
            self.read()

    def read(self) -> None:
        """Reads the tree anew, with all that is open."""
        self._outdated = False
        first = self.browser is None
        wanted = self.walk.opened if not first else ()
        self.deck.bridge.read(
            lambda engine: reading.open_tree(engine, wanted, first=first), self._took, self.could_not, group="tree"
        )

    def _took(self, opened: reading.OpenedNode) -> None:
        first = self.browser is None
        self.browser, self.today, self.empty = opened.browser, opened.today, opened.empty
        walk = self.walk.anew().took((opened.root,), opened.below)
        self.walk = walk.opening(opened.below) if first else walk
        self.show_nodes()
        self.show_text()
        self._grant_wish()
        if self.shown(ASIDE) != "nodes":
            self.show_beside(self.shown(ASIDE))

    def could_not(self, error: MemdeckError) -> None:
        if isinstance(error, Stale):
            # The file changed after the last look at the workspace: a new look brings a new tree.
            self.say_text((Span("changed just now, reading again…", "muted"),))
            self.deck.read_all()
            return
        if self.browser is None:
            self.list_of("nodes").show_empty(f"✗ {error.title}\n{safe(error.line())}")
        self.say_text((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line())),))
