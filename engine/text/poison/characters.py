"""Poison in single characters: what cannot be seen, and letters of one script in the dress of another."""

import re
from collections.abc import Iterator

from engine.text.invisible import INVISIBLE

_HIDDEN = re.compile(f"[{INVISIBLE}]+")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_GREEK_OR_CYRILLIC = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_WIDE = re.compile("[\uff21-\uff3a\uff41-\uff5a]{3}|[\U0001d400-\U0001d7ff]{3}")


def hidden_runs(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each run of characters that cannot be seen; a byte order mark at the start is none."""
    for start, line in _foreign_lines(text):
        for match in _HIDDEN.finditer(line):
            if start or match.span() != (0, 1) or match[0] != "\ufeff":
                yield start + match.start(), start + match.end()


def look_alikes(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each word that mixes Latin with Greek or Cyrillic, or is written in wide or styled letters."""
    for start, line in _foreign_lines(text):
        if not (_GREEK_OR_CYRILLIC.search(line) or _WIDE.search(line)):
            continue
        for match in _WORD.finditer(line):
            word = match[0]
            if (_GREEK_OR_CYRILLIC.search(word) and _LATIN.search(word)) or _WIDE.search(word):
                yield start + match.start(), start + match.end()


def _foreign_lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line that is not ASCII alone, with the offset of its start."""
    start = 0
    for line in text.split("\n"):
        if not line.isascii():
            yield start, line
        start += len(line) + 1
