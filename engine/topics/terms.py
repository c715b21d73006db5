"""Words and word pairs as numbers, and the inverted index that TF-IDF, BM25 and Jaccard share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from engine.search.words import cut

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

MOST_WORDS = 2_000
"""Words of a message that count."""


class Terms(NamedTuple):
    """The distinct terms of a text by number, and how often each comes."""

    ids: "Ints"
    counts: "Floats"


class Vocabulary:
    """Numbers for terms; grows with the topics and never forgets, so that profiles stay valid."""

    def __init__(self, pairs: bool) -> None:
        self._pairs = pairs
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def learn(self, passages: Sequence[str]) -> Terms:
        """The terms of a topic; new ones get numbers."""
        counts = Counter(term for passage in passages for term in self._terms(passage))
        return _arrays({self._numbers.setdefault(term, len(self._numbers)): count for term, count in counts.items()})

    def known(self, text: str) -> Terms:
        """The terms of a message that some topic has, or had."""
        counts = Counter(map(self._numbers.get, self._terms(text)))
        return _arrays({number: count for number, count in counts.items() if number is not None})

    def count(self, text: str) -> int:
        """How many distinct terms a message has, known or not."""
        return len(set(self._terms(text)))

    def _terms(self, text: str) -> Iterable[str]:
        words = cut(text).words[:MOST_WORDS]
        return [*words, *map(" ".join, pairwise(words))] if self._pairs else words


def _arrays(counts: Mapping[int, int]) -> Terms:
    import numpy as np

    ids = np.fromiter(counts.keys(), dtype=np.int64, count=len(counts))
    return Terms(ids, np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))


class Postings:
    """For each term the topics that have it, with a weight."""

    def __init__(self, profiles: Sequence[Terms], width: int) -> None:
        import numpy as np

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

    def weigh(self, weights: "Floats") -> None:
        """One weight per entry, in the order of `terms` and `rows`."""
        self._weights = weights[self._order]

    def total(self, ids: "Ints", weights: "Floats") -> "Floats":
        """Per topic, the sum over the terms of weight times entry's weight."""
        import numpy as np

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
