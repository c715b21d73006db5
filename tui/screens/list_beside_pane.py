"""Defines the screens with a list beside a text or a diff that follows the list's cursor."""

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
from tui.screens.hosted import OneList
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.text_pane import TextPane


class ListBesidePane(OneList, Screen[ScreenResultType]):
    """A screen with a `LineList` and a pane beside it; subclasses show the selected row in `_look`."""

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
        """Shows the row `index` in the pane."""
        raise NotImplementedError

    def _open(self, index: int) -> None:
        """Moves the focus to the pane; subclasses may open something else."""
        self._pane.focus()

    def action_other_pane(self) -> None:
        (self._list if self._pane.has_focus else self._pane).focus()


class ListBesideText(ListBesidePane[ScreenResultType]):
    """A list beside a text."""

    _asking: Callable[[Engine], tuple[Line, ...]] | None = None
    """The question whose answer is awaited; None if the text is known."""

    @property
    def _text(self) -> TextPane:
        return self.query_one(TextPane)

    @property
    def _pane(self) -> Widget:
        return self._text

    @property
    def _there(self) -> bool:
        """Tells whether the panes exist: keys may come before them, and answers after they are gone."""
        return self.is_attached and len(self.query(TextPane)) == 1

    def _say(self, *lines: Line) -> None:
        self._asking = None
        self._text.show(lines)

    def _read_text(self, ask: Callable[[Engine], tuple[Line, ...]]) -> None:
        """Asks the engine for the text, and shows it unless another was asked for since."""

        def took(lines: tuple[Line, ...]) -> None:
            if self._there and self._asking is ask:
                self._say(*lines)

        self._asking = ask
        self.deck.bridge.read(ask, took, self._could_not)

    def _could_not(self, error: MemdeckError) -> None:
        if self._there:
            self._say(*error_lines(error))


class EntriesBesideTurn(ListBesideText[ScreenResultType]):
    """Entries of memory beside the turn that says the selected one."""

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
    """A list beside a diff, whose lines lead to no source."""

    @property
    def _diff(self) -> DiffView:
        return self.query_one(DiffView)

    @property
    def _pane(self) -> Widget:
        return self._diff

    def _could_not(self, error: MemdeckError) -> None:
        self._diff.say(*error_lines(error))
