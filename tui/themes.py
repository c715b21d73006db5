"""Colour themes as files: found by name at once, parsed when used."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from rich.style import Style
from textual.theme import Theme

from engine.errors import UsageError
from tui.viewmodels.spans import ROLES, Role

DEFAULT = "night"


def names() -> tuple[str, ...]:
    """The themes that can be chosen, the default first."""
    found = {entry.name.removesuffix(".toml") for entry in files("themes").iterdir() if entry.name.endswith(".toml")}
    return (DEFAULT, *sorted(found - {DEFAULT}))


@cache
def _read(name: str) -> dict[str, Any]:
    path = files("themes").joinpath(f"{name}.toml")
    if not path.is_file():
        raise UsageError("there is no such theme", where=name, hint=f"choose one of: {', '.join(names())}")
    return tomllib.loads(path.read_text("utf-8"))


def theme(name: str) -> Theme:
    """The toolkit's own colours of a theme: borders, inputs, scroll bars."""
    data = _read(name)
    return Theme(name=data["name"], dark=data["dark"], variables=data["variables"], **data["base"])


@cache
def styles(name: str) -> dict[Role, Style]:
    """One style per role; a theme that lacks a role is refused by a test, and shows it as plain text."""
    given: dict[str, str] = _read(name)["styles"]
    return {role: Style.parse(given.get(role, given["text"])) for role in ROLES}


def title(name: str) -> str:
    return str(_read(name)["title"])
