"""Tells how likely a later statement says another value of what an earlier one says, where no word says so (D61).

Only a mark beside a line follows from it, never a change of memory: it finds about six of ten, and may be wrong.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

import msgspec

from engine.text.encoder.encoder import TextEncoder
from engine.text.pattern_file import converted, toml_file

if TYPE_CHECKING:
    from engine.text.encoder.network import Floats

_WORD, _HAN = re.compile(r"[^\W_]+"), re.compile(r"[\u4e00-\u9fff]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_UNIT = re.compile(r"\d\s*([^\W\d_]{1,6}|[%€$£])|([€$£])\s*\d")
_DIGIT = re.compile(r"\d")
_LAYERS = (0, 512, 832, 1344, 1856)
"""The places at which the vector of a text and the three layers before it begin and end."""
_HEAD, _MOST_SHARED, _MOST_ASKED = 5, 6, 3
"""Letters by which words are the same; words shared with each other, and with the message, that count at most."""


class PairWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weight of each sign: cosines of four layers, shared words and letters, numbers, questions, and how near both
    are to what was asked."""

    bias: float
    cosine: float
    first: float
    mean: float
    head: float
    shared_least: float
    shared_all: float
    shared: float
    letters: float
    both_numbers: float
    one_number: float
    unit: float
    shape: float
    later_asks: float
    earlier_asks: float
    asked: float
    asked_mean: float
    asked_words: float


@cache
def _weights() -> tuple[float, ...]:
    where = "engine/extraction/statement_pairs.toml"
    return msgspec.structs.astuple(converted(toml_file(__package__, "statement_pairs.toml"), PairWeights, where))


_KNOWN: dict[str, "Floats"] = {}
"""The layers of texts, 8 kB each: the next message of a session recalls many of the same."""
_MOST_KNOWN = 1024


def _layers(encoder: TextEncoder, texts: Sequence[str]) -> list["Floats"]:
    """The layers of each text; those that are not known yet are read together: one by one takes much longer."""
    known = dict(_KNOWN)
    new = [text for text in dict.fromkeys(texts) if text not in known]
    known |= dict(zip(new, encoder.layers(new), strict=True)) if new else {}
    if len(known) > _MOST_KNOWN:
        _KNOWN.clear()
    _KNOWN.update({text: known[text] for text in texts})
    return [known[text] for text in texts]


class _Signs(msgspec.Struct, frozen=True):
    """The signs of one statement."""

    words: frozenset[str]
    letters: Counter[str]
    norm: float
    numbers: bool
    units: frozenset[str]
    shapes: frozenset[str]
    asks: bool


class StatementPairs:
    """Statements whose pairs are asked about, beside a message; each is read once."""

    def __init__(self, encoder: TextEncoder, texts: Sequence[str], message: str) -> None:
        import numpy as np

        found = np.stack(_layers(encoder, (*texts, message)))
        parts = (found[:, first:last] for first, last in pairwise(_LAYERS))
        unit = [part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-9) for part in parts]
        self._cosines: list[Floats] = [part @ part.T for part in unit]
        self._signs, self._asked = [_signs(text) for text in texts], _signs(message).words

    def odds(self, earlier: int, later: int) -> float:
        """The logarithm of the odds, rounded to three places, since a vector differs by 2e-7 with others beside it."""
        bias, *weights = _weights()
        signs = zip(weights, self.signs(earlier, later), strict=True)
        return round(bias + sum(weight * sign for weight, sign in signs), 3)

    def signs(self, earlier: int, later: int) -> tuple[float, ...]:
        """The signs of a pair, in the order of their weights."""
        near = (float(each[earlier, later]) for each in self._cosines)
        asked = (float(min(each[-1, earlier], each[-1, later])) for each in (self._cosines[0], self._cosines[2]))
        words = (len(self._asked & self._signs[one].words) for one in (earlier, later))
        return (*near, *self._compared(earlier, later), *asked, float(min(*words, _MOST_ASKED)))

    def _compared(self, earlier: int, later: int) -> tuple[float, ...]:
        one, other = self._signs[earlier], self._signs[later]
        shared = len(one.words & other.words)
        alike = sum(count * other.letters[run] for run, count in one.letters.items() if run in other.letters)
        return (
            shared / max(1, min(len(one.words), len(other.words))),
            shared / max(1, len(one.words | other.words)),
            float(min(shared, _MOST_SHARED)),
            alike / max(1e-9, one.norm * other.norm),
            float(one.numbers and other.numbers),
            float(one.numbers != other.numbers),
            float(bool(one.units & other.units)),
            float(bool(one.shapes & other.shapes)),
            float(other.asks),
            float(one.asks),
        )


def _signs(text: str) -> _Signs:
    small, wide = text.casefold(), _HAN.findall(text)
    words = {word[:_HEAD] for word in _WORD.findall(_HAN.sub(" ", small)) if len(word) > 2}
    plain, size = " ".join(_WORD.findall(small)), 2 if wide else 4
    letters = Counter(plain[at : at + size] for at in range(len(plain) - size + 1))
    numbers = _NUMBER.findall(text)
    return _Signs(
        words=frozenset(words | {one + other for one, other in pairwise(wide)}),
        letters=letters,
        norm=sqrt(sum(count * count for count in letters.values())),
        numbers=bool(numbers),
        units=frozenset((one or other).casefold() for one, other in _UNIT.findall(text)),
        shapes=frozenset(_DIGIT.sub("9", number) for number in numbers),
        asks=text.rstrip().endswith(("?", "？")),
    )
