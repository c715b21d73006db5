"""Lists the screens and the scopes in which keys work, as `scopes.toml` names them: menus, docs and keys follow."""

from typing import NamedTuple

import msgspec

from engine.text.pattern_file import converted, toml_file

EVERYWHERE = "console"
SCREENS = "screen"


class ScreenEntry(NamedTuple):
    """A screen: its key, id and title, a short title for narrow headers, and `module:class` of its page."""

    key: str
    id: str
    title: str
    short: str
    page: str


class KeyScope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scope: its heading on the card, and the tables of `keys.toml` with its keys, by default that of its name."""

    title: str = ""
    tables: tuple[str, ...] = ()


class _Scopes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    screens: tuple[ScreenEntry, ...]
    panes: dict[str, KeyScope]
    dialogs: dict[str, KeyScope]


_SCOPES = converted(toml_file("tui.registry", "scopes.toml"), _Scopes, "tui/registry/scopes.toml")
PLACES, PANES, DIALOGS = _SCOPES.screens, _SCOPES.panes, _SCOPES.dialogs
TITLES = {EVERYWHERE: "Everywhere", SCREENS: "On every screen"}
TITLES |= {name: scope.title for name, scope in (PANES | DIALOGS).items() if scope.title}
FIRST = PLACES[0].id  # the screen the console opens on


def place(ident: str) -> ScreenEntry:
    """The screen of that id; `KeyError` where there is none."""
    return {found.id: found for found in PLACES}[ident]
