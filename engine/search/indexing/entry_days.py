"""Finds the days of the entries in a chunk: a date that heads a line, or that stands in brackets at its end.

A date in the middle of a line is what the line speaks of, not the day it was written.
"""

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice

from engine.search.indexing.chunks import Chunk

MOST = 64
"""Days that are kept of one chunk: a table of dates is about none of them."""
_DAY = r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
_ANY = re.compile(_DAY)
_FIRST = re.compile(rf"[\s#>*+|(\[_`~-]*(?:[0-9]{{1,3}}[.)] +)?[(\[_*`]*{_DAY}(?![0-9A-Za-z-])")
_LAST = re.compile(rf"[(\[]{_DAY}[)\]]\W*\Z")


def entry_days(chunk: Chunk) -> tuple[date, ...]:
    """The days of a chunk's entries, and that of the innermost heading with a date; in order, without repeats."""
    heading = next((day for name in reversed(chunk.headings) if (day := _day(_FIRST.match(name)))), None)
    if heading is None and _ANY.search(chunk.text) is None:
        return ()
    found = {day for line in chunk.text.split("\n") for day in _days(line)}
    return tuple(islice(sorted(found | ({heading} if heading is not None else set())), MOST))


def _days(line: str) -> Iterator[date]:
    for found in (_FIRST.match(line), _LAST.search(line) if line.rstrip()[-1:] in (")", "]", ".") else None):
        if (day := _day(found)) is not None:
            yield day


def _day(found: "re.Match[str] | None") -> date | None:
    try:
        return date.fromisoformat(found[1]) if found is not None else None
    except ValueError:
        return None
