"""Counts events that recur, and tells routines from single events (C32)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from engine.workspace.dates import parse_day

_CHANGING = re.compile(r"\b(?:[0-9a-f]{7,40}|(?=[a-f]*\d)[0-9a-f]{6})\b|(?<!\w)\d[\d.,:/-]*(?:[^\W\d_]{1,2}\b)?")
"""Matches a hash or a number with its unit, which differ between repeats; a name such as `part7` does not."""
_FOLDED = re.compile(r" \((?P<many>\d{1,6})\+? times(?:, (?P<first>\d{4}-\d\d-\d\d) to \d{4}-\d\d-\d\d)?\)\Z")
SHOWN_TIMES = 3  # times from which a line says how often it came; two of them are a second telling
ROUTINE_TIMES = 5  # times from which an event that comes again, but for one word, is a routine
_MOST_WORDS = 16  # words of an event that are compared, but for one


def shape(text: str) -> str:
    """Replaces numbers and hashes, so that repeats of a routine are equal; semicolons become commas as in nodes."""
    return _CHANGING.sub("#", text.casefold().replace(";", ","))


def with_count(text: str, times: int, first: date, last: date, *, at_least: bool) -> str:
    """Adds to an event its count, first and last day. `at_least`: the sources may have omitted some."""
    if times < SHOWN_TIMES:
        return text
    days = f", {first} to {last}" if first < last else ""
    return f"{text} ({times}{'+' if at_least else ''} times{days})"


def read_count(text: str) -> tuple[str, int, date | None]:
    """Splits an event of a node into its text, its count and its first day, None if not stated."""
    if (found := _FOLDED.search(text)) is None:
        return text, 1, None
    return text[: found.start()], int(found["many"]), parse_day(found["first"]) if found["first"] else None


class Repeats:
    """Counts events by their shape, and by their shape without any one word."""

    def __init__(self, told: Iterable[tuple[str, int]]) -> None:
        self._counts: Counter[int] = Counter()
        for text, times in told:
            for key in _keys(text):
                self._counts[key] += times

    def is_routine(self, text: str) -> bool:
        """Tells whether an event occurred at least `ROUTINE_TIMES` times, in words that differ in one at most."""
        return any(self._counts[key] >= ROUTINE_TIMES for key in _keys(text))

    def comes_again(self, text: str) -> bool:
        """Tells whether an event occurred at least `SHOWN_TIMES` times in the same words."""
        return self._counts[next(_keys(text))] >= SHOWN_TIMES


def _keys(text: str) -> Iterator[int]:
    words: Sequence[str] = shape(text).split()
    yield hash(tuple(words))
    if 2 < len(words) <= _MOST_WORDS:
        yield from (hash((*words[:place], "", *words[place + 1 :])) for place in range(len(words)))
