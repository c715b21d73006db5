"""Gives a class its keys and its style by what it is called: they stand in `keys.toml` and in `styles.tcss`."""

import re
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

from textual.binding import BindingType

from tui.keys.naming import bindings


class Declared:
    """A class of the toolkit whose keys are those of its `scope`, and whose default style is its part of the sheet."""

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
    """The default style of each class: the part of `styles.tcss` that a comment with its name begins."""
    parts = re.split(r"(?m)^/\* (\w+) \*/\n", files("tui.widgets").joinpath("styles.tcss").read_text("utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))
