"""TF-IDF over the sentences of a whole batch, and how near each is to its own note's centre. Its cutter is its own:
words are bytes, neither stemmed nor joined, with the ends of sentences among them in one stream, and the figures by
which sentences are chosen are tuned to that."""

import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import count, pairwise
from typing import TYPE_CHECKING

from engine.text.language import HAN, HANGUL, KANA
from engine.text.stop_words import SMALL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

DECIMALS = 9
"""Figures are rounded, so that the last bits of a sum never decide."""

_END = b"\x01"
"""Ends a sentence in the stream of words; no cleaned text holds it."""
_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]+")
_MARKS = str.maketrans(dict.fromkeys("“”„‘’«»–—…·•（）「」『』【】《》〈〉、。，；：？！　", " "))
# What is no letter, digit or part of a character outside ASCII becomes a blank: ten times faster than a pattern.
_WORD_BYTES = bytes(
    byte if byte in _END or byte >= 0x80 or chr(byte).isalnum() or byte == ord("_") else 0x20 for byte in range(256)
)


def words(text: str) -> list[bytes]:
    """Lower-cased words as UTF-8; runs of Chinese, Japanese and Korean as overlapping pairs (decision D12)."""
    text = text.lower()
    if not text.isascii():
        text = _WIDE.sub(_pairs, text).translate(_MARKS)
    return text.encode().translate(_WORD_BYTES).split()


def _pairs(run: re.Match[str]) -> str:
    text = run[0]
    return f" {' '.join(map(''.join, pairwise(text))) if len(text) > 1 else text} "


class SentenceVectors:
    """A sparse matrix with a row of length 1 per sentence: entry i has `row[i]`, `column[i]` and `weight[i]`. Entries
    are in the order of their rows; those of row r are `start[r]` to `start[r + 1]`."""

    def __init__(self, notes: Sequence[Sequence[str]]) -> None:
        """`notes` holds the cleaned sentences of each note."""
        import numpy as np

        vocabulary: defaultdict[bytes, int] = defaultdict(count().__next__)
        sentence_end = vocabulary[_END]
        for word in sorted(SMALL):
            vocabulary[word.encode()]
        first_word = len(vocabulary)
        flat = array("q")
        for sentences in notes:
            flat.extend(map(vocabulary.__getitem__, words(" \x01 ".join([*sentences, ""]))))
        tokens = np.frombuffer(flat, dtype=np.int64) if flat else np.zeros(0, dtype=np.int64)
        self.width = len(vocabulary)
        self.rows = sum(map(len, notes))
        ends = tokens == sentence_end
        row = np.cumsum(ends) - ends
        self.words: Ints = np.bincount(row[~ends], minlength=self.rows)
        telling = tokens >= first_word
        self.stop_words: Ints = self.words - np.bincount(row[telling], minlength=self.rows)
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
