"""Removes control characters from every strip before it reaches the terminal, whatever the view models missed."""

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui.present.glyphs import in_ascii

# C0, DEL, C1, bidi, zero-width and tag characters: none takes a cell, so dropping them moves nothing.
_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)


class Wall(LineFilter):
    """Drops control characters; on a terminal that shows only ASCII, replaces glyphs."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._ascii = ascii_only

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Returns the segments with harmless text and without links (`@click`, OSC 8)."""
        return [self._clean(segment) for segment in segments]

    def _clean(self, segment: Segment) -> Segment:
        text, style, control = segment
        if _FORBIDDEN.search(text):
            text = _FORBIDDEN.sub("", text)
        if self._ascii and not text.isascii():
            text = in_ascii(text)
        # A link of a note would be one that the terminal opens, whatever its text says.
        if style is not None and style.link:
            style = style.update_link(None)
        return Segment(text, style, control)
