"""TF-IDF over the sentences of a whole batch, and how near each is to its own note's centre."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.models.language import HAN, HANGUL, KANA, STOP_WORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_ASCII_WORD = re.compile(r"[a-z0-9_]+")
_PIECE = re.compile(rf"[{HAN}{KANA}{HANGUL}]+|[^\W{HAN}{KANA}{HANGUL}]+")
_BIGRAMS_FROM = "\u3041"
DECIMALS = 9
"""Scores are rounded, so that the last bits of a sum never decide."""


def words(text: str) -> list[str]:
    """Lower-cased words; runs of Chinese, Japanese and Korean characters as overlapping pairs (decision D12)."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    found: list[str] = []
    for piece in _PIECE.findall(text.lower()):
        if piece[0] >= _BIGRAMS_FROM and len(piece) > 1:
            found += map("".join, zip(piece, piece[1:], strict=False))
        else:
            found.append(piece)
    return found


class Vectors:
    """Rows of a sparse, length-normalised matrix: entries `start[row]:start[row + 1]` of `columns` and `weights`."""

    def __init__(self, sentences: Sequence[str]) -> None:
        import numpy as np

        vocabulary: dict[str, int] = {}
        for language in sorted(STOP_WORDS):
            for word in sorted(STOP_WORDS[language]):
                vocabulary.setdefault(word, len(vocabulary))
        stop_words = len(vocabulary)
        flat: list[int] = []
        lengths: list[int] = []
        for sentence in sentences:
            found = words(sentence)
            lengths.append(len(found))
            flat += [vocabulary.setdefault(word, len(vocabulary)) for word in found]
        self.length: Ints = np.array(lengths, dtype=np.int64)
        self._fill(np.array(flat, dtype=np.int64), len(vocabulary), stop_words)

    def _fill(self, flat: "Ints", width: int, stop_words: int) -> None:
        import numpy as np

        count = len(self.length)
        keys = np.repeat(np.arange(count, dtype=np.int64), self.length) * width + flat
        keys, times = np.unique(keys[flat >= stop_words], return_counts=True)
        self.rows, self.columns = np.divmod(keys, max(width, 1))
        frequency = np.bincount(self.columns, minlength=width)
        inverse = np.log((1 + count) / (1 + frequency)) + 1
        raw = (1 + np.log(times)) * inverse[self.columns]
        norm = np.sqrt(np.bincount(self.rows, raw * raw, minlength=count))
        self.weights: Floats = raw / norm[self.rows]
        self.start: Ints = np.searchsorted(self.rows, np.arange(count + 1))

    def centrality(self, group: "Ints", row_weight: "Floats") -> "Floats":
        """Cosine of each row with the weighted centre of its group (a note), between 0 and 1."""
        import numpy as np

        width = int(self.columns.max(initial=0)) + 1
        keys, place = np.unique(group[self.rows] * width + self.columns, return_inverse=True)
        centre = np.bincount(place, self.weights * row_weight[self.rows], minlength=len(keys))
        size = np.sqrt(np.bincount(keys // width, centre * centre, minlength=int(group.max(initial=0)) + 1))
        dots = np.bincount(self.rows, self.weights * centre[place], minlength=len(self.length))
        norm = size[group]
        return np.round(np.divide(dots, norm, out=np.zeros_like(dots), where=norm > 0), DECIMALS)

    def likeness(self, picked: Sequence[int]) -> "Floats":
        """Cosine of each of the `picked` rows with each other."""
        import numpy as np

        spans = [np.arange(self.start[row], self.start[row + 1]) for row in picked]
        entries = np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)
        used, place = np.unique(self.columns[entries], return_inverse=True)
        dense = np.zeros((len(picked), len(used)))
        dense[np.repeat(np.arange(len(picked)), [len(span) for span in spans]), place] = self.weights[entries]
        # einsum sums in a fixed order; a BLAS product depends on threads.
        product: Any = np.einsum("ik,jk->ij", dense, dense)
        return np.round(product, DECIMALS)
