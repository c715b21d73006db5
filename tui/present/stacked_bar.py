"""Draws the parts of a whole as one bar, each as wide as its size and named as far as there is room."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.text.safe_text import cell_width
from tui.present.spans import Line, Role, Span
from tui.present.words import safe

_ROLES: tuple[Role, ...] = ("accent", "info", "ok", "text", "warn")
"""Roles that neighbouring parts take in turn; each is named besides."""


class BarPart(NamedTuple):
    """A part of a whole; `role` marks one that is not as it should be."""

    name: str
    size: int
    role: Role | None = None


def stacked_bar(parts: Sequence[BarPart], whole: int, room: int) -> Line:
    """`▕sys│identity│memory│···▏` with `room` cells between its ends; what is beyond the whole is not drawn."""
    spans: list[Span] = []
    done = size = 0
    for number, part in enumerate(parts):
        size += part.size
        end = min(room, room * size // max(1, whole))
        if end > done:
            spans.append(Span(_label(part.name, end - done), part.role or _ROLES[number % len(_ROLES)]))
            done = end
    return (Span("▕", "rule"), *spans, Span("·" * (room - done), "bar_empty"), Span("▏", "rule"))


def _label(name: str, cells: int) -> str:
    shown = ""
    for char in safe(name):
        if cell_width(shown + char) > cells - 1:
            break
        shown += char
    return f"{shown}{'─' * (cells - 1 - cell_width(shown))}│"
