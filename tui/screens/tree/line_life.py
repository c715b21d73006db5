"""Shows the life of a line as a ladder; `enter` opens the file of a rung."""

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from engine.services.line_life import LineLife
from engine.workspace.values import LineSpan
from tui.present.spans import ListRow, ListRows, key_line
from tui.present.tree import line_ladder as ladder
from tui.present.tree.line_ladder import LadderRow
from tui.screens.hosted import OneList
from tui.widgets.line_list import LineList
from tui.widgets.searchable_pane import LinePlace
from tui.widgets.wrap import wrapped_line

_LEAST, _FRAME = 20, 5  # cells that a text has at least, and what border and cursor take of the screen


def _wrapped(row: LadderRow, room: int) -> list[LadderRow]:
    """Wraps a row of text into as many rows as necessary, each behind the rail."""
    if row.row.right or len(row.row.left) < 3:
        return [row]
    *rail, text = row.row.left
    parts = wrapped_line((text,), room - sum(len(span.text) for span in rail))
    return [row._replace(row=ListRow((*rail, *part))) for part in parts]


class LifeScreen(OneList, Screen[LineSpan | None], scope="life"):
    """Shows the ladder from semantic memory down to the raw log; returns the line to open, or None."""

    def __init__(self, life: LineLife) -> None:
        super().__init__()
        self._life = life
        self._rows: tuple[LadderRow, ...] = ()

    def compose(self) -> ComposeResult:
        yield LineList(ident="ladder")

    def on_mount(self) -> None:
        keys = key_line(("enter", "opens it"), ("tab", "next rung"), ("esc", "back"))
        self._list.name_it(ladder.title(self._life), keys)
        self._list.focus()

    def on_resize(self) -> None:
        here = self._rows[self._list.cursor].rung if self._rows else None
        room = max(_LEAST, self.size.width - _FRAME)
        self._rows = tuple(part for row in ladder.ladder_rows(self._life) for part in _wrapped(row, room))
        at = ladder.asked_row(self._rows) if here is None else ladder.row_of(self._rows, here)
        self._list.show(ListRows([row.row for row in self._rows]), at)

    def action_rung(self, by: int) -> None:
        heads = [at for at, row in enumerate(self._rows) if at == 0 or row.rung is not self._rows[at - 1].rung]
        here = max((at for at, head in enumerate(heads) if head <= self._list.cursor), default=0)
        self._list.go(heads[(here + by) % len(heads)])

    @property
    def noted_line(self) -> LinePlace | None:
        row = self._list.under(self._rows)
        return LinePlace(row.rung.path, row.number) if row is not None and row.rung.lines else None

    @on(LineList.Chosen)
    def _open(self, event: LineList.Chosen) -> None:
        row = self._rows[event.index]
        if row.rung.lines:
            self.dismiss(LineSpan(row.rung.path, row.number, row.number))
        else:
            self.deck.say("there is no line of it to open")
