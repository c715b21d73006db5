"""Returns the style of a role in a theme."""

import re
from functools import lru_cache

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.content import Content

from tui.present.spans import Line, Role
from tui.widgets import themes

_STYLED = re.compile(".?[\ufe0e\ufe0f]\u20e3?")
"""Matches a character, the selector of its emoji or text style, and a key cap around it."""


def steady(text: str) -> str:
    """Replaces `🗑️` by `🗑` and a blank, since terminals draw it in one cell or two, which moves what follows."""
    return text if text.isascii() else _STYLED.sub(_without_style, text)


def _without_style(match: re.Match[str]) -> str:
    plain = match[0].replace("\ufe0e", "").replace("\ufe0f", "")
    return plain + " " * (cell_len(match[0]) - cell_len(plain))


_LOUD: frozenset[Role] = frozenset({"here", "hidden", "match", "readonly"})
"""Roles that keep their background under a cursor, since they must stand out."""


@lru_cache(maxsize=512)
def role_style(theme: str, role: Role) -> Style:
    """Returns the style of a role in a theme; for a theme of the toolkit, that of the default theme."""
    return themes.styles(theme)[role]


@lru_cache(maxsize=2048)
def span_style(theme: str, ground: Style, role: Role, over: Role | None, base: Style | None) -> Style:
    """Returns the style of a span on a background; `base`, a cursor's background, covers all but loud roles."""
    style = ground + role_style(theme, role)
    if over is not None:
        style += role_style(theme, over)
    if base is None:
        return style
    return base + style if role in _LOUD else style + base


def titled(theme: str, line: Line) -> Content:
    """Returns a line as content for borders, never read as markup."""
    return Content.from_rich_text(Text.assemble(*((steady(span.text), role_style(theme, span.role)) for span in line)))
