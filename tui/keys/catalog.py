"""Every key there is, by scope, read from the widgets themselves: for the card, the docs and conflicts."""

from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

from textual.binding import Binding

from tui.keys.naming import Keyed, scope_of
from tui.present.frame import key_name
from tui.registry.scopes import CONSOLE, DIALOGS, EVERYWHERE, PANES, SCREENS, TITLES
from tui.registry.screens import PLACES


class Key(NamedTuple):
    """One thing that keys do: its name for the configuration, the keys by default, and what it is."""

    name: str
    keys: tuple[str, ...]
    title: str
    action: str

    @property
    def scope(self) -> str:
        return self.name.partition(".")[0]

    @property
    def shown(self) -> str:
        """The keys as they are printed on key caps."""
        return " ".join(key_name(key) for key in self.keys)


def catalog() -> tuple[Key, ...]:
    """All keys, screens first in the order of their numbers. Loads every screen's module."""
    screens = (place.page.partition(":")[0] for place in PLACES)
    modules = [CONSOLE, *screens, *(scope.module for scope in (PANES | DIALOGS).values())]
    for module in modules:
        import_module(module)
    found: dict[str, Key] = {}
    for owner in sorted(keyed(), key=lambda owner: (_place(owner.__module__, modules), owner.__qualname__)):
        for key in _keys_of(owner):
            # A key that several classes name is that of the first by module.
            found.setdefault(key.name, key)
    order = scopes()
    return tuple(sorted(found.values(), key=lambda key: order.index(key.scope) if key.scope in order else len(order)))


def scopes() -> list[str]:
    """All scopes in the order of the card."""
    return [EVERYWHERE, SCREENS, *(place.id for place in PLACES), *PANES, *DIALOGS]


def title_of(scope: str) -> str:
    """The heading of a scope on the card."""
    titles = {place.id: f"{place.key} {place.title}" for place in PLACES}
    return titles.get(scope) or TITLES.get(scope, scope)


def _place(module: str, modules: list[str]) -> int:
    """Gives the order of a module's keys, whatever was imported first."""
    return modules.index(module) if module in modules else len(modules)


def keyed() -> Iterator[type[Keyed]]:
    """Lists the classes with keys that are loaded."""
    waiting: list[type[Keyed]] = [Keyed]
    while waiting:
        below = waiting.pop(0).__subclasses__()
        yield from below
        waiting.extend(below)


def _keys_of(owner: type) -> Iterator[Key]:
    for binding in owner.__dict__.get("BINDINGS", ()):
        if isinstance(binding, Binding) and owner.__module__.startswith("tui."):
            name = binding.id or f"{scope_of(owner)}.?"
            yield Key(name, tuple(key.strip() for key in binding.key.split(",")), binding.description, binding.action)
