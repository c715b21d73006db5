"""Finds the line of a transcript on which the words of an entry stand (decision D44)."""

from collections.abc import Sequence

from engine.text.transcript_marks import TURN, unescaped


def quote_line(lines: Sequence[str], turn_line: int, quote: str) -> int | None:
    """The line, from 1, of the turn headed on `turn_line` that holds the quote word for word; None where none does."""
    for number, line in enumerate(lines[turn_line:], turn_line + 1):
        if TURN.match(line):
            break
        if quote in unescaped(line):
            return number
    return None
