"""Reads colour themes from files: memdeck's own and the operator's, when they are used."""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.theme import Theme

from engine.errors import UsageError
from tui.present.spans import ROLES, Role

DEFAULT = "night"
ANSI = "terminal"  # the theme of the terminal's own 16 colours: the default where it has no more
_TABLES = {"base", "variables", "styles"}
_KEYS = {"name", "title", "dark", "ansi", "based_on", *_TABLES}


class ThemeError(UsageError, title="Theme"):
    """A theme file that cannot be used."""


class Look(NamedTuple):
    """A theme: the toolkit's colours (borders, inputs, scroll bars) and a style for each role."""

    name: str
    title: str
    theme: Theme
    styles: Mapping[Role, Style]


_put_on: dict[str, Look] = {}
"""Themes of the operator in use, by the name of their registration, which is new for each reading."""


def names() -> tuple[str, ...]:
    """Returns the names of memdeck's themes, the default first."""
    stems = {entry.name.removesuffix(".toml") for entry in files("themes").iterdir() if entry.name.endswith(".toml")}
    return (DEFAULT, *sorted(stems - {DEFAULT}))


@cache
def _own(name: str) -> Look:
    path = files("themes").joinpath(f"{name}.toml")
    if not path.is_file():
        raise UsageError("there is no such theme", where=name, hint=f"choose one of: {', '.join(names())}")
    return parse(path.read_text("utf-8"), f"themes/{name}.toml")


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("themes").joinpath(f"{name}.toml").read_text("utf-8"))


def look(name: str) -> Look:
    """Returns a registered theme, or one of memdeck's. Raises `UsageError` with the known names."""
    return _put_on.get(name) or _own(name)


def put_on(read_look: Look, name: str) -> Look:
    """Registers a theme of the operator's under a new name."""
    read_look.theme.name = name
    _put_on[name] = read_look._replace(name=name)
    return _put_on[name]


def theme(name: str) -> Theme:
    return look(name).theme


def styles(name: str) -> Mapping[Role, Style]:
    """Returns a style for each role; for the toolkit's own themes, those of the default theme."""
    return look(name if name in _put_on or name in names() else DEFAULT).styles


def title(name: str) -> str:
    return look(name).title


def read(path: Path) -> Look:
    """Reads a theme file of the operator's. Raises `ThemeError` with file and line."""
    try:
        text = path.read_bytes()[: 64 * 1024].decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ThemeError(f"it cannot be read: {error}", where=str(path)) from error
    return parse(text, str(path))


def parse(text: str, where: str) -> Look:
    """Reads a theme from its text; missing parts come from the theme it is `based_on`, else from the default."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        at = line[1] if line else len(text.splitlines())  # the parser's other place is the end of the file
        raise ThemeError(str(error), where=f"{where}:{at}") from error
    data.setdefault("name", Path(where).stem)
    _check(data, text, where)
    below = _own(data["based_on"]) if "based_on" in data else None
    if below is not None:
        data.setdefault("dark", below.theme.dark)
    return Look(
        str(data["name"]),
        str(data.get("title", data["name"])),
        _theme(data, text, where, below),
        _styles(data, text, where, below),
    )


def _check(data: Mapping[str, Any], text: str, where: str) -> None:
    if "dark" not in data and "based_on" not in data:
        raise ThemeError("`dark` is missing", where=where, hint='like `dark = true` or `based_on = "night"`')
    if any(not isinstance(data.get(table, {}), dict) for table in _TABLES):
        raise ThemeError("base, variables and styles are tables", where=where, hint="like `[styles]`")
    for table, known, what in ((data, _KEYS, "is no key of a theme"), (data.get("styles", {}), ROLES, "is no role")):
        for entry in table:
            if entry not in known:
                raise _error(text, where, entry, what, sorted(known))
    base = data.get("based_on", DEFAULT)
    if base not in names():
        raise _error(text, where, "based_on", f"{base!r} is none of ours", list(names()), str(base))


def _error(text: str, where: str, key: str, what: str, known: Sequence[str], written: str = "") -> ThemeError:
    close = difflib.get_close_matches(written or key, known, n=1)
    return ThemeError(
        f"`{key}` {what}", where=_at(text, where, key), hint=f"did you mean {close[0]}?" if close else ", ".join(known)
    )


def _at(text: str, where: str, key: str) -> str:
    match = re.search(rf"^\s*\"?{re.escape(key)}\"?\s*=", text, re.MULTILINE)
    line = text.count("\n", 0, match.start() + len(match[0])) + 1 if match else 0
    return f"{where}:{line}" if line else where


def _theme(data: Mapping[str, Any], text: str, where: str, below: Look | None) -> Theme:
    base = {**(_read(below.name)["base"] if below else {}), **data.get("base", {})}
    variables = {**(_read(below.name).get("variables", {}) if below else {}), **data.get("variables", {})}
    if ansi := bool(data.get("ansi", below.theme.ansi if below else False)):
        variables = {**_read(ANSI)["variables"], **variables}
    _check_variables(variables, text, where)
    try:
        made = Theme(name=str(data["name"]), dark=bool(data["dark"]), ansi=ansi, variables=variables, **base)
        made.to_color_system().generate()
    except TypeError as error:
        unknown, known = re.search(r"argument:? '(\w+)'", str(error)), list(_read(DEFAULT)["base"])
        raise _error(text, where, unknown[1] if unknown else "base", "is no base colour", known) from error
    except (ColorParseError, ValueError) as error:
        raise ThemeError(f"a colour in it is none: {error}", where=where) from error
    return made


def _check_variables(variables: Mapping[str, Any], text: str, where: str) -> None:
    """Checks each colour, since a wrong one would end the console while it draws."""
    known = [*_read(ANSI)["variables"], "text-muted"]
    for name, value in variables.items():
        if name not in known:
            raise _error(text, where, name, "is no variable", known)
        try:
            Color.parse(str(value))
        except ColorParseError as error:
            raise ThemeError(f"`{name}`: {value!r} is no colour", where=_at(text, where, name)) from error


def _styles(data: Mapping[str, Any], text: str, where: str, below: Look | None) -> dict[Role, Style]:
    given = data.get("styles", {})
    styles_of: dict[Role, Style] = dict((below or _own(DEFAULT)).styles) if below or set(ROLES) - set(given) else {}
    for role in ROLES:
        if role in given:
            try:
                styles_of[role] = Style.parse(str(given[role]))
            except StyleSyntaxError as error:
                raise ThemeError(f"`{role}`: {error}", where=_at(text, where, role)) from error
    return styles_of
