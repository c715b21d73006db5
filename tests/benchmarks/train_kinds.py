"""Learns engine/extraction/likely_kinds.msgpack: run once after a change of the sets or of what is weighed.

A multinomial logistic regression, so that each kind, and none, has a probability. Whole sources are left out in turn,
for one author's sentences are alike: what is printed for each is what the others teach of it. Sentences of real chats
are known by a hash alone (`read_sentences.tsv`), since the data sets are no part of the project; one reader labelled
them strictly and left out what is open to argument. Orders of CLINC150 and messages of real work hold nothing.
With `judge` nothing is written. The part `held` of the judged sets is never read here.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression

from engine.extraction.entry import EntryKind, TranscriptTurn
from engine.extraction.likely_kinds import FILE, LIKELY, KindWeights, columns, probabilities
from engine.extraction.sentence_rules import unheard_statements
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.text.transcript_marks import Speaker
from tests.benchmarks.corpora.judged import items
from tests.benchmarks.evaluate_extraction import AT, CORPORA, CORPUS, FURTHER, LETTERS, labelled
from tests.benchmarks.extraction_halves import half
from tests.conftest import SHARED

OUT = Path(__file__).parents[2] / "engine" / "extraction" / FILE
READ = CORPORA / "read_sentences.tsv"
NONE = "none"
KINDS = [NONE, *sorted(kind.value for kind in EntryKind)]
MUCH = {"orders": 0.3, "chats": 0.8}
"""How much a sentence of a source counts, where it is not 1."""
STRENGTH = 3.0  # of scikit-learn's C: 1, 3 and 10 were tried on left-out sources
ORDERS = 500
FOLDS = (("choose", "hard"), ("varied",), ("further",), ("labelled",), ("real",), ("chats",), ("work",), ("orders",))
"""Sources that are left out together, as one author wrote them."""


class KindRow(NamedTuple):
    """A sentence that passes the judge's gates, its kind, and those that are right too."""

    source: str
    text: str
    kind: str
    right: frozenset[str]


def sentences(text: str) -> list[str]:
    turn = TranscriptTurn(path="x.md", line=1, session="s", role=Speaker.USER, text=text, at=AT)
    return list(unheard_statements(turn, ()))


def rows() -> Iterator[KindRow]:
    for source, corpus in (("labelled", CORPUS), ("further", FURTHER)):
        for one in labelled(corpus):
            yield from _of_turn(source, one.turn, one.kinds, frozenset())
    for real in (False, True):
        for judging in (False, True):
            for each in half(judging=judging, real=real):
                yield from _of_turn("real" if real else "varied", each.turn, each.kinds, each.too)
    for item in (*items("choose", "statements"), *items("choose", "hard_negatives")):
        yield from _of_item(item)
    if SHARED.is_dir():
        yield from _of_shared()


def _of_turn(
    source: str, turn: TranscriptTurn, kinds: frozenset[EntryKind], too: frozenset[EntryKind]
) -> Iterator[KindRow]:
    """The sentences of a labelled turn: of several it is not known which one holds what."""
    said = sentences(turn.text) if turn.role is Speaker.USER else []
    right = frozenset(kind.value for kind in kinds | too)
    if not kinds or len(said) == 1:
        yield from (KindRow(source, one, min(kinds, default=NONE), right) for one in said)


def _of_item(item: dict[str, object]) -> Iterator[KindRow]:
    entries = [one for one in item.get("entries", ()) if one["grade"] == "stated"]  # type: ignore[attr-defined]
    for turn in item["turns"]:  # type: ignore[attr-defined]
        for said in sentences(turn["text"]) if turn["role"] == "user" else ():
            held = [one for one in entries if one["quote"] in said or said in one["quote"]]
            kind, *_ = [one["kind"] for one in held] or [NONE]
            right = frozenset(kind for one in held for kind in (one["kind"], *one.get("or", ())))
            yield KindRow("choose" if "entries" in item else "hard", said, kind, right)


def _of_shared() -> Iterator[KindRow]:
    letters = {letter: kind.value for letter, kind in LETTERS.items()} | {"-": NONE}
    for line in READ.read_text("utf-8").splitlines():
        path, known, letter = line.split("\t")
        told = (one for row in (SHARED / path).read_text("utf-8").splitlines() for one in sentences(row))
        text = next((one for one in told if hashed(one) == known), None)
        if text is not None:
            yield KindRow("chats", text, letters[letter], frozenset({letters[letter]}))
    for file in sorted(SHARED.glob("sessions/*/*-real*/expected.json")):
        texts = [text for one in json.loads(file.read_bytes())["sessions"] for text in one.get("user_texts", ())]
        yield from (KindRow("work", one, NONE, frozenset()) for text in texts for one in sentences(text))
    orders = (SHARED / "clinc150/messages.jsonl").read_text("utf-8").splitlines()
    texts = sorted((json.loads(line)["text"] for line in orders), key=hashed)[:ORDERS]
    yield from (KindRow("orders", one, NONE, frozenset()) for text in texts for one in sentences(text))


def hashed(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()


def learned(features: np.ndarray, found: Sequence[KindRow]) -> KindWeights:
    much = [MUCH.get(one.source, 1.0) for one in found]
    fitted = LogisticRegression(C=STRENGTH, max_iter=1000)
    fitted.fit(features, [KINDS.index(one.kind) for one in found], sample_weight=much)
    step = float(np.abs(fitted.coef_).max()) / 127
    data = np.round(fitted.coef_ / step).astype(np.int8).tobytes()
    return KindWeights(
        [KINDS[at] for at in fitted.classes_], [round(float(one), 4) for one in fitted.intercept_], step, data
    )


def told(features: np.ndarray, found: Sequence[KindRow]) -> None:
    """Prints, by left-out sources, what the model of the others says of them from `LIKELY` on."""
    for fold in FOLDS:
        own = np.array([one.source in fold for one in found])
        if not own.any():
            continue
        known = learned(features[~own], [one for one, left in zip(found, own, strict=True) if not left])
        rows = np.round(probabilities(features[own], known), 3)
        at = rows[:, 1:].argmax(axis=1) + 1
        mine = [one for one, left in zip(found, own, strict=True) if left]
        said = [(one, known.kinds[kind]) for one, kind, row in zip(mine, at, rows, strict=True) if row[kind] >= LIKELY]
        right, lasting = sum(kind in one.right for one, kind in said), sum(one.kind != NONE for one in mine)
        wrong = sum(one.kind == NONE and kind not in one.right for one, kind in said)
        print(f"{'+'.join(fold):<12} right {right} of {len(said)} said, of {lasting} that last; "
              f"of {len(mine) - lasting} that hold nothing {wrong} came through")  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    encoder = text_encoder()
    if not isinstance(encoder, TextEncoder):
        raise SystemExit(encoder.reason)
    found = list(rows())
    features = columns([one.text for one in found], encoder)
    told(features, found)
    if "judge" not in arguments:
        OUT.write_bytes(msgspec.msgpack.encode(learned(features, found)))
        print(f"{OUT.name}: {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
