"""A sentence transformer with words beside it: what a topic means, less what all topics have in common."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.topics.similarity.lexical_scorers import TfIdf
from engine.topics.similarity.scorer import ScorerIndex
from engine.topics.similarity.static_scorer import WordEmbedder
from engine.topics.similarity.terms import Terms

if TYPE_CHECKING:
    from engine.topics.similarity.scorer import Floats

TFIDF_SHARE = 0.4
"""The share of TF-IDF beside the cosine; chosen on the development intents, flat between .2 and .45."""
USUAL = 0.09
"""The mean cosine of a topic's centre and another topic's passage."""
PRIOR = 30
"""Passages for which `USUAL` counts beside those of the other topics: of few topics little can be told."""


class SentenceProfile(NamedTuple):
    """The direction of a topic's passages, their sum, how many they are, and their words."""

    centre: "Floats"
    total: "Floats"
    passages: int
    terms: Terms


class SentenceTransformer:
    """`cosine − likeness to other topics + 0.4 · tfidf`. A topic whose words are near everything ("tell the user …")
    would score higher than others for any message. So its mean cosine with the passages of the others is taken off, and
    a figure means the same for each topic."""

    name = "transformer"

    def __init__(self, embedder: WordEmbedder) -> None:
        self._embedder, self._words = embedder, TfIdf()

    def profile(self, passages: Sequence[str]) -> SentenceProfile:
        import numpy as np

        rows = self._embedder.embed(list(passages) or [""])
        total: Floats = rows.sum(axis=0)
        length = float(np.sqrt((total * total).sum()))
        centre = total / np.float32(max(length, 1e-9))
        return SentenceProfile(centre, total, len(rows), self._words.profile(passages))

    def index(self, profiles: Sequence[SentenceProfile]) -> "_SentenceIndex":
        words = self._words.index([profile.terms for profile in profiles])
        return _SentenceIndex(self._embedder, words, profiles)


class _SentenceIndex:
    def __init__(self, embedder: WordEmbedder, words: ScorerIndex, profiles: Sequence[SentenceProfile]) -> None:
        import numpy as np

        self._embedder, self._words = embedder, words
        self._centres = np.array([profile.centre for profile in profiles], dtype=np.float32)
        if profiles:
            totals = np.array([profile.total for profile in profiles], dtype=np.float32)
            counts = np.array([profile.passages for profile in profiles], dtype=np.float32)
            near = np.vecdot(self._centres, totals.sum(axis=0) - totals)
            self._off: Floats = (near - USUAL * (counts.sum() - counts)) / (counts.sum() - counts + PRIOR)

    def scores(self, message: str) -> "Floats":
        import numpy as np

        if not len(self._centres):
            return np.zeros(0, dtype=np.float32)
        near: Floats = np.vecdot(self._centres, self._embedder.embed([message])[0]) - self._off
        found: Floats = near + np.float32(TFIDF_SHARE) * self._words.scores(message)
        return found
