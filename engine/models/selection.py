"""Picks sentences for every note of a batch in step: the best first, each the less the more it repeats."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

from engine.models.sentence_vectors import DECIMALS, SentenceVectors
from engine.models.sentence_weights import DIVERSITY

if TYPE_CHECKING:
    from engine.models.sentence_vectors import Floats, Ints

POOL = 32
"""Best sentences of a note among which diversity decides."""
SAME = 0.8
"""Share of character pairs from which two sentences say the same."""
_CLOSE = 60
"""Likeness by edits, 0 to 100, below which two sentences are not compared by their pairs."""
ENOUGH = 3
"""Events that a summary has whatever they are worth; more must be worth `WORTH` of its best one."""
WORTH = 0.2
"""A sentence beyond the third must score this share of the note's best."""


class Taken:
    """The sentences taken for one note; says no to one that repeats another."""

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self._texts: list[str] = []

    def take(self, row: int, text: str) -> bool:
        """Takes a sentence unless it, or one that says the same, was taken before."""
        if row in self.rows:
            return False
        # One call into C finds the few that are close enough to be looked at.
        close = extract(text, self._texts, scorer=ratio, score_cutoff=_CLOSE, limit=None)
        if any(_same_pairs(text, other) for other, _, _ in close):
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
    """Tells whether two texts share `SAME` of their character pairs."""
    return ratio(one, other) >= _CLOSE and _same_pairs(one, other)


def _same_pairs(one: str, other: str) -> bool:
    pairs, others = _pairs(one.casefold()), _pairs(other.casefold())
    return 2 * len(pairs & others) >= SAME * (len(pairs) + len(others))


def _pairs(text: str) -> frozenset[str]:
    return frozenset(map("".join, pairwise(text)))


class EventPicker:
    """Maximal marginal relevance over all notes in step: each round gives every note its next best sentence."""

    def __init__(
        self, vectors: SentenceVectors, scores: "Floats", order: "Ints", note: "Ints", taken: Sequence[Taken]
    ) -> None:
        """`order` has the rows of each note best first, note by note; `note` says whose each row is."""
        import numpy as np

        self._taken = taken
        free = np.ones(len(order), dtype=bool)
        free[[row for rows in taken for row in rows.rows]] = False
        order = order[free[order]]
        owner = note[order]
        rank = np.arange(len(order)) - np.searchsorted(owner, owner)
        order, slot = order[rank < POOL], (owner * POOL + rank)[rank < POOL]
        self._row: Ints = np.full(len(taken) * POOL, -1, dtype=np.int64)
        self._row[slot] = order
        self._value: Floats = np.where(self._row >= 0, scores[self._row], -1.0)
        self._best: list[float] = self._value.reshape(-1, POOL).max(axis=1).tolist()
        slot_of_row = np.full(len(note), -1, dtype=np.int64)
        slot_of_row[order] = slot
        self._entry_slot: Ints = slot_of_row[vectors.row]
        pooled = self._entry_slot >= 0
        self._entry_slot = self._entry_slot[pooled]
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
            slots = [slot for note in going if (slot := self._next(note, left, len(picked[note]), texts)) >= 0]
            for slot in slots:
                picked[slot // POOL].append(int(self._row[slot]))
            going = [slot // POOL for slot in slots if len(picked[slot // POOL]) < wanted[slot // POOL]]
            near = np.maximum(near, self._likeness(slots))
        return picked

    def _next(self, note: int, left: "Floats", count: int, texts: Sequence[str]) -> int:
        """Takes the best sentence left in a note and gives its slot; -1 where none is left that is worth it."""
        values = left[note * POOL : (note + 1) * POOL]
        while True:
            best = int(values.argmax())
            slot = note * POOL + best
            value = float(self._value[slot])
            if value < 0 or (count >= ENOUGH and value < WORTH * self._best[note]):
                return -1
            values[best] = self._value[slot] = -1.0
            row = int(self._row[slot])
            if self._taken[note].take(row, texts[row]):
                return slot

    def _likeness(self, slots: Sequence[int]) -> "Floats":
        """Cosine of every pooled sentence with the one just taken in its note."""
        import numpy as np

        chosen = np.zeros(len(self._row), dtype=bool)
        chosen[list(slots)] = True
        here = chosen[self._entry_slot]
        self._dense[:] = 0.0
        self._dense[self._entry_place[here]] = self._entry_weight[here]
        weights = self._entry_weight * self._dense[self._entry_place]
        found: Floats = np.bincount(self._entry_slot, weights, minlength=len(self._row)).astype(np.float64)
        return found
