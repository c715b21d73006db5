"""Finds the line of a transcript on which the words of an entry stand (decision D44)."""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from engine.extraction.entry import ExtractedEntry
from engine.text.transcript_marks import TURN, unescaped


class LocatedEntry(msgspec.Struct, frozen=True):
    """An entry, and the line of its transcript, from 1, on which its words stand; 0 where they stand on none."""

    entry: ExtractedEntry
    line: int


def located_entries(data: bytes, entries: Iterable[ExtractedEntry]) -> tuple[LocatedEntry, ...]:
    """The entries of a transcript of these bytes, without the texts of their turns, which it has."""
    lines = data.decode("utf-8", "replace").split("\n")
    brief = (replace(one, turn=replace(one.turn, text="", tool_calls=())) for one in entries)
    return tuple(LocatedEntry(one, quote_line(lines, one.turn.line, one.quote) or 0) for one in brief)


def quote_line(lines: Sequence[str], turn_line: int, quote: str) -> int | None:
    """The line, from 1, of the turn headed on `turn_line` that holds the quote word for word; None where none does."""
    for number, line in enumerate(lines[turn_line:], turn_line + 1):
        if TURN.match(line):
            break
        if quote in unescaped(line):
            return number
    return None


def turn_around(lines: Sequence[str], line: int) -> tuple[int, tuple[str, ...]]:
    """The lines of the turn that holds a line, both counted from 1, and the number of its heading."""
    first = next((at for at in range(min(line, len(lines)), 0, -1) if TURN.match(lines[at - 1])), 1)
    last = next((at for at in range(first + 1, len(lines) + 1) if TURN.match(lines[at - 1])), len(lines) + 1)
    turn = list(lines[first - 1 : last - 1])
    while turn and not turn[-1].strip():
        turn.pop()
    return first, tuple(turn)
