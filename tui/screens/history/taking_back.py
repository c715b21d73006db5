"""The reverse diff of an operation, on screen before the one yes that takes it back (decision G20)."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from engine.plans.diff import FileDiff
from engine.plans.reversal import Reversal
from tui.keys.naming import Keyed
from tui.viewmodels import diff as diffs
from tui.viewmodels.ask import effect_words
from tui.viewmodels.spans import Span
from tui.widgets.diff_view import DiffView


class TakingBack(Keyed, Screen[None]):
    """Shows one reverse diff at a time; the confirm dialog lies over it."""

    SCOPE = "taking-back"
    DEFAULT_CSS = """
    TakingBack DiffView { border: round $border-blurred; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", show=False),
        Binding("right", "turn(1)", "Next file", show=False),
        Binding("left", "turn(-1)", "Previous file", show=False),
    ]

    def __init__(self, reversal: Reversal, reverse_diffs: tuple[FileDiff, ...]) -> None:
        super().__init__()
        self._reversal, self._diffs = reversal, reverse_diffs
        self._at = 0

    def compose(self) -> ComposeResult:
        yield DiffView(ident="reverse")

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        view = self.query_one(DiffView)
        if not self._diffs:
            view.say((Span("nothing to show", "muted"),))
            return
        diff, effect = self._diffs[self._at], self._reversal.effects[min(self._at, len(self._reversal.effects) - 1)]
        words, path = effect_words(effect)
        place = Span(f"{self._at + 1}/{len(self._diffs)}  ", "muted")
        view.name_it((place, Span(f"{words} ", "accent"), Span(path, "title"), *diffs.figures(diff)))
        note = ((Span("note  ", "muted"), Span(diff.note, "info")),) if diff.note else ()
        view.show(diff, note, {})

    def action_turn(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._diffs) - 1))
        self._show()

    def action_close(self) -> None:
        self.dismiss(None)

    def scroll_behind(self, key: str) -> None:
        """Keys that the dialog passes on."""
        view = self.query_one(DiffView)
        match key:
            case "left" | "right":
                self.action_turn(1 if key == "right" else -1)
            case "up" | "down":
                view.action_move(1 if key == "down" else -1)
            case _:
                view.action_page(1 if key == "pagedown" else -1)
