"""Shows the tour of `:tour` in a few steps, each over the screen that it explains."""

from typing import NamedTuple

from textual.app import ComposeResult

from engine.text.pattern_file import pattern_file
from tui.present.spans import Line, Span, hint, join
from tui.shell.navigation import Navigator
from tui.toolkit.painter import Dialog
from tui.widgets.text_pane import TextPane


class TourStep(NamedTuple):
    """A step: its screen, heading and text; words in backticks are keys."""

    place: str
    title: str
    text: str


STEPS = tuple(TourStep(**step) for step in pattern_file("tui.shell", "tour.toml")["step"])


def lines(step: TourStep) -> tuple[Line, ...]:
    """Makes a step's text a paragraph with styled keys."""
    return (hint(step.text.replace("\n", " "), "text"),)


class Tour(Dialog[None], scope="tour"):
    """Shows the steps; ends on `esc` or after the last."""

    DEFAULT_CLASSES = "clear"

    def __init__(self, stage: Navigator) -> None:
        super().__init__()
        self._stage, self._at = stage, 0

    def compose(self) -> ComposeResult:
        yield TextPane(ident="tour-text")

    async def on_mount(self) -> None:
        await self._show()

    async def _show(self) -> None:
        step, pane = STEPS[self._at], self.query_one(TextPane)
        if self._stage.here != step.place:
            await self._stage.go(step.place, uncover=False)
            self.set_focus(pane)
        last = self._at == len(STEPS) - 1
        foot = [("→", "done" if last else "next"), *([("←", "back")] if self._at else []), ("esc", "leave")]
        keys: list[Line] = [(Span(key, "key"), Span(f" {does}", "muted")) for key, does in foot]
        title: Line = (Span(f"{self._at + 1}/{len(STEPS)} ", "accent"), Span(step.title, "title"))
        pane.name_it(title, join(keys, Span("   ")))
        pane.show(lines(step))
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if not self.is_current:
            return
        pane = self.query_one(TextPane)
        if not pane.size.width:  # it has no place on screen yet
            self.call_after_refresh(self._fit)
            return
        pane.styles.height = max(3, min(pane.lines_laid_out + 2, self.app.size.height * 6 // 10))

    async def action_step(self, by: int) -> None:
        if self._at + by == len(STEPS):
            self.action_leave()
            return
        self._at = max(0, self._at + by)
        await self._show()

    def action_leave(self) -> None:
        self.dismiss(None)
