"""The offline summariser: picks real sentences, always the same ones for the same notes."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.models.cleaning import point_text
from engine.models.excluded_lines import secret_lines
from engine.models.facts import LEAST, fact_count, fact_text, fact_weight_of
from engine.models.selection import ENOUGH, EventPicker, Taken
from engine.models.sentence_candidates import ReadNote, read_note
from engine.models.sentence_vectors import SentenceVectors
from engine.models.sentence_weights import FLOOR, Class, class_of, priors
from engine.models.summary import NoteTick, NoteToSummarise, Point, Summary

if TYPE_CHECKING:
    from engine.models.sentence_vectors import Floats, Ints

MOST_DECISIONS = 10
"""Decisions of one note's summary."""
MOST_INSIGHTS = 6
"""Insights of one note's summary."""
_FACTS = 3
"""The place of the facts among the parts of a summary."""
HIDDEN_POINT = "sentence holding a secret"
_EVERY = 20
"""Notes between two ticks."""


class ExtractiveSummariser:
    """TF-IDF centroid, diversity and lead bias over the notes of a batch; no network, no chance, no clock."""

    name = "extractive"
    version = "1"

    def summarise(self, notes: Sequence[NoteToSummarise], tick: NoteTick) -> list[Summary]:
        """One summary per note, in order. Words are weighed across the batch, so a note alone may read differently."""
        readings: list[ReadNote] = []
        for done, note in enumerate(notes):
            if done % _EVERY == 0:
                tick(done // 2, len(notes))  # a note is half done once it is read
            readings.append(read_note(note))
        summaries = _Batch(readings).summaries(tick) if any(reading.candidates for reading in readings) else []
        tick(len(notes), len(notes))
        return summaries or [Summary((), (), (), _named(reading.dropped)) for reading in readings]


class _Batch:
    """All sentences of a batch as rows, with their scores."""

    def __init__(self, readings: Sequence[ReadNote]) -> None:
        import numpy as np

        self._readings = readings
        self._candidates = [candidate for reading in readings for candidate in reading.candidates]
        self._texts = [candidate.text for candidate in self._candidates]
        self._classes: list[Class] = [class_of(candidate) for candidate in self._candidates]
        counts = [len(reading.candidates) for reading in readings]
        self._first: Ints = np.cumsum([0, *counts], dtype=np.int64)
        self._vectors = SentenceVectors([[candidate.text for candidate in reading.candidates] for reading in readings])
        self._note: Ints = np.repeat(np.arange(len(counts)), counts)
        weights = priors(readings, self._vectors.words, self._vectors.stop_words)
        self._scores: Floats = np.round((FLOOR + self._vectors.centrality(self._note, weights)) * weights, 6)
        self._order: Ints = np.lexsort((np.arange(len(weights)), -self._scores, self._note))

    def summaries(self, tick: NoteTick) -> list[Summary]:
        """Decisions and insights first, then the events among what is left. `tick` counts on from half of the notes."""
        taken = [Taken() for _ in self._readings]
        decisions = [self._stated(place, "decision", MOST_DECISIONS, taken[place]) for place in range(len(taken))]
        insights = [self._stated(place, "insight", MOST_INSIGHTS, taken[place]) for place in range(len(taken))]
        stated = [[*decisions[place], *insights[place]] for place in range(len(taken))]
        picker = EventPicker(self._vectors, self._scores, self._order, self._note, taken)
        wanted = [event_count(len(reading.candidates)) for reading in self._readings]
        events = picker.pick(wanted, self._texts)
        found: list[Summary] = []
        for place, rows in enumerate(events):
            if place % _EVERY == 0:
                tick((len(events) + place) // 2, len(events))
            filled, facts = self._filled(place, rows, stated[place], taken[place]), self._facts(place, taken[place])
            found.append(self._summary(place, filled, decisions[place], insights[place], facts))
        return found

    def _facts(self, place: int, taken: Taken) -> list[int]:
        """Gives the rows that state something of a person or the world, the surest, beside those taken before."""
        rows = range(int(self._first[place]), int(self._first[place + 1]))
        sure = {row: weight for row in rows if (weight := fact_weight_of(self._candidates[row])) >= LEAST}
        best = sorted(sure, key=lambda row: (-round(sure[row], 6), row))
        return taken.take_best(best, self._texts, fact_count(len(rows)))

    def _rows(self, place: int) -> list[int]:
        found: list[int] = self._order[self._first[place] : self._first[place + 1]].tolist()
        return found

    def _stated(self, place: int, wanted: Class, most: int, taken: Taken) -> list[int]:
        first, end = int(self._first[place]), int(self._first[place + 1])
        if wanted not in self._classes[first:end]:
            return []
        rows = [row for row in self._rows(place) if self._classes[row] == wanted]
        found = taken.take_best(rows, self._texts, most)
        if len(rows) > len(found):
            self._readings[place].dropped[f"further or repeated {wanted}"] += len(rows) - len(found)
        return found

    def _filled(self, place: int, events: list[int], stated: Sequence[int], taken: Taken) -> list[int]:
        """At least three events: from the rest of the note, then from its decisions and insights."""
        missing = min(ENOUGH, len(self._readings[place].candidates)) - len(events)
        if missing > 0:
            events += taken.take_best(self._rows(place), self._texts, missing)
            events += sorted(stated, key=lambda row: (-self._scores[row], row))[: max(0, ENOUGH - len(events))]
        return events

    def _summary(self, place: int, *parts: Sequence[int]) -> Summary:
        """Gives the points of events, decisions, insights and facts, each part in the order of the note."""
        dropped = self._readings[place].dropped
        rows = [(part, row) for part, chosen in enumerate(parts) for row in sorted(chosen)]
        texts = [point_text(fact_text(self._texts[row]) if part == _FACTS else self._texts[row]) for part, row in rows]
        # Lines with secrets were left out before; a sentence joined from several lines may still hold one.
        secret = set(secret_lines("\n".join(texts)))
        dropped[HIDDEN_POINT] += len(secret)
        points: tuple[list[Point], ...] = ([], [], [], [])
        for place, ((part, row), text) in enumerate(zip(rows, texts, strict=True)):
            if text and place not in secret:
                points[part].append(Point(text, self._candidates[row].start, self._candidates[row].end))
        events, decisions, insights, facts = map(tuple, points)
        return Summary(events, decisions, insights, _named(dropped), facts)


def event_count(sentences: int) -> int:
    """3 to 5 events, by how much there is to tell (compactor §Summarize Working → Episodic)."""
    return 3 if sentences <= 12 else 4 if sentences <= 30 else 5


def _named(dropped: Counter[str]) -> tuple[str, ...]:
    return tuple(f"{count:,} × {name}" for name, count in sorted(dropped.items()) if count)
