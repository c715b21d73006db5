"""Gives a class its keys from `keys.toml` and its style from `styles.tcss`, by its name."""

import re
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

from textual.binding import BindingType

from tui.keys.naming import bindings


class Declared:
    """A class with the keys of its `scope` and the style of its name."""

    BINDINGS: ClassVar[list[BindingType]]
    DEFAULT_CSS: ClassVar[str]

    def __init_subclass__(cls, scope: str = "", **arguments: Any) -> None:
        if scope:
            cls.BINDINGS = bindings(scope)
        if cls.__name__ in _style_sheets():
            cls.DEFAULT_CSS = _style_sheets()[cls.__name__]
        super().__init_subclass__(**arguments)


@cache
def _style_sheets() -> dict[str, str]:
    """Returns the style of each class: the part of `styles.tcss` below a comment with its name."""
    parts = re.split(r"(?m)^/\* (\w+) \*/\n", files("tui.widgets").joinpath("styles.tcss").read_text("utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))
