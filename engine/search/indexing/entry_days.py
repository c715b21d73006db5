"""Finds the days of the entries in a chunk: a date that heads a line, or that stands in brackets at its end. A date in
the middle of a line is what the line speaks of, not the day it was written."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice

from engine.search.indexing.chunks import Chunk

MOST = 64  # days that are kept of one chunk: a table of dates is about none of them
_DAY = re.compile(r"(?<![0-9A-Za-z-])([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9A-Za-z-])")
_BEFORE = re.compile(r"[\s#>*+|(\[_`~-]*(?:[0-9]{1,3}[.)] +)?[(\[_*`]*")
"""Marks before an entry's date: of lists, headings, quotes and tables, and a number."""
_BEHIND = re.compile(r"[)\]]\W*")
_FURTHEST = 24  # characters between a date and either end of its line, beyond which it is not looked at


def entry_days(chunk: Chunk) -> tuple[date, ...]:
    """The days of a chunk's entries, and that of the innermost heading with a date; in order, without repeats."""
    above = next((day for name in reversed(chunk.headings) for day in _days(name)), None)
    found = {*_days(chunk.text), *((above,) if above is not None else ())}
    return tuple(islice(sorted(found), MOST))


def _days(text: str) -> Iterator[date]:
    """Looks only at what stands around each date, since most lines have none."""
    for found in _DAY.finditer(text) if "-0" in text or "-1" in text else ():  # every month begins so
        if _heads(text, found.start()) or _ends(text, found.start(), found.end()):
            yield from _day(found[1])


def _heads(text: str, start: int) -> bool:
    """Tells whether only marks stand before it on its line."""
    line = text.rfind("\n", max(0, start - _FURTHEST), start) + 1
    return bool(line or start <= _FURTHEST) and _BEFORE.fullmatch(text, line, start) is not None


def _ends(text: str, start: int, end: int) -> bool:
    """Tells whether it stands in brackets at the end of its line."""
    rest = text[end : end + _FURTHEST].split("\n", 1)[0]
    return text[max(0, start - 1) : start] in ("(", "[") and _BEHIND.fullmatch(rest) is not None


def _day(text: str) -> tuple[date, ...]:
    try:
        return (date.fromisoformat(text),)
    except ValueError:
        return ()
