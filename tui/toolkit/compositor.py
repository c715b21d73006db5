"""Draws only the visible part of changed lines. Imported only if `own_painting` finds Textual as expected."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip

Chops = list[dict[int, Strip | None]]


class Painter(Compositor):
    """Draws the visible part of changed lines; Textual's compositor draws the whole screen for each key."""

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
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or lines[at] != lines[at - 1] + 1:
            yield range(lines[start], lines[at - 1] + 1)
            start = at
