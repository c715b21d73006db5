"""The lines that summaries did not read, note by note, as lines to show."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from tui.present.spans import Line, Span
from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.compactor.notes.left_out import LeftOutLine


def left_out_lines(found: "Sequence[LeftOutLine]") -> tuple[Line, ...]:
    """The name of each note, then its left-out lines with their numbers and reasons."""
    lines: list[Line] = []
    for path, group in groupby(found, key=lambda one: one.path):
        own = tuple(group)
        lines.append((Span(safe(path), "strong"), Span(f"  {noun(len(own), 'line')}", "muted")))
        lines += [_line(one) for one in own]
    return tuple(lines)


def _line(one: "LeftOutLine") -> Line:
    number = f"{one.line:>5}" if one.line else " " * 5
    return (Span(f"{number}  ", "muted"), Span(f"{safe(one.reason):<28} ", "info"), Span(safe(one.text)))
