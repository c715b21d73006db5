"""Every key there is, by scope, read from the widgets themselves: for the card, the docs and conflicts."""

from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

from textual.binding import Binding

from tui.keys.naming import Keyed, scope_of
from tui.registry.places import PLACES
from tui.viewmodels.frame import key_name

EVERYWHERE = "console"
SCREENS = "screen"
PANES: tuple[tuple[str, str], ...] = (
    ("list", "tui.widgets.line_list"),
    ("text", "tui.widgets.text_pane"),
    ("diff", "tui.widgets.diff_view"),
    ("source", "tui.widgets.source_text"),
    ("queue", "tui.screens.approvals.queue_pane"),
    ("filter", "tui.widgets.filter_field"),
)
"""Scopes of panes, which screens are made of, and their modules."""

DIALOGS: tuple[tuple[str, str], ...] = (
    ("choice", "tui.dialogs.picker"),
    ("command-line", "tui.frame.command_line"),
    ("reading", "tui.dialogs.reading"),
    ("find", "tui.dialogs.finding"),
    ("tour", "tui.frame.tour"),
    ("jump", "tui.frame.jump"),
    ("taking-back", "tui.screens.history.taking_back"),
    ("batch", "tui.screens.approvals.batch"),
    ("entry", "tui.screens.approvals.entry_editor"),
    ("beside", "tui.screens.approvals.beside"),
    ("past-runs", "tui.screens.approvals.reports"),
    ("agent-changes", "tui.screens.overview.agent_changes"),
    ("what-if", "tui.dialogs.what_if"),
    ("question", "tui.dialogs.asking"),
    ("approval", "tui.dialogs.confirm"),
)
"""Scopes of dialogs. `approval` and `question` cannot be rebound: what a person's yes looks like never changes."""

TITLES = {
    EVERYWHERE: "Everywhere",
    SCREENS: "On every screen",
    "list": "In a list",
    "text": "In a text",
    "diff": "In a diff",
    "source": "In a source",
    "queue": "In the queue",
    "filter": "In the field of a filter (`/`)",
    "choice": "In a list to choose from (`?`, `ctrl+p`)",
    "command-line": "In the command line (`:`)",
    "reading": "In a text over the screen",
    "find": "While finding (`/`)",
    "tour": "In the tour",
    "jump": "While jumping",
    "taking-back": "While taking back",
    "batch": "While many plans are asked about",
    "entry": "While an entry is edited",
    "beside": "In a side by side",
    "past-runs": "In the past dry runs",
    "agent-changes": "In the agent's changes",
    "what-if": "While a date is asked for (`t`)",
    "question": "In a question",
    "approval": "In the question before a plan is applied (fixed)",
}


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
    import_module("tui.app")
    for module in (*(place.page.partition(":")[0] for place in PLACES), *(module for _, module in (*PANES, *DIALOGS))):
        import_module(module)
    found: dict[str, Key] = {}
    for owner in _keyed():
        for key in _keys_of(owner):
            found.setdefault(key.name, key)
    order = scopes()
    return tuple(sorted(found.values(), key=lambda key: order.index(key.scope) if key.scope in order else len(order)))


def scopes() -> list[str]:
    """All scopes in the order of the card."""
    return [EVERYWHERE, SCREENS, *(place.id for place in PLACES), *(name for name, _ in (*PANES, *DIALOGS))]


def title_of(scope: str) -> str:
    """The heading of a scope on the card."""
    titles = {place.id: f"{place.key} {place.title}" for place in PLACES}
    return titles.get(scope) or TITLES.get(scope, scope)


def _keyed() -> Iterator[type[Keyed]]:
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
