"""Maps a role to its style in a theme."""

import re
from functools import lru_cache

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.content import Content

from tui.present.spans import Line, Role
from tui.widgets import themes

_STYLED = re.compile(".?[\ufe0e\ufe0f]\u20e3?")
"""A character, the selector of its emoji or text style, and the key cap around it."""


def steady(text: str) -> str:
    """The text in as many cells, but so that all terminals count them alike. `🗑` and a blank stand for `🗑️`, which some
    draw in one cell and some in two: what follows, such as a border, stays."""
    return text if text.isascii() else _STYLED.sub(_without_style, text)


def _without_style(found: re.Match[str]) -> str:
    plain = found[0].replace("\ufe0e", "").replace("\ufe0f", "")
    return plain + " " * (cell_len(found[0]) - cell_len(plain))


_LOUD: frozenset[Role] = frozenset({"here", "hidden", "match", "readonly"})
"""Roles that keep their ground under a cursor: their letters are made for it, and they must be seen."""


@lru_cache(maxsize=512)
def role_style(theme: str, role: Role) -> Style:
    """The style of a role in a theme; in a theme that is not ours, as in the default one."""
    return themes.styles(theme)[role]


@lru_cache(maxsize=2048)
def span_style(theme: str, ground: Style, role: Role, over: Role | None, base: Style | None) -> Style:
    """The style of a span on a ground; `base` (a cursor's background) lies over all but what must be seen."""
    style = ground + role_style(theme, role)
    if over is not None:
        style += role_style(theme, over)
    if base is None:
        return style
    return base + style if role in _LOUD else style + base


def titled(theme: str, line: Line) -> Content:
    """A line as content that is never read as markup, for borders."""
    return Content.from_rich_text(Text.assemble(*((steady(span.text), role_style(theme, span.role)) for span in line)))
