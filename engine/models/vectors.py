"""TF-IDF over the sentences of a whole batch, and how near each is to its own note's centre."""

import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import count, pairwise
from typing import TYPE_CHECKING

from engine.models.language import ENGLISH, GERMAN, HAN, HANGUL, KANA

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

DECIMALS = 9
"""Figures are rounded, so that the last bits of a sum never decide."""

_END = "\n"
_ASCII_WORD = re.compile(r"[a-z0-9_]+|\n")
_WORD = re.compile(r"\w+|\n")
_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]")
_PIECE = re.compile(rf"[{HAN}{KANA}{HANGUL}]+|[^\W{HAN}{KANA}{HANGUL}]+|\n")
_WIDE_FROM = "\u3041"


def words(text: str) -> list[str]:
    """Lower-cased words, and each line end; Chinese, Japanese and Korean runs as overlapping pairs (decision D12)."""
    text = text.lower()
    if text.isascii():
        return _ASCII_WORD.findall(text)
    if not _WIDE.search(text):
        return _WORD.findall(text)
    found: list[str] = []
    for piece in _PIECE.findall(text):
        if piece[0] >= _WIDE_FROM and len(piece) > 1:
            found += map("".join, pairwise(piece))
        else:
            found.append(piece)
    return found


class Vectors:
    """A sparse matrix with a row of length 1 per sentence: entry i has `row[i]`, `column[i]` and `weight[i]`.

    Entries are in the order of their rows; those of row r are `start[r]` to `start[r + 1]`.
    """

    def __init__(self, notes: Sequence[Sequence[str]]) -> None:
        """`notes` holds the sentences of each note, none with a line end in it."""
        import numpy as np

        vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        line_end = vocabulary[_END]
        for word in sorted(ENGLISH | GERMAN):
            vocabulary[word]
        first_word = len(vocabulary)
        flat = array("q")
        for sentences in notes:
            flat.extend(map(vocabulary.__getitem__, words("".join([sentence + _END for sentence in sentences]))))
        tokens = np.frombuffer(flat, dtype=np.int64) if flat else np.zeros(0, dtype=np.int64)
        self.width = len(vocabulary)
        self.rows = sum(map(len, notes))
        ends = tokens == line_end
        row = np.cumsum(ends) - ends
        self.words: Ints = np.bincount(row[~ends], minlength=self.rows)
        telling = tokens >= first_word
        self._weigh(row[telling] * self.width + tokens[telling])

    def _weigh(self, keys: "Ints") -> None:
        import numpy as np

        keys, times = np.unique(keys, return_counts=True)
        self.row, self.column = np.divmod(keys, self.width)
        frequency = np.bincount(self.column, minlength=self.width)
        rarity = np.log((1 + self.rows) / (1 + frequency)) + 1
        raw = (1 + np.log(times)) * rarity[self.column]
        size = np.sqrt(np.bincount(self.row, raw * raw, minlength=self.rows))
        self.weight: Floats = raw / size[self.row]
        self.start: Ints = np.searchsorted(self.row, np.arange(self.rows + 1))

    def centrality(self, note: "Ints", row_weight: "Floats") -> "Floats":
        """Cosine of each row with the weighted centre of its `note`, between 0 and 1."""
        import numpy as np

        keys, self.place = np.unique(note[self.row] * self.width + self.column, return_inverse=True)
        centre = np.bincount(self.place, self.weight * row_weight[self.row], minlength=len(keys))
        size = np.sqrt(np.bincount(keys // self.width, centre * centre, minlength=int(note.max(initial=0)) + 1))
        dots = np.bincount(self.row, self.weight * centre[self.place], minlength=self.rows)
        found: Floats = np.round(dots / np.maximum(size[note], 1e-12), DECIMALS)
        return found
