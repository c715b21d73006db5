"""Chooses sentences without repeats."""

import re
from collections.abc import Sequence
from itertools import islice, pairwise

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

SAME = 0.8  # share of character pairs from which two sentences say the same
_CODE = re.compile("`[^`]+`")  # what differs in a command or a path is not the same
_CLOSE = 60  # likeness by edits, 0 to 100, below which two sentences are not compared by their pairs


class Taken:
    """The sentences taken for one note; refuses one that repeats another."""

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self._texts: list[str] = []

    def take(self, row: int, text: str) -> bool:
        """Adds a sentence and returns True, unless it or a similar one was added before."""
        if row in self.rows:
            return False
        # One call into C finds the few that are close enough to be looked at.
        close = extract(text, self._texts, scorer=ratio, score_cutoff=_CLOSE, limit=None)
        named = _CODE.findall(text)
        if any(_same_pairs(text, other) and named == _CODE.findall(other) for other, _, _ in close):
            return False
        self.rows.add(row)
        self._texts.append(text)
        return True

    def take_best(self, rows: Sequence[int], texts: Sequence[str], count: int) -> list[int]:
        """Adds up to `count` of `rows` in their order, and returns them."""
        return list(islice((row for row in rows if self.take(row, texts[row])), count))


def says_the_same(one: str, other: str) -> bool:
    """Tells whether two texts share `SAME` of their character pairs."""
    return ratio(one, other) >= _CLOSE and _same_pairs(one, other)


def _same_pairs(one: str, other: str) -> bool:
    pairs, others = _pairs(one.casefold()), _pairs(other.casefold())
    return 2 * len(pairs & others) >= SAME * (len(pairs) + len(others))


def _pairs(text: str) -> frozenset[str]:
    return frozenset(map("".join, pairwise(text)))
