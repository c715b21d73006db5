"""The offline summariser: picks real sentences, always the same ones for the same notes."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.models.candidates import Candidate, Reading, read_note
from engine.models.cleaning import point_text
from engine.models.summary import Note, Point, Summary, Tick
from engine.models.vectors import Vectors
from engine.models.weights import DIVERSITY, class_of, prior

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_DECISIONS = 10
MOST_INSIGHTS = 6
POOL = 32
"""Best sentences of a note among which diversity decides."""
SAME = 0.8
"""Share of character pairs from which two sentences count as the same."""
STEPS = 25


class ExtractiveSummariser:
    """TF-IDF centroid, diversity and lead bias over the notes of a batch; no network, no randomness, no clock."""

    name = "extractive"
    version = "1"

    def summarise(self, notes: Sequence[Note], tick: Tick) -> list[Summary]:
        """One summary per note, in order. Words are weighed across the batch, so a note alone may read differently."""
        readings: list[Reading] = []
        for done, note in enumerate(notes):
            if done % STEPS == 0:
                tick(done, len(notes))
            readings.append(read_note(note))
        ranking = _Ranking(readings)
        summaries = [ranking.summary(place, reading) for place, reading in enumerate(readings)]
        tick(len(notes), len(notes))
        return summaries


class _Ranking:
    """The scores of every candidate of a batch."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        import numpy as np

        candidates = [candidate for reading in readings for candidate in reading.candidates]
        counts = [len(reading.candidates) for reading in readings]
        self.first = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        self.vectors = Vectors([candidate.text for candidate in candidates])
        group = np.repeat(np.arange(len(readings), dtype=np.int64), counts)
        priors = np.array(
            [
                prior(candidate, reading.language, place / len(reading.candidates), words)
                for reading, words_of in zip(readings, self._word_counts(counts), strict=True)
                for place, (candidate, words) in enumerate(zip(reading.candidates, words_of, strict=True))
            ],
            dtype=np.float64,
        )
        self.scores: NDArray[np.float64] = (
            np.round((0.15 + self.vectors.centrality(group, priors)) * priors, 6) if candidates else priors
        )

    def _word_counts(self, counts: Sequence[int]) -> list[list[int]]:
        lengths = self.vectors.length.tolist()
        found, at = [], 0
        for count in counts:
            found.append(lengths[at : at + count])
            at += count
        return found

    def summary(self, place: int, reading: Reading) -> Summary:
        """Events, decisions and insights of one note, each in the order of the note."""
        if not reading.candidates:
            return Summary((), (), (), _named(reading.dropped))
        first = int(self.first[place])
        scores = self.scores[first : first + len(reading.candidates)].tolist()
        order = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        classes = [class_of(candidate) for candidate in reading.candidates]
        picker = _Picker(self.vectors, first, reading.candidates, scores)
        decisions = picker.pick([i for i in order if classes[i] == "decision"], MOST_DECISIONS, 0.0)
        insights = picker.pick([i for i in order if classes[i] == "insight"], MOST_INSIGHTS, 0.0)
        wanted = event_count(len(reading.candidates))
        events = picker.pick(order, wanted, DIVERSITY)
        if len(events) < min(wanted, 3):
            events += _Picker(self.vectors, first, reading.candidates, scores).pick(
                [i for i in order if i not in events], min(wanted, 3) - len(events), DIVERSITY
            )
        dropped = reading.dropped
        for name, kind, chosen in (("decision", "decision", decisions), ("insight", "insight", insights)):
            if classes.count(kind) > len(chosen):
                dropped[f"further {name}"] += classes.count(kind) - len(chosen)
        return Summary(
            _points(reading.candidates, events),
            _points(reading.candidates, decisions),
            _points(reading.candidates, insights),
            _named(dropped),
        )


def event_count(sentences: int) -> int:
    """3 to 5 events, by how much there is to tell (compactor §2)."""
    return 3 if sentences <= 12 else 4 if sentences <= 30 else 5


class _Picker:
    """Picks candidates one by one; what it picked is never picked again, nor what says the same."""

    def __init__(self, vectors: Vectors, first: int, candidates: Sequence[Candidate], scores: Sequence[float]) -> None:
        self._vectors = vectors
        self._first = first
        self._candidates = candidates
        self._scores = scores
        self._taken: list[int] = []
        self._pairs: list[frozenset[str]] = []

    def pick(self, order: Sequence[int], count: int, diversity: float) -> list[int]:
        """Up to `count` of `order` (best first): the best score less its likeness to those picked before."""
        pool = [index for index in order if index not in self._taken][:POOL]
        likeness = self._vectors.likeness([self._first + index for index in pool]).tolist()
        nearest = [0.0] * len(pool)
        chosen: list[int] = []
        left = list(range(len(pool)))
        while left and len(chosen) < count:
            best = max(left, key=lambda at: (self._scores[pool[at]] * (1 - diversity * nearest[at]), -at))
            left.remove(best)
            if self._take(pool[best]):
                chosen.append(pool[best])
                nearest = [max(near, likeness[at][best]) for at, near in enumerate(nearest)]
        rest = (index for index in order if index not in pool)
        while len(chosen) < min(count, 3) and (index := next(rest, None)) is not None:
            if self._take(index):
                chosen.append(index)
        return chosen

    def _take(self, index: int) -> bool:
        """Takes a candidate unless one that says the same was taken."""
        text = self._candidates[index].text.casefold()
        pairs = frozenset(map("".join, zip(text, text[1:], strict=False)))
        if index in self._taken or any(_overlap(pairs, other) >= SAME for other in self._pairs):
            return False
        self._taken.append(index)
        self._pairs.append(pairs)
        return True


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / max(1, len(one) + len(other))


def _points(candidates: Sequence[Candidate], chosen: Sequence[int]) -> tuple[Point, ...]:
    points = []
    for index in sorted(chosen):
        candidate = candidates[index]
        if text := point_text(candidate.text):
            points.append(Point(text, candidate.start, candidate.end))
    return tuple(points)


def _named(dropped: Counter[str]) -> tuple[str, ...]:
    return tuple(f"{count} × {name}" for name, count in sorted(dropped.items()))
