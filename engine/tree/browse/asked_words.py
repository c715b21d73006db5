"""The telling words of a question, and a quick look by which most texts are told not to hold them."""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from engine.tree.nodes.things import terms

_CHANGED = 2
"""Last letters of a stem that its word may have otherwise, as `happi` of `happy` and `die` of `dying`."""


class AskedWords:
    """Finds some stems in texts. Only lines that hold the beginning of one are cut into words."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self._begin = tuple(sorted(map(_beginning, self.keys)))

    def may_all_stand_in(self, text: str) -> bool:
        """Tells whether a text, folded, may hold all of the words."""
        return all(one in text for one in self._begin)

    def counts(self, text: str) -> Counter[str]:
        """Counts the words in a text."""
        found: Counter[str] = Counter()
        if any(one in folded(text) for one in self._begin):
            for line in text.split("\n"):
                here = folded(line)
                if any(one in here for one in self._begin):
                    found.update(key for key in _keys(line) if key in self.keys)
        return found


def _beginning(key: str) -> str:
    """The part of a stem that stands in all its words."""
    is_stemmed = key.isascii() and key[-1:].isalpha()
    return key[: max(1, len(key) - _CHANGED)] if is_stemmed else key


def folded(text: str) -> str:
    """The text in the letters in which stems are written."""
    return text.casefold().replace("’", "'")


@lru_cache(maxsize=16_384)
def _keys(line: str) -> tuple[str, ...]:
    return tuple(term.key for term in terms(line))
