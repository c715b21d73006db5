"""Colour themes as files: ours beside the package, the operator's in their own folder; parsed when used."""

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
    """A theme file cannot be used."""


class Look(NamedTuple):
    """A theme: the toolkit's own colours (borders, inputs, scroll bars) and one style for each role."""

    name: str
    title: str
    theme: Theme
    styles: Mapping[Role, Style]


_put_on: dict[str, Look] = {}
"""Themes of the operator that were put on, by the name they were registered under: each reading has its own."""


def names() -> tuple[str, ...]:
    """Our themes, the default first."""
    found = {entry.name.removesuffix(".toml") for entry in files("themes").iterdir() if entry.name.endswith(".toml")}
    return (DEFAULT, *sorted(found - {DEFAULT}))


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
    """A theme that was put on, or one of ours; `UsageError` names those there are."""
    return _put_on.get(name) or _own(name)


def put_on(found: Look, name: str) -> Look:
    """Registers a theme of the operator's under a name that no reading of it had before."""
    found.theme.name = name
    _put_on[name] = found._replace(name=name)
    return _put_on[name]


def theme(name: str) -> Theme:
    return look(name).theme


def styles(name: str) -> Mapping[Role, Style]:
    """One style per role; what is not ours, the toolkit's own themes, is drawn as the default one."""
    return look(name if name in _put_on or name in names() else DEFAULT).styles


def title(name: str) -> str:
    return look(name).title


def read(path: Path) -> Look:
    """A theme file of the operator's; `ThemeError` with file and line."""
    try:
        text = path.read_bytes()[: 64 * 1024].decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ThemeError(f"it cannot be read: {error}", where=str(path)) from error
    return parse(text, str(path))


def parse(text: str, where: str) -> Look:
    """A theme from its text. What it leaves out is that of the theme it is `based_on`, else of the default one."""
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
    found = re.search(rf"^\s*\"?{re.escape(key)}\"?\s*=", text, re.MULTILINE)
    line = text.count("\n", 0, found.start() + len(found[0])) + 1 if found else 0
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
    """A colour that is none would only be noticed while the screen is drawn, and end it."""
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
    found: dict[Role, Style] = dict((below or _own(DEFAULT)).styles) if below or set(ROLES) - set(given) else {}
    for role in ROLES:
        if role in given:
            try:
                found[role] = Style.parse(str(given[role]))
            except StyleSyntaxError as error:
                raise ThemeError(f"`{role}`: {error}", where=_at(text, where, role)) from error
    return found
