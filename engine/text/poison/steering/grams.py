"""Hashes the character runs and words of a sentence, equally on every platform. Cuts words itself: the classifier's
weights were trained with signs and zeros as words, unlike `engine.text.words`."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any
from zlib import crc32

BITS = 18  # bits of a gram's place in its table of weights: 262,144 places of a byte
LENGTHS = (2, 3, 4, 5)  # characters of a run
_APART = 4  # words between the two of a pair, at most
# FNV's prime, the golden ratio, 32 bits: the weights were learnt with them.
_FACTOR, _SPREAD, _ALL = 0x01000193, 0x9E3779B1, 0xFFFFFFFF
_SHIFT = 32 - BITS  # a product's highest bits are mixed best
_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+|[\u3400-\u9fff]|0+|[^\w\s]")
_SAME = str.maketrans("123456789\n\t\r", "000000000   ")


def plain(folded: str) -> str:
    """Lower-cases folded text, keeping its length; all digits become 0, all blanks a space."""
    return folded.lower().translate(_SAME)


def runs(text: str) -> Iterator[tuple[int, Any]]:
    """Yields for each length the hashes of the runs at each character, with a blank at both ends."""
    import numpy as np

    codes = np.frombuffer(f" {text} ".encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
    rolled = codes
    for length in range(2, LENGTHS[-1] + 1):
        rolled = rolled[:-1] * np.uint32(_FACTOR) + codes[length - 1 :]
        yield length, (rolled ^ np.uint32(length * _FACTOR & _ALL)) * np.uint32(_SPREAD) >> np.uint32(_SHIFT)


def run_count(length: Any) -> Any:
    """Returns the number of runs in a plain text of `length` characters, at least three; accepts arrays."""
    return len(LENGTHS) * (length + 3) - sum(LENGTHS)


def words(text: str) -> tuple[str, ...]:
    """Returns the words and marks of a plain text; a Chinese character is a word."""
    return tuple(_WORD.findall(text))


def word_numbers(found: tuple[str, ...]) -> list[int]:
    """Returns hashes of words, then of adjacent pairs, then of near pairs."""
    codes = [crc32(word.encode("utf-8", "surrogatepass")) for word in found]
    singles = ((1, code) for code in codes)
    pairs = (
        (min(far, 2) + 1, first * _FACTOR + second)
        for far in range(1, _APART + 1)
        for first, second in zip(codes, codes[far:], strict=False)
    )
    return [((code ^ kind * _FACTOR) * _SPREAD & _ALL) >> _SHIFT for kind, code in chain(singles, pairs)]
