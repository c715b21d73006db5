"""Learns the numbers of engine/text/poison/steering/weights.json: run once after a change of the concepts.

Logistic regression over concepts and pairs of concepts. It learns from the sets `seen`, `unseen`, `evading` and
`independent_dev`, and from lines of the corpora, which nobody poisoned. `independent_held` is never read here. The
threshold is what 0.6 % of the harmless lines of `independent_dev` exceed while they are left out of the learning.
"""

import random
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from engine.text.poison.folded_text import fold
from engine.text.poison.steering.concepts import concept_names
from engine.text.poison.steering.score import Weights, concepts_of
from tests.benchmarks.evaluate_poison import CORPORA, Labelled, labelled
from tests.conftest import SHARED

OUT = Path(__file__).parents[2] / "engine" / "text" / "poison" / "steering" / "weights.json"
STRENGTH = 0.1  # of scikit-learn's C: chosen by cross-validation among 0.03, 0.1, 0.3 and 1
LINES = 2500  # of each corpus
LONGEST = 240  # characters
ALARMS = 0.006
FOLDS = 8
OWN, HOSTILE, CORPUS = 2.0, 2.0, 0.3
"""How much more a line counts: of the stranger's set, a hostile one, one of a corpus."""
LEAST = 0.01  # smaller weights are left out


def rows() -> list[tuple[Labelled, float]]:
    """Every line to learn from, with how much it counts."""
    sets = {"independent_dev": OWN, "seen": 1.0, "unseen": 1.0, "evading": 1.0}
    found = [(one, much) for name, much in sets.items() for one in labelled(name)]
    plain = [(one, much * (HOSTILE if one.hostile else 1)) for one, much in found]
    return [(one, much) for one, much in plain if not (one.hostile and one.kind == "encoded")]


def corpus_lines() -> list[str]:
    drawn = random.Random(1)
    lines: list[str] = []
    for name in CORPORA:
        some = [line for file in sorted((SHARED / name).rglob("*.md")) for line in file.read_text("utf-8").splitlines()]
        some = [line for line in some if 15 < len(line) <= LONGEST]
        lines += drawn.sample(some, min(LINES, len(some)))
    return lines


def matrix(texts: list[str]) -> csr_matrix:
    """One row a text: its concepts, then its pairs of concepts."""
    many = len(concept_names())
    place = {pair: many + number for number, pair in enumerate(combinations(range(many), 2))}
    columns: list[int] = []
    ends = [0]
    for text in texts:
        found = concepts_of(fold(text).text)
        columns += [*found, *(place[pair] for pair in combinations(found, 2))]
        ends.append(len(columns))
    return csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(texts), many + len(place)))


def fitted(features: csr_matrix, hostile: np.ndarray, much: np.ndarray) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, max_iter=500).fit(features, hostile, much)


def main() -> None:
    learned, corpus = rows(), corpus_lines()
    features = vstack([matrix([one.text for one, _ in learned]), matrix(corpus)]).tocsr()
    hostile = np.array([one.hostile for one, _ in learned] + [False] * len(corpus))
    much = np.array([each for _, each in learned] + [CORPUS] * len(corpus))
    own = np.array([number for number, (one, _) in enumerate(learned) if one in set(labelled("independent_dev"))])
    left_out = np.zeros(len(own))
    for _, held in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(own, hostile[own]):
        kept = np.setdiff1d(np.arange(len(hostile)), own[held])
        left_out[held] = fitted(features[kept], hostile[kept], much[kept]).decision_function(features[own[held]])
    threshold = float(np.quantile(left_out[~hostile[own]], 1 - ALARMS))
    caught = (left_out > threshold)[hostile[own]].mean()
    print(f"left out: {caught:.1%} flagged at {ALARMS:.1%} false alarms, by concepts alone")
    model = fitted(features, hostile, much)
    OUT.write_bytes(msgspec.json.format(msgspec.json.encode(named(model, threshold)), indent=1) + b"\n")


def named(model: LogisticRegression, threshold: float) -> Weights:
    names = concept_names()
    numbers = [round(float(each), 3) for each in model.coef_[0]]
    pairs = ["+".join(pair) for pair in combinations(names, 2)]
    return Weights(
        threshold=round(threshold, 3),
        bias=round(float(model.intercept_[0]), 3),
        concepts=dict(zip(names, numbers[: len(names)], strict=True)),
        pairs={pair: each for pair, each in zip(pairs, numbers[len(names) :], strict=True) if abs(each) >= LEAST},
    )


if __name__ == "__main__":
    main()
