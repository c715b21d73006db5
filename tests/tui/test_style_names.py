"""A style names classes that there are: a selector that selects nothing is no error for the toolkit."""

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files

from textual.dom import DOMNode

import tui

_RULE = re.compile(r"([^{}]+)\{")
_CLASS = re.compile(r"(?<![\w#.$:-])[A-Z]\w+")


def classes() -> dict[str, type]:
    """Every class of the console and of the toolkit that a selector may name."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.endswith(".__main__"):
            import_module(module.name)
    return {one.__name__: one for one in _below(DOMNode)}


def _below(known: type) -> Iterator[type]:
    below: list[type] = known.__subclasses__()
    for one in below:
        yield one
        yield from _below(one)


def test_every_class_that_a_style_names_exists() -> None:
    known = classes()
    named = {
        f"{one.__module__}: {name}"
        for one in known.values()
        if one.__module__.startswith("tui.")
        for styles in (one.__dict__.get("DEFAULT_CSS", ""), one.__dict__.get("CSS", ""))
        for selectors in _RULE.findall(styles)
        for name in _CLASS.findall(selectors)
        if name not in known
    }
    assert named == set()


def test_every_style_sheet_of_the_file_is_that_of_the_class_it_names() -> None:
    sheets, known = files("tui.widgets").joinpath("styles.tcss").read_text("utf-8"), classes()
    named = re.findall(r"(?m)^/\* (\w+) \*/$", sheets)
    assert len(named) == len(set(named)) > 40
    styles = {one: known[one].__dict__["DEFAULT_CSS"] for one in named}
    assert [one for one in named if f"/* {one} */\n{styles[one]}" not in sheets] == []
