"""Tells how likely a person's answer makes what an agent proposes hold, and is no half a yes (decision D44).

A linear model over both sentences, as `likely_kinds`; `tests/benchmarks/train_agreement.py` learns it.
"""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from engine.extraction.likely_kinds import ToldSentence, columns, probabilities, weights_of
from engine.text.encoder.encoder import TextEncoder, text_encoder

if TYPE_CHECKING:
    from engine.text.encoder.network import Floats

FILE = "likely_agreement.msgpack"
AGREED = 0.6
"""The least probability. With each language left out in turn, of 60 agreed proposals by two authors 40 are heard at
.6 and of 119 others 1 is; by the words of a yes and of a proposal 15 are heard."""


class AnsweredSentence(NamedTuple):
    """A sentence of an agent, and what the person answered."""

    proposed: str
    answer: str


def likely_agreements(pairs: Sequence[AnsweredSentence]) -> list[float]:
    """The probability of each pair; 0 where there is no encoder."""
    encoder = text_encoder() if pairs else None
    if not isinstance(encoder, TextEncoder):
        return [0.0] * len(pairs)
    return [round(float(row[1]), 3) for row in probabilities(pair_columns(pairs, encoder), weights_of(FILE))]


def pair_columns(pairs: Sequence[AnsweredSentence], encoder: TextEncoder) -> "Floats":
    """The columns of both sentences of each pair."""
    import numpy as np

    # An answer stands beside each of the last sentences before it: a text is encoded once.
    texts = list(dict.fromkeys(chain.from_iterable(pairs)))
    places = {text: at for at, text in enumerate(texts)}
    rows = columns([ToldSentence(one, one) for one in texts], encoder)
    found: Floats = np.hstack([rows[[places[text] for text in side]] for side in zip(*pairs, strict=True)])
    return found
