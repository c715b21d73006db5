"""Gives the screens with a list beside a text or a diff what they share: the pane follows the list's cursor."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget

from engine.errors import MemdeckError
from engine.services.engine import Engine
from tui.present.spans import Line, ListRow, error_lines
from tui.screens.pane import OneList
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.text_pane import TextPane


class ListBesidePane(OneList, Screen[ScreenResultType]):
    """A screen with one `LineList` and one pane beside it. A subclass shows the row under the cursor in `_look`."""

    @property
    def _pane(self) -> Widget:
        """The pane that follows the list's cursor."""
        raise NotImplementedError

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        self._look(event.index)

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        self._open(event.index)

    def _look(self, index: int) -> None:
        """Shows what belongs to a row."""
        raise NotImplementedError

    def _open(self, index: int) -> None:
        """Goes from a row to the pane, unless a subclass has another place for it."""
        self._pane.focus()

    def action_other_pane(self) -> None:
        """Takes the focus from the list to the pane, or back."""
        (self._list if self._pane.has_focus else self._pane).focus()


class ListBesideText(ListBesidePane[ScreenResultType]):
    """The pane is a text."""

    _asking: Callable[[Engine], tuple[Line, ...]] | None = None
    """The question whose answer is shown when it comes; None where the text is known."""

    @property
    def _text(self) -> TextPane:
        return self.query_one(TextPane)

    @property
    def _pane(self) -> Widget:
        return self._text

    @property
    def _there(self) -> bool:
        """Tells whether the panes are on screen: keys may come before them, answers after they went."""
        return self.is_attached and len(self.query(TextPane)) == 1

    def _say(self, *lines: Line) -> None:
        self._asking = None
        self._text.show(lines)

    def _read_text(self, ask: Callable[[Engine], tuple[Line, ...]]) -> None:
        """Asks the engine for the text, and shows it unless another is wanted by then."""

        def took(lines: tuple[Line, ...]) -> None:
            if self._there and self._asking is ask:
                self._say(*lines)

        self._asking = ask
        self.deck.bridge.read(ask, took, self._could_not)

    def _could_not(self, error: MemdeckError) -> None:
        if self._there:
            self._say(*error_lines(error))


class EntriesBesideTurn(ListBesideText[ScreenResultType]):
    """Entries of a memory, and beside them the turn that says the one under the cursor."""

    KEYS: ClassVar[Line] = ()

    def compose(self) -> ComposeResult:
        yield OneLine(ident="head")
        with Container(id="panes"):
            yield LineList(ident="entries", empty="reading…")
            yield TextPane(ident="turn", hang=8)
        yield OneLine(ident="keys")

    def _head(self, line: Line) -> None:
        self.query_one("#head", OneLine).show(ListRow(line))
        self.query_one("#keys", OneLine).show(ListRow(self.KEYS))


class ListBesideDiff(ListBesidePane[ScreenResultType]):
    """The pane is a diff, whose lines lead to no source."""

    @property
    def _diff(self) -> DiffView:
        return self.query_one(DiffView)

    @property
    def _pane(self) -> Widget:
        return self._diff

    def _could_not(self, error: MemdeckError) -> None:
        self._diff.say(*error_lines(error))
