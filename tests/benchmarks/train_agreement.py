"""Learns engine/extraction/likely_agreement.msgpack from the judged sets' part `choose`, leaving out languages.

With `judge` nothing is written.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from engine.extraction import likely_kinds
from engine.extraction.likely_kinds import AGREED, AnsweredSentence, KindWeights, pair_columns, probabilities
from engine.extraction.own_words import statements
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.text.transcript_marks import Speaker
from tests.benchmarks.corpora.judged import items
from tests.benchmarks.train_kinds import scaled_weights

OUT = Path(likely_kinds.__file__).with_name(likely_kinds.AGREEMENT_FILE)
SETS = ("statements", "statements2", "hard_negatives", "hard_negatives2")


class LabelledPair(NamedTuple):
    """A sentence of an agent with the last answer of its item, and whether that makes it hold."""

    item: str
    language: str
    pair: AnsweredSentence
    agreed: bool


def rows() -> Iterator[LabelledPair]:
    for item in (one for name in SETS for one in items("choose", name)):
        *before, last = item["turns"]
        quotes = [one["quote"] for one in item.get("entries", ()) if one["grade"] == "confirmed"]
        for turn in before if last["role"] == "user" else ():
            for one in statements(turn["text"], Speaker.AGENT) if turn["role"] == "agent" else ():
                held = any(quote in one or one.rstrip(".?！。？") in quote for quote in quotes)
                if held or not quotes:
                    yield LabelledPair(item["id"], item["lang"], AnsweredSentence(one, last["text"]), held)


def learned(features: np.ndarray, found: Sequence[LabelledPair]) -> KindWeights:
    weights, bias = scaled_weights(features, [one.agreed for one in found])
    both = np.vstack([-weights[0] / 2, weights[0] / 2]).astype(np.float16)
    return KindWeights(["none", "decision"], [-float(bias[0]) / 2, float(bias[0]) / 2], both.tobytes())


def main(arguments: Sequence[str]) -> None:
    encoder = text_encoder()
    assert isinstance(encoder, TextEncoder)
    found = list(rows())
    features = pair_columns([one.pair for one in found], encoder)
    heard = np.zeros(len(found))
    for language in {one.language for one in found}:
        apart = np.array([one.language == language for one in found])
        known = learned(features[~apart], [one for one in found if one.language != language])
        heard[apart] = probabilities(features[apart], known)[:, 1]
    for least in (AGREED - 0.1, AGREED, AGREED + 0.1):
        told = [{one.item for one, p in zip(found, heard, strict=True) if one.agreed is is_so and p >= least}
                for is_so in (True, False)]  # fmt: skip
        every = [len({one.item for one in found if one.agreed is is_so}) for is_so in (True, False)]
        print(f"from {least:.1f} on: agreed {len(told[0])} of {every[0]}, of others {len(told[1])} of {every[1]}")
    if "judge" not in arguments:
        OUT.write_bytes(msgspec.msgpack.encode(learned(features, found)))


if __name__ == "__main__":
    main(sys.argv[1:])
