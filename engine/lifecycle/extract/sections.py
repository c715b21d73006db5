"""Adds entries to a section of a note: every byte that was there stays, and each entry knows its line."""

import re
from collections.abc import Sequence

_HEADING = re.compile(r"(#{1,6}) ")


def with_entries(text: str, section: str, rows: Sequence[str]) -> tuple[str, int]:
    """The text with rows at the end of a section, made at the end of the text where it is not there.

    Gives the number of the first row's line, from 1. `text` ends with a newline or is empty.
    """
    lines = text.splitlines(keepends=True)
    end = _end_of(lines, section)
    if end is None:
        lines += [*(["\n"] if lines and lines[-1].strip() else []), f"{section}\n"]
        end = len(lines)
    return "".join((*lines[:end], *(f"{row}\n" for row in rows), *lines[end:])), end + 1


def _end_of(lines: Sequence[str], section: str) -> int | None:
    """The index behind the last line of a section that is not blank; None where there is no such section."""
    level = section.index(" ")
    start = next((at for at, line in enumerate(lines) if line.rstrip() == section), None)
    if start is None:
        return None
    stop = len(lines)
    for at in range(start + 1, len(lines)):
        found = _HEADING.match(lines[at])
        if found is not None and len(found[1]) <= level:
            stop = at
            break
    while stop > start + 1 and not lines[stop - 1].strip():
        stop -= 1
    return stop
