"""Tells how likely a sentence lasts and as which kind, beside the rules (decision D59): a linear model over encoder
layers and features of form. It adds what rules miss and removes false finds. A similar model tells whether an answer
agrees to an agent's proposal (decision D44). `tests/benchmarks/train_kinds.py` and `train_agreement.py` train them."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from engine.extraction.entry import EntryKind
from engine.extraction.own_words import OPENING_QUOTES, is_asked, is_own, without_quotations
from engine.extraction.words import pattern
from engine.models.cue_matcher import QUESTION_ENDS
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.text.pattern_file import source

if TYPE_CHECKING:
    from engine.text.encoder.network import Floats


FILE = "likely_kinds.msgpack"
LIKELY, LASTS, HEARD, HEARD_IN_TALK = 0.7, 0.5, 0.3, 0.05
"""Least probability of a kind that makes an entry without a rule; of any kind for an offer to a flush; and of any kind
below which a rule's find is dropped, in work on files and in talk, where rules hear better what people say in passing
("I live in Hamburg": 0.11). At 0.7, of 54 held-out statements of the first author 50 got the right kind, and 3 of 123
empty sentences any; of the second author's 136 of 182 and 34 of 667; at 0.6, 159 of 233 and 51."""
_FORM = 0.7  # factor of the signs of form beside the columns of the encoder, which have a variance of 1 in all
_SIGNS = tuple(
    re.compile(sign)
    for sign in (
        r"\d",
        r"(?<=[^.!?] )[A-ZÄÖÜ][\w-]+",
        r"!\s*$",
        r"[`/_]|\w\.\w",
        r"[:：]",
        r"[,，;；]",
        r"^[¡!]",
        r"^[a-zà-ÿа-я]",
    )
)
_QUOTES = re.compile(r'["“”„«»「」『』]')
_AROUND = (_QUOTES, re.compile(r"\n"))
_DOUBTS = ("rejected", "conditional", "doubt", "hearsay", "standing")


class ToldSentence(NamedTuple):
    """A sentence and its message."""

    text: str
    message: str


class KindWeights(msgspec.Struct, frozen=True):
    """Two bytes for each kind and column; the first kind means none."""

    kinds: list[str]
    bias: list[float]
    data: bytes


class LikelyKind(NamedTuple):
    """The likeliest kind of a sentence, its probability, and the probability of any kind."""

    kind: EntryKind
    probability: float = 1.0
    lasts: float = 1.0


LikelyKinds = Callable[[Sequence[ToldSentence]], Sequence[LikelyKind | None]]


def likely_kinds(statements: Sequence[ToldSentence]) -> list[LikelyKind | None]:
    """Returns the likeliest kind of each sentence; None for each without an encoder."""
    encoder = text_encoder() if statements else None
    if not isinstance(encoder, TextEncoder):
        return [None] * len(statements)
    known = weights_of(FILE)
    rows = probabilities(columns(statements, encoder), known)
    found = ((int(row[1:].argmax()) + 1, row) for row in rows)
    return [
        LikelyKind(EntryKind(known.kinds[at]), round(float(row[at]), 3), round(1 - float(row[0]), 3))
        for at, row in found
    ]


def columns(statements: Sequence[ToldSentence], encoder: TextEncoder) -> "Floats":
    """Returns the model's input for each sentence: encoder layers and features of form."""
    import numpy as np

    forms = np.array([_form(statement) for statement in statements], np.float32) * np.float32(_FORM)
    found: Floats = np.hstack([encoder.layers([statement.text for statement in statements]), forms])
    return found


def _form(one: ToldSentence) -> list[float]:
    text, around = one
    plain = without_quotations(text)
    is_short = text.isascii() and len(text.split()) < 4
    said = [plain.endswith(QUESTION_ENDS), is_asked(plain), plain.startswith(OPENING_QUOTES)]
    return [
        *(is_own(text), is_short, min(len(text), 300) / 100, *said, bool(_QUOTES.search(text))),
        *(bool(sign.search(text)) for sign in _SIGNS),
        *(bool(sign.search(around)) for sign in _AROUND),
        *(bool(pattern(f"doubt.{doubt}").search(plain)) for doubt in _DOUBTS),
    ]


def probabilities(rows: "Floats", known: KindWeights) -> "Floats":
    """Returns the probability of each kind for each row."""
    import numpy as np

    weights = np.frombuffer(known.data, np.float16).reshape(len(known.kinds), -1).astype(np.float32)
    raised = rows @ weights.T + np.asarray(known.bias, np.float32)
    raised = np.exp(raised - raised.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found


@cache
def weights_of(file: str) -> KindWeights:
    """Reads the weights in a file of this package."""
    return msgspec.msgpack.decode(source(__package__, file), type=KindWeights)


AGREEMENT_FILE = "likely_agreement.msgpack"
AGREED = 0.6
"""Least probability of an agreement. With each language held out, 0.6 finds 40 of 60 agreed proposals and 1 of 119
others; words of yes and proposal alone find 15."""


class AnsweredSentence(NamedTuple):
    """A sentence of an agent, and the person's answer."""

    proposed: str
    answer: str


def likely_agreements(pairs: Sequence[AnsweredSentence]) -> list[float]:
    """Returns the probability that each answer agrees; 0 for each without an encoder."""
    encoder = text_encoder() if pairs else None
    if not isinstance(encoder, TextEncoder):
        return [0.0] * len(pairs)
    return [round(float(row[1]), 3) for row in probabilities(pair_columns(pairs, encoder), weights_of(AGREEMENT_FILE))]


def pair_columns(pairs: Sequence[AnsweredSentence], encoder: TextEncoder) -> "Floats":
    """Returns the columns of both sentences of each pair."""
    import numpy as np

    # An answer stands beside each of the last sentences before it: a text is encoded once.
    texts = list(dict.fromkeys(chain.from_iterable(pairs)))
    places = {text: at for at, text in enumerate(texts)}
    rows = columns([ToldSentence(text, text) for text in texts], encoder)
    found: Floats = np.hstack([rows[[places[text] for text in side]] for side in zip(*pairs, strict=True)])
    return found
