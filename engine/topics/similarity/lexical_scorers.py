"""TF-IDF cosine, BM25 and Jaccard over the same inverted index (autopoiesis §4.2)."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from engine.text.arrays import Floats
from engine.topics.similarity.scorer import Scores
from engine.topics.similarity.terms import Postings, Terms, Vocabulary

K1 = 1.2  # BM25's usual weight of a word that occurs again
B = 0.75  # BM25's usual share by which longer texts count less
LEAST_TOPICS = 30
"""Topics among which a term counts as rare at least: with few topics every term would stand in most of them, and the
same message and topic would score .2 among three topics that score .5 among thirty."""


class _WordScorer:
    """Profiles a topic by its words, numbered by one vocabulary; `pairs`: and by its word pairs."""

    pairs: ClassVar[bool] = False

    def __init__(self) -> None:
        self._vocabulary = Vocabulary(pairs=self.pairs)

    def profile(self, passages: Sequence[str]) -> Terms:
        return self._vocabulary.learn(passages)


class TfIdf(_WordScorer):
    """Cosine of words and word pairs, rare ones weighing more: `(1 + ln tf) · (ln((1+n)/(1+df)) + 1)`."""

    name = "tfidf"
    pairs = True

    def index(self, profiles: Sequence[Terms]) -> Scores:
        vocabulary, postings = self._vocabulary, Postings(profiles, len(self._vocabulary))
        among = max(postings.topics, LEAST_TOPICS)
        rarity = (np.log((1 + among) / (1 + postings.frequency)) + 1).astype(np.float32)
        weights = (1 + np.log(postings.counts)) * rarity[postings.terms]
        norms = np.sqrt(np.bincount(postings.rows, weights * weights, minlength=postings.topics))
        postings.weigh((weights / np.maximum(norms[postings.rows], 1e-9)).astype(np.float32))
        # A term of no topic counts in the message's length as the rarest there is.
        rarest = float(np.log(1 + among) + 1)

        def scores(message: str) -> Floats:
            found = vocabulary.known(message)
            ids = np.minimum(found.ids, len(rarity) - 1) if len(rarity) else found.ids
            inside = found.ids < len(rarity)
            weights = ((1 + np.log(found.counts)) * np.where(inside, rarity[ids], rarest)).astype(np.float32)
            norm = float(np.sqrt((weights * weights).sum()))
            return postings.total(found.ids, weights / max(norm, 1e-9))

        return scores


class Bm25(_WordScorer):
    """Okapi BM25 over words, as the share of what the message could reach at most: from 0 to 1."""

    name = "bm25"

    def index(self, profiles: Sequence[Terms]) -> Scores:
        vocabulary, postings = self._vocabulary, Postings(profiles, len(self._vocabulary))
        among, frequency = max(postings.topics, LEAST_TOPICS), postings.frequency
        rarity = np.log(1 + (among - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        rarest = float(np.log(1 + (among + 0.5) / 0.5))
        average = float(postings.lengths.mean()) if postings.topics else 1.0
        size = K1 * (1 - B + B * postings.lengths[postings.rows] / max(average, 1e-9))
        postings.weigh((postings.counts * (K1 + 1) / (postings.counts + size)).astype(np.float32))

        def scores(message: str) -> Floats:
            ids = vocabulary.known(message).ids
            ids = ids[ids < len(rarity)]
            weights = rarity[ids]
            unknown = vocabulary.count(message) - len(ids)
            most = (K1 + 1) * (float(weights.sum()) + unknown * rarest)
            return postings.total(ids, weights / np.float32(max(most, 1e-9)))

        return scores


class Jaccard(_WordScorer):
    """Words in common as a share of the words in either."""

    name = "jaccard"

    def index(self, profiles: Sequence[Terms]) -> Scores:
        vocabulary, postings = self._vocabulary, Postings(profiles, len(self._vocabulary))
        sizes = np.array([len(profile.ids) for profile in profiles], dtype=np.float32)

        def scores(message: str) -> Floats:
            ids = vocabulary.known(message).ids
            common = postings.total(ids, np.ones(len(ids), dtype=np.float32))
            found: Floats = common / np.maximum(sizes + vocabulary.count(message) - common, 1)
            return found

        return scores
