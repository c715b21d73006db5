"""Lists every key by scope from `keys.toml`, for widgets, the card, the docs and conflicts."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from engine.text.pattern_file import pattern_file
from tui.keys.caps import key_name
from tui.registry.screens import DIALOGS, EVERYWHERE, PANES, PLACES, SCREENS, TITLES


class Key(NamedTuple):
    """An action of keys: its name in the configuration, its default keys, and its title."""

    name: str
    keys: tuple[str, ...]
    title: str
    action: str

    @property
    def scope(self) -> str:
        return self.name.partition(".")[0]

    @property
    def shown(self) -> str:
        return " ".join(key_name(key) for key in self.keys)


def catalog() -> tuple[Key, ...]:
    """Returns all keys, screens first by number, without loading any screen."""
    order = scopes()
    by_name: dict[str, Key] = {}
    for row in (row for scope in order for row in rows(scope)):
        keys = tuple(key.strip() for key in row["key"].split(","))
        # A key that several scopes name is that of the first.
        by_name.setdefault(row["id"], Key(row["id"], keys, row["description"], row["action"]))
    return tuple(sorted(by_name.values(), key=lambda key: order.index(key.scope)))


def rows(scope: str) -> list[dict[str, Any]]:
    """Returns the keys of a scope as in `keys.toml`, named by `id`; everywhere includes the screens' keys."""
    listed = [row for table in tables_of(scope) for row in _tables()[table]]
    if scope == EVERYWHERE:
        goes = (
            {"key": one.key, "action": f"go('{one.id}')", "description": one.title, "show": False} for one in PLACES
        )
        listed = [*goes, *listed]
    return [{"id": f"{scope}.{slug(row['description'])}", **row} for row in listed]


def tables_of(scope: str) -> tuple[str, ...]:
    named = (PANES | DIALOGS).get(scope)
    return (named.tables if named else ()) or (scope,)


@cache
def _tables() -> Mapping[str, list[dict[str, Any]]]:
    return pattern_file("tui.keys", "keys.toml")


def slug(words: str) -> str:
    """Turns `Page down` into `page-down`."""
    return "-".join(re.findall(r"[a-z0-9]+", words.casefold()))


def scopes() -> list[str]:
    """Returns all scopes in the order of the card."""
    return [EVERYWHERE, SCREENS, *(place.id for place in PLACES), *PANES, *DIALOGS]


def title_of(scope: str) -> str:
    """Returns the heading of a scope on the card."""
    titles = {place.id: f"{place.key} {place.title}" for place in PLACES}
    return titles.get(scope) or TITLES.get(scope, scope)
