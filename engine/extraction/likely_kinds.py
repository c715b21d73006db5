"""Tells which kind of lasting statement a person's sentence is likely to be, where no rule hears one.

A linear model over the encoder's vector and a few signs of form; `tests/benchmarks/train_kinds.py` learns it. It knows
sixteen languages, and where the rules know nothing of the language an entry is an offer until it is very sure.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from engine.extraction.entry import EntryKind
from engine.extraction.own_words import is_own
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.text.language import language_of
from engine.text.stop_words import ENGLISH, GERMAN

if TYPE_CHECKING:
    from engine.text.encoder.network import Floats

FILE = "likely_kinds.msgpack"
LIKELY, OFFERED, SURE = 0.8, 0.6, 0.9
"""The least probability of a kind: with the first a statement is an entry. In a language that rules do not know it is
an offer from the second on, and an entry from the third. With .8, of 188 that were said of left-out authors' sentences
173 were of the right kind, and of 416 of chats, orders and work that hold nothing none came through; .7: 223 of 254.
"""
_LASTS = 0.5
"""The least probability of no kind at which a sentence is no offer to a flush: of 290 statements by a second author the
judge hears 155 and with offers 243; of 209 of their turns that hold nothing 18 have one."""
VECTOR, FORM = 3.0, 0.3
"""Factors of the two kinds of columns: the larger, the more freely their weights grow."""
_KNOWN_SHARE = 0.2
"""The share of stop words from which on a sentence is English or German, and not another language of Latin letters."""
_WORDS = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_FORMS = tuple(
    re.compile(one) for one in (r"\d", r"(?<=[^.!?] )[A-ZÄÖÜ][\w-]+", r"!\s*$", r"[`/_]|\w\.\w", r"[:：]", r"[,，;；]")
)


class KindWeights(msgspec.Struct, frozen=True):
    """A byte for each kind and column, with what a byte weighs; the first kind is none."""

    kinds: list[str]
    bias: list[float]
    step: float
    data: bytes


class LikelyKind(NamedTuple):
    """The kind of a sentence; an offer waits for the operator's word."""

    kind: EntryKind
    is_offer: bool = False


LikelyKinds = Callable[[Sequence[str]], Sequence[LikelyKind | None]]


def likely_kinds(sentences: Sequence[str], *, offers: bool = False) -> list[LikelyKind | None]:
    """The likely kind of each sentence, None where it holds nothing or where there is no encoder.

    With `offers` each that lasts more likely than not is one, whatever its kind: a flush loses nothing (decision B26).
    """
    encoder = text_encoder() if sentences else None
    if not isinstance(encoder, TextEncoder):
        return [None] * len(sentences)
    known = _weights()
    rows = probabilities(columns(sentences, encoder), known)
    found = ((int(row[1:].argmax()) + 1, row) for row in rows)
    likely = [(EntryKind(known.kinds[at]), round(float(row[at]), 3)) for at, row in found]
    told = [_judged(one, *each) for one, each in zip(sentences, likely, strict=True)]
    lasts = (offers and float(row[0]) < _LASTS for row in rows)
    return [
        one or (LikelyKind(kind, is_offer=True) if some else None)
        for one, some, (kind, _) in zip(told, lasts, likely, strict=True)
    ]


def _judged(sentence: str, kind: EntryKind, probability: float) -> LikelyKind | None:
    if knows_language(sentence):
        return LikelyKind(kind) if probability >= LIKELY else None
    return LikelyKind(kind, is_offer=probability < SURE) if probability >= OFFERED else None


def knows_language(sentence: str) -> bool:
    """Tells whether rules know the language of a sentence: English and German by stop words, others by their script."""
    if language_of(sentence) not in ("en", "de"):
        return True
    words = _WORDS.findall(sentence.lower())
    spoken = sum(one in ENGLISH or one in GERMAN for one in words)
    return bool(_LATIN.search(sentence)) and spoken >= _KNOWN_SHARE * len(words)


def columns(sentences: Sequence[str], encoder: TextEncoder) -> "Floats":
    """The columns that are weighed for each sentence: its vector, and the signs of its form."""
    import numpy as np

    forms = np.array([_form(one) for one in sentences], np.float32) * np.float32(FORM)
    found: Floats = np.hstack([encoder.encode(sentences) * np.float32(VECTOR), forms])
    return found


def _form(sentence: str) -> list[float]:
    is_short = sentence.isascii() and len(sentence.split()) < 4
    return [is_own(sentence), is_short, min(len(sentence), 300) / 100, *(bool(one.search(sentence)) for one in _FORMS)]


def probabilities(rows: "Floats", known: KindWeights) -> "Floats":
    """The probability of each kind for each row."""
    import numpy as np

    weights = np.frombuffer(known.data, np.int8).reshape(len(known.kinds), -1) * np.float32(known.step)
    raised = rows @ weights.T + np.asarray(known.bias, np.float32)
    raised = np.exp(raised - raised.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found


@lru_cache(maxsize=1)
def _weights() -> KindWeights:
    return msgspec.msgpack.decode(files(__package__).joinpath(FILE).read_bytes(), type=KindWeights)
