"""Learns engine/extraction/likely_kinds.msgpack: run once after a change of the sets or of what is weighed.

A multinomial logistic regression, so that each kind, and none, has a probability. Whole sources are left out in turn,
for one author's sentences are alike: what is printed for each is what the others teach of it. Sentences of real chats
are known by a hash alone (`read_sentences.tsv`), since the data sets are no part of the project; one reader labelled
them strictly and left out what is open to argument. Orders of CLINC150 and messages of real work hold nothing.
With `judge` nothing is written. The part `held` of the judged sets is never read here.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression

from engine.extraction.entry import EntryKind
from engine.extraction.likely_kinds import FILE, LIKELY, KindWeights, ToldSentence, columns, probabilities
from engine.extraction.own_words import statements
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.text.encoder.network import DIMENSIONS, LAYERS
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from tests.benchmarks.corpora.judged import items
from tests.benchmarks.evaluate_extraction import CORPORA, CORPUS, FURTHER, LETTERS, labelled
from tests.benchmarks.extraction_halves import half
from tests.conftest import SHARED

OUT = Path(__file__).parents[2] / "engine" / "extraction" / FILE
READ, TAUGHT = CORPORA / "read_sentences.tsv", CORPORA / "taught_sentences.tsv"
NONE = "none"
KINDS = [NONE, *sorted(kind.value for kind in EntryKind)]
MUCH = {"orders": 0.3, "chats": 0.8}
"""How much a sentence of a source counts, where it is not 1."""
STRENGTH = 3.0  # of scikit-learn's C: 1, 3 and 10 were tried on left-out sources
SPREAD = 1.5  # of each layer of the encoder, all its columns together: 1.5, 3 and 5 were tried
BLOCKS = (DIMENSIONS, DIMENSIONS + 320, LAYERS - 512, LAYERS)
"""The ends of the layers among the columns."""
ORDERS = 500
FOLDS = ("first", "second", "taught", "varied", "further", "labelled", "real", "chats", "work", "orders")
"""Sources that are left out by turns, each as one author wrote it."""


class KindRow(NamedTuple):
    """A sentence in its message, its kind, and those that are right too."""

    source: str
    said: ToldSentence
    kind: str
    right: frozenset[str]
    language: str = ""


def sentences(text: str) -> list[ToldSentence]:
    return [ToldSentence(one, text) for one in statements(text)]


def rows() -> Iterator[KindRow]:
    for source, corpus in (("labelled", CORPUS), ("further", FURTHER)):
        for one in labelled(corpus):
            yield from _of_turn(source, one.turn, one.kinds, frozenset())
    for real in (False, True):
        for judging in (False, True):
            for each in half(judging=judging, real=real):
                yield from _of_turn("real" if real else "varied", each.turn, each.kinds, each.too)
    for author, sign in (("first", ""), ("second", "2")):
        for item in (*items("choose", f"statements{sign}"), *items("choose", f"hard_negatives{sign}")):
            yield from _of_item(author, item)
    letters = {letter: kind.value for letter, kind in LETTERS.items()} | {"-": NONE}
    for line in TAUGHT.read_text("utf-8").splitlines()[1:]:
        language, letter, text = line.split("\t")
        longest = max(sentences(text), key=lambda one: len(one.text), default=ToldSentence(text, text))
        yield KindRow("taught", longest, letters[letter], frozenset({letters[letter]}), language)
    if SHARED.is_dir():
        yield from _of_shared(letters)


def _of_turn(
    source: str, turn: SessionTurn, kinds: frozenset[EntryKind], too: frozenset[EntryKind]
) -> Iterator[KindRow]:
    """The sentences of a labelled turn: of several it is not known which one holds what."""
    said = sentences(turn.text) if turn.role is Speaker.USER else []
    right = frozenset(kind.value for kind in kinds | too)
    if not kinds or len(said) == 1:
        yield from (KindRow(source, one, min(kinds, default=NONE), right) for one in said)


def _of_item(author: str, item: dict[str, object]) -> Iterator[KindRow]:
    entries = [one for one in item.get("entries", ()) if one["grade"] == "stated"]  # type: ignore[attr-defined]
    for turn in item["turns"]:  # type: ignore[attr-defined]
        for said in sentences(turn["text"]) if turn["role"] == "user" else ():
            held = [one for one in entries if one["quote"] in said.text or said.text.rstrip(".!。") in one["quote"]]
            kind, *_ = [one["kind"] for one in held] or [NONE]
            right = frozenset(kind for one in held for kind in (one["kind"], *one.get("or", ())))
            yield KindRow(author, said, kind, right, str(item["lang"]))


def _of_shared(letters: Mapping[str, str]) -> Iterator[KindRow]:
    for line in READ.read_text("utf-8").splitlines():
        path, known, letter = line.split("\t")
        told = (one for row in (SHARED / path).read_text("utf-8").splitlines() for one in sentences(row))
        said = next((one for one in told if hashed(one.text) == known), None)
        if said is not None:
            yield KindRow("chats", said, letters[letter], frozenset({letters[letter]}))
    for file in sorted(SHARED.glob("sessions/*/*-real*/expected.json")):
        texts = [text for one in json.loads(file.read_bytes())["sessions"] for text in one.get("user_texts", ())]
        yield from (KindRow("work", one, NONE, frozenset()) for text in texts for one in sentences(text))
    orders = (SHARED / "clinc150/messages.jsonl").read_text("utf-8").splitlines()
    texts = sorted((json.loads(line)["text"] for line in orders), key=hashed)[:ORDERS]
    yield from (KindRow("orders", one, NONE, frozenset()) for text in texts for one in sentences(text))


def hashed(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()


def scaled_weights(
    features: np.ndarray, answers: Sequence[int], much: Sequence[float] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The weights and the biases, learnt with each layer of the encoder in one spread and scaled back."""
    middle, scale = np.zeros(features.shape[1]), np.ones(features.shape[1])
    sides = features.shape[1] // LAYERS  # a pair has the columns of two sentences
    for side in range(sides):
        first = side * (features.shape[1] // sides)
        for start, end in pairwise((first, *(first + one for one in BLOCKS))):
            middle[start:end] = features[:, start:end].mean(axis=0)
            scale[start:end] = SPREAD / (features[:, start:end].std(axis=0) + 1e-6) / np.sqrt(end - start)
    fitted = LogisticRegression(C=STRENGTH, max_iter=120, tol=1e-3)
    fitted.fit((features - middle) * scale, answers, sample_weight=much)
    weights = (fitted.coef_ * scale).astype(np.float16).astype(float)
    return weights, fitted.intercept_ - weights @ middle


def learned(features: np.ndarray, found: Sequence[KindRow]) -> KindWeights:
    much = [MUCH.get(one.source, 1.0) for one in found]
    kinds = sorted({KINDS.index(one.kind) for one in found})
    weights, bias = scaled_weights(features, [KINDS.index(one.kind) for one in found], much)
    rounded = [round(float(one), 4) for one in bias]
    return KindWeights([KINDS[at] for at in kinds], rounded, weights.astype(np.float16).tobytes())


def told(features: np.ndarray, found: Sequence[KindRow]) -> None:
    """Prints, by left-out authors and by left-out languages, what the model of the others says of them."""
    languages = sorted({one.language for one in found if one.source == "second"})
    for fold in FOLDS:
        _told(fold, np.array([one.source == fold for one in found]), features, found)
    for language in languages:
        apart = np.array([one.language == language for one in found])
        _told(f"second, {language}", apart, features, found, np.array([one.source == "second" for one in found]))


def _told(
    name: str, apart: np.ndarray, features: np.ndarray, found: Sequence[KindRow], of: np.ndarray | None = None
) -> None:
    if not apart.any():
        return
    known = learned(features[~apart], [one for one, left in zip(found, apart, strict=True) if not left])
    judged = apart if of is None else apart & of
    rows = np.round(probabilities(features[judged], known), 3)
    at = rows[:, 1:].argmax(axis=1) + 1
    mine = [one for one, left in zip(found, judged, strict=True) if left]
    said = [(one, known.kinds[kind]) for one, kind, row in zip(mine, at, rows, strict=True) if row[kind] >= LIKELY]
    right, lasting = sum(kind in one.right for one, kind in said), sum(one.kind != NONE for one in mine)
    wrong = sum(one.kind == NONE and kind not in one.right for one, kind in said)
    print(f"{name:<12} right {right} of {len(said)} said, of {lasting} that last; "
          f"of {len(mine) - lasting} that hold nothing {wrong} came through", flush=True)  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    encoder = text_encoder()
    if not isinstance(encoder, TextEncoder):
        raise SystemExit(encoder.reason)
    found = list(rows())
    features = columns([one.said for one in found], encoder)
    if "judge" in arguments:
        told(features, found)
    else:
        OUT.write_bytes(msgspec.msgpack.encode(learned(features, found)))
        print(f"{OUT.name}: {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
