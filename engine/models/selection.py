"""Picks sentences for every note of a batch in step: the best first, each the less the more it repeats."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rapidfuzz.fuzz import ratio

from engine.models.vectors import DECIMALS, Vectors
from engine.models.weights import DIVERSITY

if TYPE_CHECKING:
    from engine.models.vectors import Floats, Ints

POOL = 32
"""Best sentences of a note among which diversity decides."""
SAME = 0.8
"""Share of character pairs from which two sentences say the same."""
_CLOSE = 60
ENOUGH = 3
WORTH = 0.35
"""A sentence beyond the third must score this share of the note's best."""


class Taken:
    """The sentences taken for one note; says no to one that repeats another."""

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self._texts: list[str] = []

    def take(self, row: int, text: str) -> bool:
        """Takes a sentence unless it, or one that says the same, was taken before."""
        if row in self.rows or any(says_the_same(text, other) for other in self._texts):
            return False
        self.rows.add(row)
        self._texts.append(text)
        return True

    def take_best(self, rows: Sequence[int], texts: Sequence[str], count: int) -> list[int]:
        """Takes up to `count` of `rows` in their order."""
        found: list[int] = []
        for row in rows:
            if len(found) == count:
                break
            if self.take(row, texts[row]):
                found.append(row)
        return found


def says_the_same(one: str, other: str) -> bool:
    """Whether two texts share `SAME` of their character pairs."""
    # Comparing in C first spares nearly all of the sets.
    if ratio(one, other, score_cutoff=_CLOSE) < _CLOSE:
        return False
    pairs, others = _pairs(one.casefold()), _pairs(other.casefold())
    return 2 * len(pairs & others) >= SAME * (len(pairs) + len(others))


def _pairs(text: str) -> frozenset[str]:
    return frozenset(map("".join, pairwise(text)))


class EventPicker:
    """Maximal marginal relevance over all notes in step: in each round every note looks at its best sentence left."""

    def __init__(
        self, vectors: Vectors, scores: "Floats", order: "Ints", first: "Ints", taken: Sequence[Taken]
    ) -> None:
        """`order` has the rows of each note best first; `first` where each note begins, and the end."""
        import numpy as np

        self._taken = taken
        rank = np.arange(len(order)) - np.repeat(first[:-1], np.diff(first))
        slot = np.repeat(np.arange(len(taken)) * POOL, np.diff(first)) + rank
        kept = rank < POOL
        self._pool: Ints = np.full((len(taken), POOL), -1, dtype=np.int64)
        self._pool.ravel()[slot[kept]] = order[kept]
        self._value: Floats = np.where(self._pool >= 0, scores[self._pool], -1.0)
        self._best: list[float] = self._value.max(axis=1, initial=0).tolist()
        slot_of_row = np.full(len(order), -1, dtype=np.int64)
        slot_of_row[order[kept]] = slot[kept]
        pooled = slot_of_row[vectors.row] >= 0
        self._entry_slot: Ints = slot_of_row[vectors.row[pooled]]
        self._entry_place: Ints = vectors.place[pooled]
        self._entry_weight: Floats = vectors.weight[pooled]
        self._dense: Floats = np.zeros(int(vectors.place.max(initial=-1)) + 1)

    def pick(self, wanted: Sequence[int], texts: Sequence[str]) -> list[list[int]]:
        """Up to `wanted` rows for each note, best first, none taken before."""
        import numpy as np

        picked: list[list[int]] = [[] for _ in wanted]
        going = [note for note, count in enumerate(wanted) if count]
        near = np.zeros_like(self._value)
        while going:
            left = np.where(self._value >= 0, np.round(self._value * (1 - DIVERSITY * near), DECIMALS), -1.0)
            slots = left.argmax(axis=1)
            for note in going:
                self._look(note, int(slots[note]), picked[note], texts)
            going = [note for note in going if len(picked[note]) < wanted[note] and self._value[note].max() >= 0]
            near = np.maximum(near, self._likeness(slots).reshape(near.shape))
        return picked

    def _look(self, note: int, slot: int, picked: list[int], texts: Sequence[str]) -> None:
        """Takes the sentence in `slot`, or passes it by for good."""
        row, value = int(self._pool[note, slot]), float(self._value[note, slot])
        self._value[note, slot] = -1.0
        if value < 0 or (len(picked) >= ENOUGH and value < WORTH * self._best[note]):
            return
        if self._taken[note].take(row, texts[row]):
            picked.append(row)

    def _likeness(self, slots: "Ints") -> "Floats":
        """Cosine of every pooled sentence with the one in its note's slot."""
        import numpy as np

        chosen = np.zeros(self._pool.size, dtype=bool)
        chosen[np.arange(len(slots)) * POOL + slots] = True
        here = chosen[self._entry_slot]
        self._dense[:] = 0.0
        self._dense[self._entry_place[here]] = self._entry_weight[here]
        weights = self._entry_weight * self._dense[self._entry_place]
        found: Floats = np.bincount(self._entry_slot, weights, minlength=self._pool.size).astype(np.float64)
        return found
