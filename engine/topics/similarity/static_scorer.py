"""Scores by static word vectors: cosine with the centre of a topic's passages, or blended with TF-IDF."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.text.arrays import Floats
from engine.topics.similarity.lexical_scorers import Terms, TfIdf
from engine.topics.similarity.scorer import Scores, WordEmbedder

TFIDF_SHARE = 0.35
"""The weight of TF-IDF beside the cosine; chosen on dev messages, flat between 0.2 and 0.5."""


class Static:
    """Cosine with the mean direction of a topic's passages, which all count the same."""

    name = "static"

    def __init__(self, embedder: WordEmbedder) -> None:
        self._embedder = embedder

    def profile(self, passages: Sequence[str]) -> Floats:
        centre: Floats = self._embedder.embed(list(passages) or [""]).mean(axis=0)
        length = float(np.sqrt((centre * centre).sum()))
        return centre / np.float32(max(length, 1e-9))

    def index(self, profiles: Sequence[Floats]) -> Scores:
        centres = np.array(profiles, dtype=np.float32)

        def scores(message: str) -> Floats:
            if not len(centres):
                return np.zeros(0, dtype=np.float32)
            # Not `@`: its threads wait for each other wherever the machine has other work, 30 ms instead of a half.
            found: Floats = np.vecdot(centres, self._embedder.embed([message])[0])
            return found

        return scores


class BlendProfile(NamedTuple):
    vector: Floats
    terms: Terms


class Blend:
    """Meaning and words together: `static + 0.35 · tfidf`."""

    name = "blend"

    def __init__(self, embedder: WordEmbedder) -> None:
        self._static, self._words = Static(embedder), TfIdf()

    def profile(self, passages: Sequence[str]) -> BlendProfile:
        return BlendProfile(self._static.profile(passages), self._words.profile(passages))

    def index(self, profiles: Sequence[BlendProfile]) -> Scores:
        vectors = self._static.index([profile.vector for profile in profiles])
        words = self._words.index([profile.terms for profile in profiles])
        return lambda message: vectors(message) + np.float32(TFIDF_SHARE) * words(message)
