"""Scores by TF-IDF cosine, BM25 or Jaccard over one inverted index (autopoiesis §4.2)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import ClassVar, NamedTuple, cast

import numpy as np

from engine.text.arrays import Floats, Ints
from engine.text.words import cut
from engine.topics.similarity.scorer import Scores

MOST_WORDS = 2_000  # words of a message that count


class Terms(NamedTuple):
    """The distinct terms of a text by number, and their counts."""

    ids: Ints
    counts: Floats


class Vocabulary:
    """Numbers of terms; it only grows, so that profiles stay valid."""

    def __init__(self, pairs: bool) -> None:
        self._words: dict[str, int] = {}
        self._pairs: dict[int, int] | None = {} if pairs else None
        """By the numbers of both words in one: no text is made of each two words of a message."""

    def __len__(self) -> int:
        return len(self._words) + len(self._pairs or ())

    def learn(self, passages: Sequence[str]) -> Terms:
        """Returns the terms of a topic, numbering new ones."""
        return _arrays(Counter(chain.from_iterable(map(self._learn, passages))))

    def known(self, text: str) -> Terms:
        """Returns the terms of a message that any topic has or had."""
        words = list(map(self._words.get, _words(text)))
        found = Counter([*words, *map(self._pairs.get, _pairs(words))] if self._pairs is not None else words)
        del found[None]
        return _arrays(cast("Counter[int]", found))

    def count(self, text: str) -> int:
        """Returns the number of distinct words of a message."""
        return len(set(_words(text)))

    def _learn(self, passage: str) -> list[int]:
        words = [self._words.setdefault(word, len(self)) for word in _words(passage)]
        if self._pairs is None:
            return words
        return [*words, *(self._pairs.setdefault(pair, len(self)) for pair in _pairs(words))]


def _words(text: str) -> list[str]:
    return cut(text).words[:MOST_WORDS]


def _pairs(words: Sequence[int | None]) -> list[int]:
    return [first << 32 | second for first, second in pairwise(words) if first is not None and second is not None]


def _arrays(counts: Mapping[int, int]) -> Terms:
    ids = np.fromiter(counts.keys(), dtype=np.int64, count=len(counts))
    return Terms(ids, np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))


class Postings:
    """For each term the topics with it, and weights."""

    def __init__(self, profiles: Sequence[Terms], width: int) -> None:
        empty = np.zeros(0, dtype=np.int64)
        self.topics = len(profiles)
        self.terms: Ints = np.concatenate([empty, *(profile.ids for profile in profiles)])
        self.counts: Floats = np.concatenate([empty.astype(np.float32), *(profile.counts for profile in profiles)])
        self.rows: Ints = np.repeat(np.arange(len(profiles)), [len(profile.ids) for profile in profiles])
        self.frequency: Ints = np.bincount(self.terms, minlength=width)
        self.lengths: Floats = np.bincount(self.rows, self.counts, minlength=len(profiles)).astype(np.float32)
        order = np.argsort(self.terms, kind="stable")
        self._order = order
        self._sorted_rows = self.rows[order]
        self._starts: Ints = np.concatenate([[0], np.cumsum(self.frequency)])
        self._weights: Floats = np.ones(len(order), dtype=np.float32)

    def weigh(self, weights: Floats) -> None:
        """Sets one weight per entry, in the order of `terms` and `rows`."""
        self._weights = weights[self._order]

    def total(self, ids: Ints, weights: Floats) -> Floats:
        """Returns for each topic the sum over the terms of weight times entry weight."""
        inside = ids < len(self._starts) - 1
        ids, weights = ids[inside], weights[inside]
        if not len(ids):
            return np.zeros(self.topics, dtype=np.float32)
        # Slices, not an index of every entry: a frequent term has most topics, and megabytes of places are slow.
        spans = list(map(slice, self._starts[ids].tolist(), self._starts[ids + 1].tolist()))
        parts = np.concatenate([self._weights[span] for span in spans])
        parts *= np.repeat(weights, self.frequency[ids])
        rows = np.concatenate([self._sorted_rows[span] for span in spans])
        return np.bincount(rows, parts, minlength=self.topics).astype(np.float32)


K1 = 1.2  # BM25's usual weight of a word that occurs again
B = 0.75  # BM25's usual share by which longer texts count less
LEAST_TOPICS = 30
"""Least number of topics assumed for rarity: among three topics every term is common, and the same pair would score 0.2
instead of 0.5 among thirty."""


class _WordScorer:
    """Profiles topics by words of one vocabulary; `pairs`: by word pairs too."""

    pairs: ClassVar[bool] = False

    def __init__(self) -> None:
        self._vocabulary = Vocabulary(pairs=self.pairs)

    def profile(self, passages: Sequence[str]) -> Terms:
        return self._vocabulary.learn(passages)


class TfIdf(_WordScorer):
    """Cosine of words and word pairs, weighing rare ones more: `(1 + ln tf) · (ln((1+n)/(1+df)) + 1)`."""

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
    """Okapi BM25 over words, as a share of the message's greatest possible figure, from 0 to 1."""

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
    """Common words as a share of all words of both."""

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
