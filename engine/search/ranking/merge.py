"""Merges a file's scores by words and by vectors into one (decision D8). The weights are in `ranking.weights`; what was
tried without a gain is in `docs/quality.md`. Questions in sentences share few words with their answers: there a file is
scored by its best stretch, its whole text, its best chunk and the cosine. If some chunk has every word of the query,
words in that chunk decide."""

from collections.abc import Callable, Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]

KEYWORD_REST, KEYWORD_COSINE = 0.05, 0.002
"""The weight of the rest of the file if a chunk has every word, and the cosine if that is equal too."""


class FileEvidence(msgspec.Struct, frozen=True):
    """Per file, as shares of the largest: BM25 of the best chunk, and of stretch, file and chunk together. `cosine`:
    the best one, all zero without vectors. `complete`: some chunk has every word."""

    best: Floats
    told: Floats
    cosine: Floats
    complete: bool
    weight: float  # the weight of this embedder's cosine against the words


class ScoreParts(msgspec.Struct, frozen=True):
    """Per file: the parts of its score by words and by meaning."""

    words: Floats
    meaning: Floats

    @property
    def score(self) -> Floats:
        return self.words + self.meaning


Merge = Callable[[FileEvidence], ScoreParts]


def adaptive(found: FileEvidence) -> ScoreParts:
    """The default merge."""
    if found.complete:
        return ScoreParts(found.best + KEYWORD_REST * found.told, KEYWORD_COSINE * found.cosine)
    return ScoreParts(found.told, found.weight * found.cosine)


def specified(found: FileEvidence) -> ScoreParts:
    """The specification's 0.4 × BM25 + 0.6 × vector, without zeroing the last hit (decision D8)."""
    return ScoreParts(0.4 * found.best, 0.6 * found.cosine)


def _reciprocal(values: Floats) -> Floats:
    # Twice argsort gives ranks; 61 is k + 1, so that the first of a list has 1 (Cormack's k = 60).
    ranks = np.argsort(np.argsort(-values, kind="stable"), kind="stable") + 61.0
    return np.where(values > 0, 61 / ranks, 0)


MERGES: Mapping[str, Merge] = {
    "adaptive": adaptive,
    "specification": specified,
    "rrf": lambda found: ScoreParts(_reciprocal(found.best), _reciprocal(found.cosine)),
    "words": lambda found: ScoreParts(found.best, 0 * found.best),
    "meaning": lambda found: ScoreParts(KEYWORD_COSINE * found.best, found.cosine),  # words order only what has none
}
