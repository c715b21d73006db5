"""Gives the tree's panes what they share: the tree as it was read last, and what they tell the page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from textual.message import Message
from textual.widget import Widget

from engine.errors import MemdeckError
from engine.tree.browse.browser import Browser
from tui.present.spans import Line
from tui.screens.pane import Hosted

T = TypeVar("T")


class TreePane(Hosted):
    """Asks the tree in a thread, and tells the page what a person did here."""

    browser: Browser | None = None  # the tree as it was read last; None before the first time
    empty_tree = False  # true if there is neither a log nor a node

    @dataclass
    class Pointed(Message):
        """The cursor came to something that a node belongs to; `opened`: the node itself is wanted."""

        pane: str
        path: str
        opened: bool

    @dataclass
    class Unanswered(Message):
        """A question to the tree has no answer."""

        error: MemdeckError

    class Entered(Message):
        """`enter` on what has nothing to open: on to its text."""

    class Renamed(Message):
        """The words in the borders, or of the way to the node, are others."""

    @dataclass
    class Wanted(Message):
        """The pane is to be the one in front."""

        pane: Widget

    def names(self, others: Line) -> tuple[Line, Line]:
        """Gives the words of the upper and the lower border; `others` names what `tab` leads to."""
        raise NotImplementedError

    def read(self) -> None:
        """Reads anew what the pane shows, if it shows more than the node under the cursor."""

    def ask(self, call: Callable[[Browser], T], done: Callable[[T], None]) -> None:
        """Asks the tree in a thread, where it is read; what comes back is shown by `done`."""
        if (browser := self.browser) is not None:
            self.deck.bridge.read(lambda _: call(browser), done, self.could_not)

    def could_not(self, error: MemdeckError) -> None:
        self.tell(self.Unanswered(error))

    def point(self, path: str, *, opened: bool = False) -> None:
        self.tell(self.Pointed(str(cast(Widget, self).id), path, opened))

    def tell(self, message: Message) -> None:
        cast(Widget, self).post_message(message)
