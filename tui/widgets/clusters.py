"""Clusters of characters that terminals do not agree on, in the form in which they do."""

import re

from rich.cells import cell_len

_STYLED = re.compile(".?[\ufe0e\ufe0f]\u20e3?")
"""A character, the selector of its emoji or text style, and the key cap around it."""


def steady(text: str) -> str:
    """The text in as many cells, but so that all terminals count them alike. `🗑` and a blank stand for `🗑️`, which some
    draw in one cell and some in two: what follows, such as a border, stays."""
    return text if text.isascii() else _STYLED.sub(_without_style, text)


def _without_style(found: re.Match[str]) -> str:
    plain = found[0].replace("\ufe0e", "").replace("\ufe0f", "")
    return plain + " " * (cell_len(found[0]) - cell_len(plain))
