"""Patterns found in a long text: one automaton finds the places where one could match, and only there each is tried."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

import msgspec

from engine.text.pattern_file import made_of, re2_options, source
from engine.text.poison.rules.table import RULES

_MEMORY = 64 << 20  # bytes; with less, RE2 keeps throwing its automaton away on hostile text
_BEFORE, _AFTER, _STEP = 800, 1200, 500
"""Bytes around a place that are tried, and the least way to the next place: no byte is tried more than five times."""


class Match(msgspec.Struct, frozen=True, order=True):
    """Bytes `start` to `end` that a pattern of the rule numbered `rule` matched."""

    start: int
    end: int
    rule: int


class _Automaton(msgspec.Struct, frozen=True):
    """`places` finds every anchor, `users` are the patterns of each; `free` have none, `gate` finds any of those."""

    places: Any
    users: dict[bytes, tuple[int, ...]]
    gate: Any
    free: tuple[int, ...]


def matches(data: bytes) -> Iterator[Match]:
    """All matches in `data`; those of one rule may overlap."""
    automaton = _automaton()
    if automaton.gate.search(data):
        for number in automaton.free:
            yield from _tried(number, data, 0, len(data))
    tried: dict[int, int] = {}
    for number, start, end in _windows(automaton, data.lower()):
        if tried.get(number) != start:
            tried[number] = start
            yield from _tried(number, data, start, end)


def _windows(automaton: _Automaton, lowered: bytes) -> Iterator[tuple[int, int, int]]:
    """A pattern, and start and end of the piece in which to try it: from the line above an anchor to the line below."""
    at = bottom = 0
    start = end = -1
    while found := automaton.places.search(lowered, at):
        first, last = found.span()
        if first >= bottom:
            start, bottom, end = _piece(lowered, first, last)
        for number in automaton.users[lowered[first:last]]:
            yield number, start, end
        at = first + 1


def _piece(data: bytes, first: int, last: int) -> tuple[int, int, int]:
    """Start of the line above, end of the line itself, end of the line below; each not far away."""
    line = data.rfind(b"\n", max(0, first - _BEFORE), first)
    start = data.rfind(b"\n", max(0, first - _BEFORE), line) + 1 if line > 0 else 0
    start = max(start, first - _BEFORE, 0)
    bottom = data.find(b"\n", last, first + _STEP)
    if bottom < 0:
        return start, max(last, first + _STEP), min(len(data), first + _AFTER)
    below = data.find(b"\n", bottom + 1, first + _AFTER)
    return start, bottom, below if below >= 0 else min(len(data), first + _AFTER)


def _tried(number: int, data: bytes, start: int, end: int) -> Iterator[Match]:
    rule, pattern = _pattern(number)
    for match in pattern.finditer(data[start:end]):
        yield Match(match.start() + start, match.end() + start, rule)


@lru_cache(maxsize=1)
def sources() -> tuple[tuple[int, str], ...]:
    """Every pattern as RE2 takes it, with the number of its rule."""
    return tuple((number, pattern) for number, rule in enumerate(RULES) for pattern in rule.expanded())


class Places(msgspec.Struct, frozen=True):
    """Each anchor with the numbers of the patterns that need it, and the patterns that have none. `sources` is the
    digest of the patterns that this was worked out for."""

    sources: str
    users: dict[str, tuple[int, ...]]
    free: tuple[int, ...]


def sources_digest() -> str:
    """The digest of all patterns."""
    return sha256("\0".join(source for _, source in sources()).encode()).hexdigest()


@lru_cache(maxsize=1)
def _automaton() -> _Automaton:
    """The automaton of all anchors, which `tests.benchmarks.write_anchors` works out beforehand (anchors.json).

    Of a table that somebody edited since each pattern is tried on the whole text, which finds the same, more slowly.
    """
    import re2

    known = msgspec.json.decode(source(__package__, "rules/anchors.json"), type=Places)
    if known.sources != sources_digest():
        return _Automaton(re2.compile(b"$^"), {}, re2.compile(b""), tuple(range(len(sources()))))
    # Sorted, so that RE2 joins equal beginnings: without that its automaton does not fit into memory.
    places = re2.compile("|".join(map(re.escape, sorted(known.users))).encode(), re2_options(_MEMORY))
    gate = re2.compile(
        "|".join(sources()[number][1] for number in known.free).encode(), re2_options(_MEMORY, fold=True)
    )
    return _Automaton(places, {word.encode(): numbers for word, numbers in known.users.items()}, gate, known.free)


@cache
def _pattern(number: int) -> tuple[int, Any]:
    import re2

    rule, source = sources()[number]
    options, where = re2_options(_MEMORY, fold=True), "engine/text/poison/rules"
    return rule, made_of(lambda text: re2.compile(text.encode(), options), source, where, RULES[rule].name, re2.error)
