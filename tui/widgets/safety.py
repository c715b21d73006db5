"""The last wall before the terminal: no control character leaves in any strip, whatever got past the view models."""

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
    """Drops control characters, and on a terminal that only shows ASCII spells our own glyphs with it."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._ascii = ascii_only

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments with harmless text; links (`@click`, OSC 8) are taken off the styles too."""
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
