"""Gives every key a name, such as `approvals.reject`, by which the operator's configuration can rebind it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from engine.text.pattern_file import pattern_file


class Keyed:
    """A widget whose keys have names; `SCOPE` is the part before the dot, else it follows from the class's name."""

    SCOPE: ClassVar[str] = ""

    def __init_subclass__(cls, **arguments: Any) -> None:
        if "BINDINGS" in cls.__dict__:
            cls.BINDINGS = named(scope_of(cls), cls.__dict__["BINDINGS"])
        super().__init_subclass__(**arguments)

    BINDINGS: ClassVar[list[BindingType]]


@cache
def places(kind: type) -> Mapping[str, int]:
    """Maps a widget's actions to their place among its bindings, those of the classes it is made of first. The toolkit
    goes by keys, so that a key of the base class given another meaning would keep the old one's place."""
    bindings = (binding for owner in reversed(kind.__mro__) for binding in owner.__dict__.get("BINDINGS", ()))
    actions = dict.fromkeys(binding.action for binding in bindings if isinstance(binding, Binding))
    return {action: number for number, action in enumerate(actions)}


def named(scope: str, bindings: Iterable[BindingType]) -> list[BindingType]:
    """The bindings with a name each: the scope and the words of what it does."""
    return [_named(scope, binding) for binding in bindings]


def _named(scope: str, binding: BindingType) -> Binding:
    whole = binding if isinstance(binding, Binding) else Binding(*binding)
    return whole if whole.id else replace(whole, id=f"{scope}.{slug(whole.description)}")


def bindings(*tables: str) -> list[BindingType]:
    """The keys of a class, as the tables of `keys.toml` list them."""
    return [Binding(**row) for table in tables for row in _tables()[table]]


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
