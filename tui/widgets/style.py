"""What a role looks like in a theme."""

from functools import lru_cache

from rich.style import Style
from rich.text import Text
from textual.content import Content

from tui import themes
from tui.viewmodels.spans import Line, Role


@lru_cache(maxsize=512)
def role_style(theme: str, role: Role) -> Style:
    """The style of a role in a theme; in a theme that is not ours, as in the default one."""
    return themes.styles(theme if theme in themes.names() else themes.DEFAULT)[role]


def titled(theme: str, line: Line) -> Content:
    """A line as content that is never read as markup, for borders."""
    return Content.from_rich_text(Text.assemble(*((text, role_style(theme, role)) for text, role in line)))
