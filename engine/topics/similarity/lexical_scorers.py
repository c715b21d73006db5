"""TF-IDF cosine, BM25 and Jaccard over the same inverted index (autopoiesis §4.2)."""

from collections.abc import Sequence

import numpy as np

from engine.text.arrays import Floats
from engine.topics.similarity.terms import Postings, Terms, Vocabulary

K1 = 1.2
"""BM25's usual weight of a word that occurs again."""
B = 0.75
"""BM25's usual share by which longer texts count less."""
LEAST_TOPICS = 30
"""Topics among which a term counts as rare at least: with few topics every term would stand in most of them, and the
same message and topic would score .2 among three topics that score .5 among thirty."""


class TfIdf:
    """Cosine of words and word pairs, rare ones weighing more: `(1 + ln tf) · (ln((1+n)/(1+df)) + 1)`."""

    name = "tfidf"

    def __init__(self) -> None:
        self._vocabulary = Vocabulary(pairs=True)

    def profile(self, passages: Sequence[str]) -> Terms:
        return self._vocabulary.learn(passages)

    def index(self, profiles: Sequence[Terms]) -> "_TfIdfIndex":
        return _TfIdfIndex(self._vocabulary, profiles)


class _TfIdfIndex:
    def __init__(self, vocabulary: Vocabulary, profiles: Sequence[Terms]) -> None:
        self._vocabulary = vocabulary
        self._postings = postings = Postings(profiles, len(vocabulary))
        among = max(postings.topics, LEAST_TOPICS)
        self._rarity = (np.log((1 + among) / (1 + postings.frequency)) + 1).astype(np.float32)
        weights = (1 + np.log(postings.counts)) * self._rarity[postings.terms]
        norms = np.sqrt(np.bincount(postings.rows, weights * weights, minlength=postings.topics))
        postings.weigh((weights / np.maximum(norms[postings.rows], 1e-9)).astype(np.float32))
        # A term of no topic counts in the message's length as the rarest there is.
        self._rarest = float(np.log(1 + among) + 1)

    def scores(self, message: str) -> Floats:
        found = self._vocabulary.known(message)
        ids = np.minimum(found.ids, len(self._rarity) - 1) if len(self._rarity) else found.ids
        inside = found.ids < len(self._rarity)
        weights = ((1 + np.log(found.counts)) * np.where(inside, self._rarity[ids], self._rarest)).astype(np.float32)
        norm = float(np.sqrt((weights * weights).sum()))
        return self._postings.total(found.ids, weights / max(norm, 1e-9))


class Bm25:
    """Okapi BM25 over words, as the share of what the message could reach at most: from 0 to 1."""

    name = "bm25"

    def __init__(self) -> None:
        self._vocabulary = Vocabulary(pairs=False)

    def profile(self, passages: Sequence[str]) -> Terms:
        return self._vocabulary.learn(passages)

    def index(self, profiles: Sequence[Terms]) -> "_Bm25Index":
        return _Bm25Index(self._vocabulary, profiles)


class _Bm25Index:
    def __init__(self, vocabulary: Vocabulary, profiles: Sequence[Terms]) -> None:
        self._vocabulary = vocabulary
        self._postings = postings = Postings(profiles, len(vocabulary))
        among, frequency = max(postings.topics, LEAST_TOPICS), postings.frequency
        self._rarity = np.log(1 + (among - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        self._rarest = float(np.log(1 + (among + 0.5) / 0.5))
        average = float(postings.lengths.mean()) if postings.topics else 1.0
        size = K1 * (1 - B + B * postings.lengths[postings.rows] / max(average, 1e-9))
        postings.weigh((postings.counts * (K1 + 1) / (postings.counts + size)).astype(np.float32))

    def scores(self, message: str) -> Floats:
        ids = self._vocabulary.known(message).ids
        ids = ids[ids < len(self._rarity)]
        weights = self._rarity[ids]
        unknown = self._vocabulary.count(message) - len(ids)
        most = (K1 + 1) * (float(weights.sum()) + unknown * self._rarest)
        return self._postings.total(ids, weights / np.float32(max(most, 1e-9)))


class Jaccard:
    """Words in common as a share of the words in either."""

    name = "jaccard"

    def __init__(self) -> None:
        self._vocabulary = Vocabulary(pairs=False)

    def profile(self, passages: Sequence[str]) -> Terms:
        return self._vocabulary.learn(passages)

    def index(self, profiles: Sequence[Terms]) -> "_JaccardIndex":
        return _JaccardIndex(self._vocabulary, profiles)


class _JaccardIndex:
    def __init__(self, vocabulary: Vocabulary, profiles: Sequence[Terms]) -> None:
        self._vocabulary = vocabulary
        self._postings = Postings(profiles, len(vocabulary))
        self._sizes = np.array([len(profile.ids) for profile in profiles], dtype=np.float32)

    def scores(self, message: str) -> Floats:
        ids = self._vocabulary.known(message).ids
        common = self._postings.total(ids, np.ones(len(ids), dtype=np.float32))
        either = self._sizes + self._vocabulary.count(message) - common
        found: Floats = common / np.maximum(either, 1)
        return found
