"""Lists the scopes in which keys work, as `scopes.toml` names them: each with the tables that have its keys."""

import msgspec

from engine.text.pattern_file import converted, toml_file

EVERYWHERE = "console"
SCREENS = "screen"


class KeyScope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scope: its heading on the card, and the tables of `keys.toml` with its keys, by default that of its name."""

    title: str = ""
    tables: tuple[str, ...] = ()


class _Scopes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    panes: dict[str, KeyScope]
    dialogs: dict[str, KeyScope]


_SCOPES = converted(toml_file("tui.registry", "scopes.toml"), _Scopes, "tui/registry/scopes.toml")
PANES, DIALOGS = _SCOPES.panes, _SCOPES.dialogs
TITLES = {EVERYWHERE: "Everywhere", SCREENS: "On every screen"}
TITLES |= {name: scope.title for name, scope in (PANES | DIALOGS).items() if scope.title}
