"""Words and word pairs as numbers, and the inverted index that TF-IDF, BM25 and Jaccard share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple, cast

import numpy as np

from engine.text.arrays import Floats, Ints
from engine.text.words import cut

MOST_WORDS = 2_000  # words of a message that count


class Terms(NamedTuple):
    """The distinct terms of a text by number, and how often each comes."""

    ids: Ints
    counts: Floats


class Vocabulary:
    """Numbers for terms; grows with the topics and never forgets, so that profiles stay valid."""

    def __init__(self, pairs: bool) -> None:
        self._words: dict[str, int] = {}
        self._pairs: dict[int, int] | None = {} if pairs else None
        """By the numbers of both words in one: no text is made of each two words of a message."""

    def __len__(self) -> int:
        return len(self._words) + len(self._pairs or ())

    def learn(self, passages: Sequence[str]) -> Terms:
        """The terms of a topic; new ones get numbers."""
        return _arrays(Counter(chain.from_iterable(map(self._learn, passages))))

    def known(self, text: str) -> Terms:
        """The terms of a message that some topic has, or had."""
        words = list(map(self._words.get, _words(text)))
        found = Counter([*words, *map(self._pairs.get, _pairs(words))] if self._pairs is not None else words)
        del found[None]
        return _arrays(cast("Counter[int]", found))

    def count(self, text: str) -> int:
        """Counts the distinct words of a message, known or not."""
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
    """For each term the topics that have it, with a weight."""

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
        """One weight per entry, in the order of `terms` and `rows`."""
        self._weights = weights[self._order]

    def total(self, ids: Ints, weights: Floats) -> Floats:
        """Per topic, the sum over the terms of weight times entry's weight."""
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
