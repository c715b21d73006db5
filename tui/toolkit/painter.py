"""Paints a change at once, and no more of the screen than changed.

Left alone, the toolkit paints at the next beat of its clock, up to 33 ms later, and for a line that changed it goes
through every line of every widget.
"""

from asyncio import TimerHandle, get_running_loop
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from time import monotonic
from typing import TypeVar

from textual import events
from textual._compositor import Compositor
from textual.await_complete import AwaitComplete
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.strip import Strip

Answer = TypeVar("Answer")

LEAST_SECONDS = 1 / 120
"""Between two paints: twice what a terminal shows in a second, so that nothing floods a slow one."""

Chops = list[dict[int, Strip | None]]


class Painter(Compositor):
    """Draws what can be seen of the lines that changed; the toolkit's own one draws the whole screen for each key."""

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        cuts = self.cuts
        chops: Chops = [dict.fromkeys(line[:-1]) for line in cuts]
        left, right = crop.column_span
        # Cells of each line that no widget in front has painted yet; a widget without any is never asked to draw.
        bare = {
            y: {start for start, end in pairwise(cuts[y]) if start < right and end > left}
            for y in crop.line_range
            if y < len(cuts) and is_rendered_line(y)
        }
        for widget, (region, clip) in self.visible_widgets.items():  # the front ones first
            shown = region.intersection(clip)
            first, last = shown.column_span
            # One call of the widget for each run of neighbouring lines, not one a line.
            for run in _runs([y for y in shown.line_range if any(first <= x < last for x in bare.get(y, ()))]):
                part = Region(shown.x - region.x, run.start - region.y, shown.width, len(run))
                for y, strip in zip(run, widget.render_lines(part), strict=False):
                    ends = [cut for cut in cuts[y] if first <= cut <= last]
                    # The front widgets come first: a place that is painted already stays as it is.
                    for x, piece in zip(ends, strip.divide([cut - first for cut in ends[1:]]), strict=False):
                        if x in bare[y]:
                            chops[y][x] = piece
                            bare[y].discard(x)
        return chops  # type: ignore[return-value]


def _runs(lines: Sequence[int]) -> Iterator[range]:
    """Lines in order as runs without gaps."""
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or lines[at] != lines[at - 1] + 1:
            yield range(lines[start], lines[at - 1] + 1)
            start = at


class AtOnce(Screen[Answer]):
    """A screen that paints as soon as it has nothing else to do, in place of at the next beat of a clock."""

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(name, id, classes)
        self._compositor = Painter()
        self._painted_at = 0.0
        self._soon: TimerHandle | None = None

    async def on_idle(self, event: events.Idle) -> None:
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
        if self.is_running:
            self._on_timer_update()
            self._painted_at = monotonic()


class BaseScreen(AtOnce[None]):
    """The screen under all dialogs."""

    DEFAULT_CSS = """
    BaseScreen.asked #hints { tint: $background 60%; }
    """


class Once(ModalScreen[Answer]):
    """A screen over the deck that ends with one answer, however many keys were on their way to it."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Ends with the answer. A second one finds the screen gone, and changes nothing."""
        return super().dismiss(result) if self.app.screen_stack[-1:] == [self] else AwaitComplete()


class Over(Once[Answer]):
    """A dialog over a page that stays as bright as it was, to be read: hints alone are dim, for none does anything."""

    def on_mount(self) -> None:
        self.app.screen_stack[0].add_class("asked")

    def on_unmount(self) -> None:
        self.app.screen_stack[0].remove_class("asked")


class Dialog(Once[Answer], AtOnce[Answer]):
    """A screen over the deck, which ends with an answer; what changes on it is painted at once."""
