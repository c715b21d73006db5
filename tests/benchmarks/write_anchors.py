"""Works out the strings of which every match of a poison rule holds one, and writes them to anchors.json.

Run it after a change of the patterns (a test says when): `python -m tests.benchmarks.write_anchors`.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from engine.text.poison.classifier import Places, sources, sources_digest

OUT = Path(__file__).parents[2] / "engine" / "text" / "poison" / "rules" / "anchors.json"
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


def main() -> None:
    OUT.write_bytes(msgspec.json.encode(worked_out()).replace(b"],", b"],\n") + b"\n")


def worked_out() -> Places:
    """The anchors of the patterns as they are now."""
    needed = [anchors(source) for _, source in sources()]
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


if __name__ == "__main__":
    main()
