"""Compares a policy of `--policy` with the operator's own, which it may only narrow (decisions A27, G19). Every key
has a rule in `narrowing.toml`: less may run, be kept before a warning, leave this machine or be spent."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from engine.errors import Damaged
from engine.plans.policy.values import Policy
from engine.text.pattern_file import pattern_file
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact


class NarrowingRule(msgspec.Struct, frozen=True):
    """The rule for a key's value beside the operator's own: in words, and as a test."""

    words: str
    holds: Callable[[Any, Any], bool]  # takes the file's value and the operator's


class WiderValue(msgspec.Struct, frozen=True):
    """A dotted key that a file would widen, with the file's value and the operator's."""

    key: str
    value: Any
    own: Any
    words: str

    def line(self) -> str:
        return f"`{self.key}` is {_shown(self.value)}, the operator's own is {_shown(self.own)}"


def _in_order(*values: str) -> NarrowingRule:
    words = "the same, or one before it in: " + ", ".join(values)
    return NarrowingRule(words, lambda value, own: values.index(value) <= values.index(own))


_RULES = {
    "at most": NarrowingRule("the same or less", lambda value, own: value <= own),
    "at least": NarrowingRule("the same or more", lambda value, own: value >= own),
    "same": NarrowingRule("the same", lambda value, own: value == own),
    "same or none": NarrowingRule("the same or nothing", lambda value, own: not value or value == own),
    "only off": NarrowingRule("the same or false", lambda value, own: own or not value),
    "some": NarrowingRule("the same or some of it", lambda value, own: set(value) <= set(own)),
    "more": NarrowingRule("the same or more of it", lambda value, own: set(value) >= set(own)),
    "some pairs": NarrowingRule("the same or some of it", lambda value, own: value.items() <= own.items()),
    "no other sender": NarrowingRule(
        "the same, static or none", lambda value, own: value in ("none", "static") or value == own
    ),
    "any": NarrowingRule("anything", lambda _value, _own: True),
}
SAID_ANEW: Final = frozenset({"approval.auto"})
"""Keys that a `--policy` file must set itself: what runs by itself must be allowed twice."""


@cache
def narrowing_rules() -> Mapping[str, NarrowingRule]:
    """Gives the rule of each dotted key; `Damaged` for an unknown rule."""
    table = pattern_file(__package__, "narrowing.toml")
    for key, rule in table.items():
        if not isinstance(rule, list) and rule not in _RULES:
            raise Damaged(f"`{key}`: there is no rule `{rule}`", where="narrowing.toml")
    return {key: _in_order(*rule) if isinstance(rule, list) else _RULES[rule] for key, rule in table.items()}


def combined(own: Policy, chosen: Policy, keys: Collection[str]) -> Policy:
    """Gives the operator's policy with the values of a file's `keys`."""
    made: Policy = _combined(own, chosen, frozenset(keys) | SAID_ANEW, "")
    return made


def _combined(own: Any, chosen: Any, taken: frozenset[str], prefix: str) -> Any:
    values = {}
    for field in msgspec.structs.fields(own):
        key, mine, theirs = f"{prefix}{field.name}", getattr(own, field.name), getattr(chosen, field.name)
        if isinstance(mine, msgspec.Struct):
            values[field.name] = _combined(mine, theirs, taken, f"{key}.")
        else:
            values[field.name] = theirs if key in taken else mine
    return msgspec.structs.replace(own, **values)


def wider_values(own: Policy, chosen: Policy) -> Iterator[WiderValue]:
    """Yields every key in which `chosen` is wider than the operator's own policy, in the order of the table."""
    for key, rule in narrowing_rules().items():
        value, mine = value_of(chosen, key), value_of(own, key)
        if not rule.holds(value, mine):
            yield WiderValue(key, value, mine, rule.words)


def value_of(policy: Policy, key: str) -> Any:
    value: Any = policy
    for name in key.split("."):
        value = getattr(value, name)
    return value


def _shown(value: Any) -> str:
    return visible_line(redact(msgspec.json.encode(value).decode()))
