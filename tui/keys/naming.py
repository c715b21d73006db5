"""Declares actions by names such as `approvals.reject`: their keys, words, needs, and the pane that performs each."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from textual.binding import Binding, BindingType
from textual.dom import DOMNode

from tui.keys.catalog import rows


@dataclass(frozen=True)
class KeyAction(Binding):
    """The keys of one action with its words; footer, `?`, palette, docs and refusals all read it."""

    needs: tuple[str, ...] = ()  # conditions, asked in this order of `lacks_NAME` on the widget or whatever it lies in
    pane: str = ""  # the id of the pane that carries it out, where that is not the widget itself
    named: str = ""
    """The attribute of the widget, or of one around it, that names what the key does now; empty for the usual words."""
    palette: bool = True  # false for what moves or opens a menu: in a list of commands it would only be in the way


@cache
def actions_of(kind: type) -> Mapping[str, KeyAction]:
    """Lists a widget's actions in the order of the footer, those of base classes first, not sorted by keys."""
    rows = [row for owner in reversed(kind.__mro__) for row in owner.__dict__.get("BINDINGS", ())]
    return {row.action: row for row in rows if isinstance(row, KeyAction)}


def why_not(node: DOMNode, action: str) -> str:
    """Says why an action would do nothing now; empty if it would do something."""
    row = actions_of(type(node)).get(action)
    if row is None or not row.needs:
        return ""
    start = performer(node, action)
    return next(filter(None, (_asked(start, f"lacks_{need}") for need in row.needs)), "")


def words_of(node: DOMNode, binding: Binding) -> str:
    """Returns the words for what a key does now."""
    row = actions_of(type(node)).get(binding.action)
    now = _asked(performer(node, row.action), row.named) if row is not None and row.named else ""
    return now or binding.description


def performer(node: DOMNode, action: str) -> DOMNode:
    """Returns the widget that performs an action: a pane of the page, or the widget itself."""
    row = actions_of(type(node)).get(action)
    return node.query_one(f"#{row.pane}") if row is not None and row.pane else node


def _asked(start: DOMNode, name: str) -> str:
    """Returns the answer of the innermost widget that has the attribute `name`; empty if none has."""
    for holder in start.ancestors_with_self:
        if (answer := getattr(holder, name, None)) is not None:
            return str(answer() if callable(answer) else answer)
    return ""


def bindings(scope: str) -> list[BindingType]:
    """Returns the keys of a scope as bindings for a widget."""
    return [KeyAction(**{**row, "needs": tuple(row.get("needs", ()))}) for row in rows(scope)]
