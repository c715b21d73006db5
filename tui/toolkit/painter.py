"""Paints a change at once, and only the changed part of the screen. Textual itself paints up to 33 ms later, and goes
through every line of every widget. Not used if Textual is built differently."""

from asyncio import TimerHandle, get_running_loop
from collections.abc import Iterable
from time import monotonic
from typing import TypeVar

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.await_complete import AwaitComplete
from textual.color import Color
from textual.geometry import Offset
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.scrollbar import ScrollBarRender
from textual.widget import Widget

from tui.toolkit.compatibility import own_painting
from tui.toolkit.declared import Declared
from tui.toolkit.selection import Selectable

Answer = TypeVar("Answer")

LEAST_SECONDS = 1 / 120
"""The least seconds between two paints: twice as many as a terminal shows, so that a slow one is not flooded."""


class AtOnce(Screen[Answer]):
    """A screen that paints as soon as it is idle instead of at the next tick of a clock."""

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(name, id, classes)
        self._painted_at = 0.0
        self._soon: TimerHandle | None = None
        if own_painting():
            from tui.toolkit.compositor import Painter

            self._compositor = Painter()

    async def on_idle(self, event: events.Idle) -> None:
        if not own_painting():
            return
        # Within a batch the toolkit paints once at its end; what is not in front is not seen.
        if self.app._batch_count or not self.is_current or not self._owes_a_paint:
            return
        # The toolkit's own handler would wait for the next beat of its clock, up to 33 ms.
        event.prevent_default()
        wait = self._painted_at + LEAST_SECONDS - monotonic()
        if wait <= 0:
            self._paint()
        elif self._soon is None:
            self._soon = get_running_loop().call_later(wait, self._paint)

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """Returns the widget at a cell and the cell in its text; during a drag, of where it began."""
        begun = self._select_state.start.content_widget if self._selecting and self._select_state else None
        widget, offset = super().get_widget_and_offset_at(x, y)
        widget = begun if isinstance(begun, Selectable) else widget
        return widget, widget.text_offset(x, y) if isinstance(widget, Selectable) else offset

    @property
    def _owes_a_paint(self) -> bool:
        return bool(
            self._layout_required
            or self._scroll_required
            or self._repaint_required
            or self._recompose_required
            or self._dirty_widgets
        )

    def _paint(self) -> None:
        self._soon = None
        # The timer may ring after the screen was left.
        if self.is_running:
            self._on_timer_update()
            self._painted_at = monotonic()


class BaseScreen(Declared, AtOnce[None]):
    """The screen under all dialogs."""

    def on_screen_suspend(self) -> None:
        """Hides the toasts, since the screen above shows them too."""
        shown = [rack for rack in self.query("ToastRack") if rack.display]
        for rack in shown:
            rack.display = False
        if shown:
            self._refresh_layout()

    def on_screen_resume(self) -> None:
        for rack in self.query("ToastRack"):
            rack.display = bool(rack.children)


class PageBehind(BackgroundScreen):
    """Draws a page behind a dialog in the terminal's own colours: faint, with underlines for coloured grounds."""

    FAINT = Style(dim=True, bold=False, reverse=False)
    MARKED = FAINT + Style(underline=True)

    @classmethod
    def process_segments(cls, segments: Iterable[Segment], color: Color) -> Iterable[Segment]:
        """Makes letters faint, reversed ones underlined, since terminals dim no background."""
        for text, style, control in segments:
            plain = Style() if style is None else style.clear_meta_and_links()
            drawn = cls._thumb(text) if plain.reverse and plain.color and not plain.color.is_default else ""
            faint = plain + (cls.MARKED if plain.reverse and not drawn else cls.FAINT)
            yield Segment(drawn or text, style if control else faint, control)

    @staticmethod
    def _thumb(text: str) -> str:
        """Draws a reversed piece of a scroll bar without reversal; empty for other text."""
        if not text.strip():
            return "█" * len(text)
        return " " * len(text) if text in ScrollBarRender.VERTICAL_BARS else ""


class Once(Declared, ModalScreen[Answer]):
    """A screen over a dim page (bright with class `clear`) that ends with one answer, however many keys follow."""

    def render(self) -> RenderableType:
        """Draws the page behind; the toolkit cannot dim one in the terminal's own colours."""
        behind = super().render()
        if isinstance(behind, BackgroundScreen) and self.app.native_ansi_color and not self.has_class("clear"):
            return PageBehind(behind.screen, behind.color)
        return behind

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Ends with the answer; a second call changes nothing."""
        return super().dismiss(result) if self.app.screen_stack[-1:] == [self] else AwaitComplete()


class Over(Once[Answer]):
    """A dialog over a page that stays bright to be read; only the hints, which do nothing, are dim."""

    DEFAULT_CLASSES = "clear"

    def on_mount(self) -> None:
        self.app.screen_stack[0].add_class("asked")

    def on_unmount(self) -> None:
        self.app.screen_stack[0].remove_class("asked")


class Dialog(Once[Answer], AtOnce[Answer]):
    """A screen over the page that ends with an answer and paints changes at once."""
