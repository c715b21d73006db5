"""Patterns found in a long text: one automaton finds the places where one could match, and only there each is tried."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import msgspec

from engine.text.poison.rules.table import RULES

_MEMORY = 64 << 20  # bytes; with less, RE2 keeps throwing its automaton away on hostile text
_BEFORE, _AFTER, _STEP = 800, 1200, 500
"""Bytes around a place that are tried, and the least way to the next place: no byte is tried more than five times."""
_LONGEST_CROSS = 48  # strings kept while those of neighbours are joined; more says little about a line
_RARE = 9  # bytes; beyond, a longer string is hardly rarer
_SHORTEST = 4  # bytes; shorter ones stand in most lines
_OPTIONS = 8  # characters of a class that are written out
_COMMON = frozenset(
    b"your user some they this these that from when then what with have line before show eres comme person people count"
    b" session while first such start word keep want around give always every".split()
)
"""Words that stand in so many lines that they tell nothing."""
Strings = frozenset[str]
_NOTHING: Strings = frozenset({""})


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
def _sources() -> tuple[tuple[int, str], ...]:
    return tuple((number, pattern) for number, rule in enumerate(RULES) for pattern in rule.expanded())


class Places(msgspec.Struct, frozen=True):
    """Each anchor with the numbers of the patterns that need it, and the patterns that have none. `sources` is the
    digest of the patterns that this was worked out for."""

    sources: str
    users: dict[str, tuple[int, ...]]
    free: tuple[int, ...]


def sources_digest() -> str:
    return sha256("\0".join(source for _, source in _sources()).encode()).hexdigest()


@lru_cache(maxsize=1)
def _automaton() -> _Automaton:
    """The automaton of all anchors. They are worked out beforehand (anchors.json), which saves half a second of CPU."""
    import re2

    known = msgspec.json.decode(files(__package__).joinpath("rules/anchors.json").read_bytes(), type=Places)
    if known.sources != sources_digest():
        known = worked_out()
    # Sorted, so that RE2 joins equal beginnings: without that its automaton does not fit into memory.
    places = re2.compile("|".join(map(re.escape, sorted(known.users))).encode(), _options(folded=False))
    gate = re2.compile("|".join(_sources()[number][1] for number in known.free).encode(), _options())
    return _Automaton(places, {word.encode(): numbers for word, numbers in known.users.items()}, gate, known.free)


def worked_out() -> Places:
    """The anchors of the patterns as they are now."""
    needed = [anchors(source) for _, source in _sources()]
    words = _shortest(word for each in needed for word in each)
    users: dict[str, list[int]] = {word: [] for word in words}
    for number, each in enumerate(needed):
        for word in words:
            if any(word in anchor for anchor in each):
                users[word].append(number)
    free = tuple(number for number, each in enumerate(needed) if not each)
    return Places(sources_digest(), {word: tuple(numbers) for word, numbers in sorted(users.items())}, free)


def _shortest(words: Iterable[str]) -> list[str]:
    """Words that hold no other: whoever looks for a place needs no more."""
    kept: list[str] = []
    for word in sorted(set(words), key=lambda word: (len(word), word)):
        if not any(other in word for other in kept):
            kept.append(word)
    return kept


@cache
def _pattern(number: int) -> tuple[int, Any]:
    import re2

    rule, source = _sources()[number]
    return rule, re2.compile(source.encode(), _options())


def _options(*, folded: bool = True) -> Any:
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.case_sensitive = not folded
    return options


def anchors(pattern: str) -> Strings:
    """Lower-case strings of which every match of `pattern` holds one; empty if all are short or common."""
    _, best = _sequence(re._parser.parse(pattern))  # type: ignore[attr-defined]
    return frozenset(word.lower() for word in best) if _worth(best) >= _SHORTEST else frozenset()


def _worth(strings: Strings) -> int:
    """The length of the shortest: a rough measure of how rare a line with one of them is."""
    return min((2 if word.encode() in _COMMON else len(word.encode()) for word in strings), default=0)


def _better(one: Strings, other: Strings) -> Strings:
    return max(one, other, key=lambda strings: (min(_worth(strings), _RARE), -len(strings)))


def _sequence(nodes: Iterable[tuple[Any, Any]]) -> tuple[Strings | None, Strings]:
    """All that the nodes can match in a row, if that is little, and the best set that any match must hold one of."""
    current, best, whole = _NOTHING, _NOTHING, True
    for operation, value in nodes:
        exact, needed = _node(str(operation), value)
        if exact is not None and len(current) * len(exact) <= _LONGEST_CROSS:
            current = frozenset(before + after for before in current for after in exact)
            continue
        best, whole = _better(best, current), False
        if exact is None:
            best = _better(best, needed)
        current = _NOTHING if exact is None else exact
    return (current if whole else None), _better(best, current)


def _node(operation: str, value: Any) -> tuple[Strings | None, Strings]:
    match operation:
        case "LITERAL":
            return frozenset({chr(value)}), _NOTHING
        case "AT":
            return _NOTHING, _NOTHING
        case "IN":
            return _class(value), _NOTHING
        case "SUBPATTERN":
            return _sequence(value[3])
        case "BRANCH":
            return _branches([_sequence(branch) for branch in value[1]])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return _repeat(*value)
        case _:
            return None, _NOTHING


def _class(members: list[tuple[Any, Any]]) -> Strings | None:
    chars: set[str] = set()
    for operation, value in members:
        if str(operation) == "LITERAL":
            chars.add(chr(value))
        elif str(operation) == "RANGE" and value[1] - value[0] < _OPTIONS:
            chars.update(map(chr, range(value[0], value[1] + 1)))
        else:
            return None
    return frozenset(chars) if len(chars) <= _OPTIONS else None


def _branches(found: list[tuple[Strings | None, Strings]]) -> tuple[Strings | None, Strings]:
    """One of several: exact if all are, and what is needed is one of what each needs."""
    needed = [best if exact is None else _better(best, exact) for exact, best in found]
    exacts = [exact for exact, _ in found if exact is not None]
    exact = frozenset().union(*exacts) if len(exacts) == len(found) else None
    return exact, frozenset().union(*needed)


def _repeat(least: int, most: int, nodes: Any) -> tuple[Strings | None, Strings]:
    exact, needed = _sequence(nodes)
    # With it or without it, so the empty string is one of the choices.
    if (least, most) == (0, 1) and exact is not None:
        return exact | _NOTHING, _NOTHING
    if least == most == 1:
        return exact, needed
    return None, (_better(needed, exact or _NOTHING) if least else _NOTHING)
