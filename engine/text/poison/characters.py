"""Poison in single characters: what cannot be seen, and letters of one script in the dress of another."""

import re
from collections.abc import Iterator

from engine.text.invisible import INVISIBLE
from engine.text.joiners import is_spelling
from engine.text.poison.folded_text import LIKE_LATIN

_HIDDEN = re.compile(f"[{INVISIBLE}]+")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_LIKE_LATIN = re.compile(f"[{LIKE_LATIN}]")  # Ω and Σ look like no Latin letter: kΩ is a unit
_WIDE = re.compile("[\uff21-\uff3a\uff41-\uff5a]{3}|[\U0001d400-\U0001d7ff]{3}")
_RADICAL = re.compile("[\u2e80-\u2fdf]+")  # parts of Chinese signs, which read as whole ones
_DISGUISE = re.compile(f"[{LIKE_LATIN}\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\u2e80-\u2fdf]")


def hidden_runs(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each run of characters that cannot be seen. A byte order mark at the start is none, nor are
    joiners and direction marks that are spelling (decision G31)."""
    for match in _HIDDEN.finditer(text):
        is_mark = match.span() == (0, 1) and match[0] == "\ufeff"
        if not is_mark and not all(is_spelling(text, at) for at in range(*match.span())):
            yield match.span()


def look_alikes(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each word that mixes Latin with Greek or Cyrillic, or is in wide, styled or part letters."""
    if not _DISGUISE.search(text):
        return
    for start, line in _foreign_lines(text):
        if not _DISGUISE.search(line):
            continue
        for match in _WORD.finditer(line):
            # A word in one script alone is an honest Greek or Russian word.
            if (_LIKE_LATIN.search(match[0]) and _LATIN.search(match[0])) or _WIDE.search(match[0]):
                yield start + match.start(), start + match.end()
        for match in _RADICAL.finditer(line):
            yield start + match.start(), start + match.end()


def _foreign_lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        if not line.isascii():
            yield start, line
        start += len(line) + 1
