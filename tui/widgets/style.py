"""Maps a role to its style in a theme, and a widget's class to its style sheet."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files

from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.widget import Widget

from tui.present.spans import Line, Role
from tui.widgets import themes
from tui.widgets.clusters import steady

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


def name_in_colour(owner: Widget, name: Callable[[], None]) -> None:
    """Names the borders of a widget now, and again whenever other colours are put on."""
    name()
    owner.app.theme_changed_signal.subscribe(owner, lambda _: name())


def titled(theme: str, line: Line) -> Content:
    """A line as content that is never read as markup, for borders."""
    return Content.from_rich_text(Text.assemble(*((steady(span.text), role_style(theme, span.role)) for span in line)))


def style_sheet(owner: str) -> str:
    """The default style of a class: its part of `styles.tcss`, which a comment with its name begins."""
    return _style_sheets()[owner]


@cache
def _style_sheets() -> dict[str, str]:
    parts = re.split(r"(?m)^/\* (\w+) \*/\n", files("tui.widgets").joinpath("styles.tcss").read_text("utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))
