"""Lists the screens and key scopes of `scopes.toml`, which menus, docs and keys follow."""

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
    """A scope of keys: its heading on the card, and its tables in `keys.toml`, by default the one of its name."""

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
    """Returns the screen `ident`. Raises `KeyError` if there is none."""
    return {entry.id: entry for entry in PLACES}[ident]
