"""Shows the reverse diff of an operation before the yes that undoes it (decision G20)."""

from textual import on
from textual.app import ComposeResult

from engine.plans.diff import FileDiff
from engine.plans.operation import Reversal
from tui.dialogs.diff_behind import ScreenBehind, Shown
from tui.present import diff as diffs
from tui.present.history.undo_rows import ReversalRows, effect_words
from tui.present.spans import Span, key_line
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList


class UndoScreen(ScreenBehind, scope="taking-back"):
    """Shows the files to restore and the reverse diff of one, below the confirm dialog."""

    def __init__(self, reversal: Reversal, reverse_diffs: tuple[FileDiff, ...], *, lists: bool = False) -> None:
        """Takes `lists`, which shows all files beside the diff of one."""
        super().__init__(classes="lists" if lists else None)
        self._reversal, self._diffs = reversal, reverse_diffs
        self.lists = lists
        self._at = 0

    def compose(self) -> ComposeResult:
        yield LineList(ident="given-back")
        yield DiffView(ident="reverse")

    def on_mount(self) -> None:
        files = self.query_one(LineList)
        files.lit = True
        files.name_it((Span("Restored", "title"), Span(f" ⟨{len(self._diffs):,}⟩", "accent")), _KEYS)
        self._show()

    def _show(self) -> None:
        view, files = self._view, list(zip(self._reversal.effects, self._diffs, strict=False))
        self.query_one(LineList).show(ReversalRows(files), self._at)
        if not self._diffs:
            view.say((Span("nothing to show", "muted"),))
            return
        diff, effect = self._diffs[self._at], self._reversal.effects[min(self._at, len(self._reversal.effects) - 1)]
        words, path = effect_words(effect)
        place = Span(f"{self._at + 1:,}/{len(self._diffs):,}  ", "muted")
        view.name_it((place, Span(f"{words} ", "accent"), Span(path, "title"), *diffs.figures(diff)))
        note = ((Span("note  ", "muted"), Span(diff.note, "info")),) if diff.note else ()
        view.show(diff, note, {})

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        self.action_turn(event.index - self._at)

    def action_turn(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._diffs) - 1))
        self._show()

    def shown(self) -> Shown:
        """Requires nothing to be viewed before an undo (decision G20)."""
        return Shown(0, 0, targets=None)

    def scroll_behind(self, key: str) -> None:
        """Scrolls or changes the file by a key that the dialog passes on."""
        view = self._view
        match key:
            case "left" | "right":
                self.action_turn(1 if key == "right" else -1)
            case "up" | "down":
                view.action_move(1 if key == "down" else -1)
            case _:
                view.action_page(1 if key == "pagedown" else -1)


_KEYS = key_line(("←/→", "file"), ("↑/↓", "scroll"))
