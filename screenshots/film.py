"""Composes an animated SVG from screens of the terminal: each row is drawn once, and shown while it stands.

It holds no script and loads nothing: CSS alone shows and hides the rows, over and over.
"""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 12.2, 24.4, 20
"""In the units of the picture."""
_MARGIN, _CAPTION = 10.0, 42.0


class Frame(NamedTuple):
    """A screen as it stood, for how many seconds, and the words above it."""

    caption: str
    seconds: float
    strips: tuple[Strip, ...]

    @property
    def text(self) -> str:
        """The words on the screen, without the room at the ends of its rows."""
        return "\n".join(strip.text.rstrip() for strip in self.strips)


def film(frames: Sequence[Frame], foreground: str, background: str) -> str:
    """The frames one after the other as one SVG, which begins anew when it is over."""
    width = 2 * _MARGIN + CELL_WIDTH * max(strip.cell_length for frame in frames for strip in frame.strips)
    height = _CAPTION + _MARGIN + CELL_HEIGHT * max(len(frame.strips) for frame in frames)
    rows = _rows(frames, _Classes(foreground, background))
    return "\n".join(
        (
            f'<svg viewBox="0 0 {width:.0f} {height:.0f}" xmlns="http://www.w3.org/2000/svg">',
            f"<style>{_style(foreground)}{rows.classes.css()}{_times(frames, rows.shown)}</style>",
            f'<rect fill="{background}" width="100%" height="100%" rx="8"/>',
            *_groups(rows.shown),
            "</svg>\n",
        )
    )


class _Classes:
    """The looks of text, each by a short name."""

    def __init__(self, foreground: str, background: str) -> None:
        self.foreground, self.background = foreground, background
        self._names: dict[str, str] = {}

    def look(self, style: Style) -> tuple[str, str]:
        """The class of a text in this style, and the colour behind it."""
        ink, behind = _colour(style.color, self.foreground), _colour(style.bgcolor, self.background)
        if style.reverse:
            ink, behind = behind, ink
        rule = f"fill:{ink}" + ";font-weight:bold" * bool(style.bold) + ";font-style:italic" * bool(style.italic)
        lines = [name for name, on in (("underline", style.underline), ("line-through", style.strike)) if on]
        rule += f";text-decoration:{' '.join(lines)}" * bool(lines) + ";opacity:.6" * bool(style.dim)
        return self._names.setdefault(rule, f"k{len(self._names)}"), behind

    def css(self) -> str:
        return "".join(f".{name}{{{rule}}}" for rule, name in self._names.items())


Shown = dict[tuple[int, ...], list[str]]
"""What is drawn, by the numbers of the frames that it stands in."""


class _Rows(NamedTuple):
    shown: Shown
    classes: _Classes


def _rows(frames: Sequence[Frame], classes: _Classes) -> _Rows:
    stands: dict[str, list[int]] = {}
    for number, frame in enumerate(frames):
        stands.setdefault(_title(frame.caption), []).append(number)
        for line, strip in enumerate(frame.strips):
            stands.setdefault(_row(line, strip, classes), []).append(number)
    shown: Shown = {}
    for drawn, numbers in stands.items():
        shown.setdefault(tuple(numbers), []).append(drawn)
    return _Rows(shown, classes)


def _title(caption: str) -> str:
    return f'<text x="{_MARGIN}" y="27" class="title">{escape(caption)}</text>'


def _row(line: int, strip: Strip, classes: _Classes) -> str:
    """A line of the screen: what lies behind its words, then the words."""
    y = _CAPTION + line * CELL_HEIGHT
    behind, words = "", ""
    for x, text, style in _runs(strip):
        name, colour = classes.look(style)
        left, wide = _MARGIN + x * CELL_WIDTH, cell_len(text) * CELL_WIDTH
        if colour != classes.background:
            behind += f'<rect fill="{colour}" x="{left:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{CELL_HEIGHT}"/>'
        if text.strip():
            place = f'x="{left:.1f}" y="{y + 18:.1f}" textLength="{wide:.1f}"'
            words += f'<text {place} class="{name}">{escape(text).replace(" ", "&#160;")}</text>'
    return f"<g>{behind}{words}</g>"


def _runs(strip: Strip) -> Iterator[tuple[int, str, Style]]:
    """Neighbours of one style, each with the cell where it begins."""
    x = 0
    for style, group in groupby(strip, key=lambda segment: segment.style or Style.null()):
        text = "".join(segment.text for segment in _said(group))
        yield x, text, style
        x += cell_len(text)


def _said(segments: Iterator[Segment]) -> Iterator[Segment]:
    return (segment for segment in segments if not segment.control)


def _colour(colour: object, default: str) -> str:
    if not isinstance(colour, Color) or colour.is_default:
        return default
    return colour.get_truecolor().hex


def _style(foreground: str) -> str:
    return (
        f"text{{font-family:Fira Code,monospace;font-size:{FONT_SIZE}px}}"
        f"text.title{{font-family:sans-serif;font-weight:bold;fill:{foreground}}}"
    )


def _times(frames: Sequence[Frame], shown: Shown) -> str:
    """When each group of rows is seen; what stands all the time needs no rule."""
    total = sum(frame.seconds for frame in frames)
    begins = [100 * sum(frame.seconds for frame in frames[:number]) / total for number in range(len(frames))]
    return "".join(
        f"@keyframes f{number}{{{_steps(begins, stands)}}}"
        f".f{number}{{animation:f{number} {total:.2f}s step-end infinite}}"
        for number, stands in enumerate(shown)
        if len(set(stands)) < len(frames)
    )


def _steps(begins: Sequence[float], stands: Sequence[int]) -> str:
    """The shares of the film's length at which something appears or goes."""
    seen = [number in stands for number in range(len(begins))]
    changes = [(at, now) for at, now, before in zip(begins, seen, [None, *seen], strict=False) if now != before]
    return "".join(
        f"{at:.3f}%{{visibility:{'visible' if now else 'hidden'}}}" for at, now in (*changes, (100, seen[-1]))
    )


def _groups(shown: Shown) -> Iterator[str]:
    for number, (stands, drawn) in enumerate(shown.items()):
        yield f'<g class="f{number}" data-frames="{" ".join(map(str, stands))}">{"".join(drawn)}</g>'
