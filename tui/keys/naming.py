"""Declares actions: the keys that start each, its words, what it needs, and the pane that carries it out.

Each key has a name, such as `approvals.reject`, by which the operator's configuration can rebind it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.dom import DOMNode

from engine.text.pattern_file import pattern_file


@dataclass(frozen=True)
class KeyAction(Binding):
    """The keys of one action with its words. Footer, `?`, palette, docs and the refusal of a key all read this."""

    needs: tuple[str, ...] = ()  # conditions, asked in this order of `lacks_NAME` on the widget or whatever it lies in
    pane: str = ""  # the id of the pane that carries it out, where that is not the widget itself
    named: str = ""
    """The attribute, of the widget or what it lies in, that names what the key does now; empty words: as usual."""
    palette: bool = True  # false for what moves or opens a menu: in a list of commands it would only be in the way


class Keyed:
    """A widget whose keys have names; `SCOPE` is the part before the dot, else it follows from the class's name."""

    SCOPE: ClassVar[str] = ""

    def __init_subclass__(cls, **arguments: Any) -> None:
        if "BINDINGS" in cls.__dict__:
            cls.BINDINGS = named(scope_of(cls), cls.__dict__["BINDINGS"])
        super().__init_subclass__(**arguments)

    BINDINGS: ClassVar[list[BindingType]]


@cache
def actions_of(kind: type) -> Mapping[str, KeyAction]:
    """Lists a widget's actions in the order of the footer, those of the classes it is made of first. The toolkit goes
    by keys, so that a key of the base class given another meaning would keep the old one's place."""
    rows = [row for owner in reversed(kind.__mro__) for row in owner.__dict__.get("BINDINGS", ())]
    return {row.action: row for row in rows if isinstance(row, KeyAction)}


def why_not(node: DOMNode, action: str) -> str:
    """Says in words why the key of an action would do nothing now; empty where it would do something."""
    row = actions_of(type(node)).get(action)
    if row is None or not row.needs:
        return ""
    start = performer(node, action)
    return next(filter(None, (_asked(start, f"lacks_{need}") for need in row.needs)), "")


def words_of(node: DOMNode, binding: Binding) -> str:
    """Names what a key does now."""
    row = actions_of(type(node)).get(binding.action)
    now = _asked(performer(node, row.action), row.named) if row is not None and row.named else ""
    return now or binding.description


def performer(node: DOMNode, action: str) -> DOMNode:
    """Finds the widget whose method an action is: a pane of the page, or the widget itself."""
    row = actions_of(type(node)).get(action)
    return node.query_one(f"#{row.pane}") if row is not None and row.pane else node


def _asked(start: DOMNode, name: str) -> str:
    """Asks the innermost of a widget and all it lies in that knows; empty where none does."""
    for holder in start.ancestors_with_self:
        answer = getattr(holder, name, None)
        if answer is not None:
            return str(answer() if callable(answer) else answer)
    return ""


def named(scope: str, bindings: Iterable[BindingType]) -> list[BindingType]:
    """The bindings with a name each: the scope and the words of what it does."""
    return [_named(scope, binding) for binding in bindings]


def _named(scope: str, binding: BindingType) -> Binding:
    whole = binding if isinstance(binding, Binding) else Binding(*binding)
    return whole if whole.id else replace(whole, id=f"{scope}.{slug(whole.description)}")


def bindings(*tables: str) -> list[BindingType]:
    """The keys of a class, as the tables of `keys.toml` list them."""
    return [KeyAction(**{**row, "needs": tuple(row.get("needs", ()))}) for table in tables for row in _tables()[table]]


@cache
def _tables() -> Mapping[str, list[dict[str, Any]]]:
    return pattern_file("tui.keys", "keys.toml")


def scope_of(owner: type) -> str:
    """`approvals` for `ApprovalsPage`, or what the class says itself."""
    said = owner.__dict__.get("SCOPE")
    return said or slug(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub("(Page|Pane|View|Dialog)$", "", owner.__name__)))


def slug(words: str) -> str:
    """`Page down` → `page-down`."""
    return "-".join(re.findall(r"[a-z0-9]+", words.casefold()))
