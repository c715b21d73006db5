"""Defines the base class of the tree's panes: the tree as last read, and their messages to the page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from textual.message import Message
from textual.widget import Widget

from engine.errors import MemdeckError
from engine.tree.browse.browser import Browser
from tui.present.spans import Line
from tui.screens.hosted import Hosted

T = TypeVar("T")


class TreePane(Hosted):
    """Asks the tree in a thread, and tells the page what the operator did."""

    browser: Browser | None = None  # the tree as it was read last; None before the first time
    empty_tree = False  # true if there is neither a log nor a node

    @dataclass
    class Pointed(Message):
        """Says that the cursor is on something of a node; `opened` if the node itself is wanted."""

        pane: str
        path: str
        opened: bool

    @dataclass
    class Unanswered(Message):
        """Says that a question to the tree failed."""

        error: MemdeckError

    class Entered(Message):
        """Says that `enter` was pressed on something that cannot open, to show its text."""

    class Renamed(Message):
        """Says that the titles or the crumbs changed."""

    @dataclass
    class Wanted(Message):
        """Asks to bring the pane to the front."""

        pane: Widget

    def names(self, others: Line) -> tuple[Line, Line]:
        """Returns the words of the upper and lower border; `others` names what `tab` leads to."""
        raise NotImplementedError

    def read(self) -> None:
        """Reads again what the pane shows besides the selected node."""

    def ask(self, call: Callable[[Browser], T], done: Callable[[T], None]) -> None:
        """Asks the tree in a thread, if it was read, and passes the answer to `done`."""
        if (browser := self.browser) is not None:
            self.deck.bridge.read(lambda _: call(browser), done, self.could_not)

    def could_not(self, error: MemdeckError) -> None:
        self.tell(self.Unanswered(error))

    def point(self, path: str, *, opened: bool = False) -> None:
        self.tell(self.Pointed(str(cast(Widget, self).id), path, opened))

    def tell(self, message: Message) -> None:
        cast(Widget, self).post_message(message)
