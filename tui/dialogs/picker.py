"""Chooses from a list by typing a part of a name: commands, keys, themes, dry runs."""

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Input

from tui.dialogs.early_keys import EarlyKeys
from tui.present.choices import Choice, ChoiceRows, found, under_headings
from tui.present.spans import Line, Span, plain
from tui.widgets.line_list import LineList
from tui.widgets.painted import Frame

_LEAST, _MOST = 76, 116  # cells of the box: as many as its longest row takes, within these
_REST_SECONDS = 0.08  # seconds for which the cursor rests on a choice before it is tried on


class PickerField(Input):
    """The field for letters, except those that move the cursor."""

    def on_key(self, event: events.Key) -> None:
        picker = self.screen
        if isinstance(picker, Picker) and picker.takes_letter(event.key):
            event.stop()
            event.prevent_default()


class Picker(EarlyKeys[str | None], scope="choice"):
    """Returns the chosen value, or None on `esc`."""

    AUTO_FOCUS = "Input"

    def __init__(
        self,
        title: str,
        choices: tuple[Choice, ...],
        further: tuple[Choice, ...] = (),
        *,
        placeholder: str = "type to find",
        foot: str = "choose",
        grouped: bool = False,
        try_on: Callable[[str], None] | None = None,
        start: str = "",
    ) -> None:
        """Takes `further` choices, listed only when typing finds them; `grouped`, which shows sections as headings;
        `try_on`, which is told the choice under the cursor; and `start`, the value under it at first. Without headings
        `j`, `k`, `g` and `G` move until something is typed; `/` makes them letters."""
        super().__init__()
        self.set_class(try_on is not None, "clear")
        self._further = further
        self._title, self._choices, self._placeholder, self._foot = title, choices, placeholder, foot
        self._grouped, self._try_on, self._start = grouped, try_on, start
        self._key_cells = max((len(choice.key) for choice in (*choices, *further)), default=0)
        self._found: tuple[Choice | str, ...] = ()
        self._resting: Timer | None = None
        self._letters = grouped

    def compose(self) -> ComposeResult:
        with Frame(id="box"):
            yield PickerField(compact=True, placeholder=self._placeholder, select_on_focus=False)
            yield LineList(ident="choices", empty="nothing by that name\nfewer letters find more")

    def on_mount(self) -> None:
        lines = self.query_one(LineList)
        lines.can_focus, lines.lit = False, True
        self._show("")
        self._go_to_start()
        self._take_room()
        self._name_it()

    def _name_it(self) -> None:
        keys: Line = (Span("enter", "key"), Span(f" {self._foot}   ", "muted"))
        if not self._letters:
            keys = (Span("j k", "key"), Span(" move   ", "muted"), Span("/", "key"), Span(" find   ", "muted"), *keys)
        keys = (*keys, Span("esc", "key"), Span(" close", "muted"))
        self.query_one(Frame).name_it((Span(self._title, "title"),), keys)

    def _take_room(self) -> None:
        all_rows = ChoiceRows(self._found, self._key_cells, lambda: _MOST)
        rows = [all_rows.row(index) for index in range(len(all_rows))]
        widest = max((len(plain((*row.left, *row.right))) for row in rows), default=0)
        self.query_one("#box").styles.width = max(_LEAST, min(_MOST, widest + 8))
        self.query_one(LineList).styles.height = max(2, min(len(self._found), self.app.size.height * 9 // 10 - 6))

    def _show(self, text: str) -> None:
        hits = (*found(self._choices, text), *(found(self._further, text) if text.split() else ()))
        self._found = under_headings(hits) if self._grouped and not text.split() else hits
        lines = self.query_one(LineList)
        lines.show(ChoiceRows(self._found, self._key_cells, lambda: lines.room), 0)
        self._go(0, 1)

    def _go_to_start(self) -> None:
        values = [choice.value if isinstance(choice, Choice) else None for choice in self._found]
        if self._start in values:
            self._go(values.index(self._start), 1)

    def _go(self, index: int, by: int) -> None:
        """Puts the cursor on a choice; from a heading it goes on in the same direction."""
        last = len(self._found) - 1
        index = max(0, min(index, last))
        while 0 <= index <= last and isinstance(self._found[index], str):
            index += 1 if index == 0 else by
        lines = self.query_one(LineList)
        if 0 <= index <= last:
            lines.go(index)
        if all(isinstance(row, str) for row in self._found[:index]):  # the heading above the first is seen too
            self.call_after_refresh(lines.scroll_to, y=0, animate=False, force=True)
        self._rest()

    @on(LineList.Moved)
    def _rest(self) -> None:
        if self._try_on is None:
            return
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(_REST_SECONDS, self._rested)

    def _rested(self) -> None:
        choice = self._under()
        if choice is not None and self._try_on is not None and self.is_current:
            self._try_on(choice.value)

    def _under(self) -> Choice | None:
        choice = self.query_one(LineList).under(self._found)
        return choice if isinstance(choice, Choice) else None

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    @on(Input.Submitted)
    @on(LineList.Chosen)
    def _choose(self) -> None:
        choice = self._under()
        self.dismiss(choice.value if choice is not None else None)

    def takes_letter(self, key: str) -> bool:
        """Moves the cursor or begins a search by a letter, and tells whether it did."""
        lines = self.query_one_optional(LineList)
        if self._letters or lines is None or self.query_one(Input).value:
            return False
        if key == "slash":
            self._letters = True
            self._name_it()
            return True
        last = max(0, lines.count - 1)
        steps = {"j": 1, "k": -1, "g": -last, "G": last}
        if key not in steps:
            return False
        self._go(lines.cursor + steps[key], 1 if steps[key] > 0 else -1)
        return True

    def on_key(self, event: events.Key) -> None:
        if (lines := self.query_one_optional(LineList)) is None:
            return
        page = max(1, lines.size.height - 1)
        moves = {"up": -1, "down": 1, "ctrl+n": 1, "ctrl+p": -1, "pageup": -page, "pagedown": page}
        if event.key in moves:
            event.stop()
            by = moves[event.key]
            self._go(lines.cursor + by, 1 if by > 0 else -1)
