"""The offline summariser: picks what really stands in a note, always the same for the same notes."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from engine.models.cleaning import LONGEST_POINT, point_text
from engine.models.facts import LEAST, fact_count, fact_text, fact_weight_of
from engine.models.outline import below, list_of, read_note
from engine.models.selection import Taken
from engine.models.sentence_candidates import ReadNote
from engine.models.sentence_weights import Class, class_of, weights_of
from engine.models.session_lines import SESSION, secret_lines
from engine.models.summary import NoteTick, NoteToSummarise, Point, Summary

MOST_DECISIONS = 10  # decisions of one note's summary
MOST_INSIGHTS = 10  # insights of one note's summary
MOST_EVENTS = 5  # key events of one note's summary (compactor §Summarize Working → Episodic: 3–5)
MOST_DETAILS = 20
"""Further points of a note that its writer set down in sections: each section has its own before one has two."""
MOST_LOOSE = 12
"""Those of them, and of the key events, that stand below no heading of their own: lines of a diary are no sections."""
SHORT_TALK, SHARE_OF_TALK = 700, 0.3
"""Characters that the key events of a talk may have, or the share of all it says, whichever is more."""
SHORT_NOTE, SHARE_OF_NOTE = 3_000, 0.6  # the same of a note that is no talk: a short one whole
HIDDEN_POINT = "sentence holding a secret"
_EVERY = 20  # notes between two ticks


class ExtractiveSummariser:
    """Takes whole units by where they stand, who says them and their form; no network, no chance, no clock."""

    name = "extractive"
    version = "2"

    def summarise(self, notes: Sequence[NoteToSummarise], tick: NoteTick) -> list[Summary]:
        """One summary per note, in order."""
        found: list[Summary] = []
        for done, note in enumerate(notes):
            if done % _EVERY == 0:
                tick(done, len(notes))
            found.append(_Choice(read_note(note)).summary())
        tick(len(notes), len(notes))
        return found


class _Choice:
    """The rows taken of one note; a row is the number of a candidate."""

    def __init__(self, reading: ReadNote) -> None:
        self._candidates, self._dropped, self._title = reading.candidates, reading.dropped, reading.title
        self._texts = [one.text for one in reading.candidates]
        self._classes = [class_of(one) for one in reading.candidates]
        self._weights = weights_of(reading)
        self._best = sorted(range(len(self._texts)), key=lambda row: (-self._weights[row], row))
        self._spoken = any(one.speaker for one in reading.candidates)
        self._taken = Taken()

    def summary(self) -> Summary:
        """Decisions and insights first, then the events among what is left."""
        decisions, insights = self._stated("decision", MOST_DECISIONS), self._stated("insight", MOST_INSIGHTS)
        events, facts = self._events(), self._facts()
        told, further = (self._points(sorted(part)) for part in (events[:MOST_EVENTS], events[MOST_EVENTS:]))
        stated = self._points(self._by_owner(facts), fact_text)
        decided, learned = self._points(self._by_owner(decisions)), self._points(self._by_owner(insights))
        return Summary(told, decided, learned, _named(self._dropped), stated, self._title, details=further)

    def _stated(self, wanted: Class, most: int) -> list[int]:
        rows = sorted(
            (row for row in self._best if self._classes[row] == wanted), key=lambda row: not self._is_rule(row)
        )
        found = self._taken.take_best(rows, self._texts, most)
        self._dropped[f"further or repeated {wanted}"] += len(rows) - len(found)
        return found

    def _is_rule(self, row: int) -> bool:
        """Tells whether a sentence says how things are to be done: a note's own rules go before all else of it."""
        return self._classes[row] == "insight" and "rule" in self._candidates[row].cues

    def _events(self) -> list[list[int]]:
        """Gives the best rows, the best first, those of one owner together in order; of talk a few sentences."""
        owned: dict[str | int, list[int]] = {}
        for row in self._best:
            owned.setdefault(self._candidates[row].owner or row, []).append(row)
        found: list[list[int]] = []
        least, share = (SHORT_TALK, SHARE_OF_TALK) if self._spoken else (SHORT_NOTE, SHARE_OF_NOTE)
        room = max(least, int(share * sum(map(len, self._texts))))
        most = event_count(len(self._texts)) if self._spoken else MOST_EVENTS + MOST_DETAILS
        loose = min(most, MOST_LOOSE)
        for rows in [sorted(rows) for rows in owned.values()] * 3:
            is_loose = rows[0] in owned
            if len(found) < most and (loose or not is_loose) and (own := self._fitting(rows, room)):
                found.append(own)
                room -= sum(len(self._texts[row]) for row in own)
                loose -= is_loose
        return found

    def _fitting(self, rows: Sequence[int], room: int) -> list[int]:
        """Takes the rows that fit into one point and the room; of those that ask what a heading calls open."""
        own: list[int] = []
        for row in rows:
            text, one = self._texts[row], self._candidates[row]
            asks = one.question and not (one.owner and one.role == "open")
            if len(text) <= room and not asks and self._fits([*own, row]) and self._taken.take(row, text):
                room -= len(text)
                own.append(row)
        return own

    def _facts(self) -> list[int]:
        """Gives the rows that state something of a person or the world, the surest, beside those taken before."""
        # In the session of an agent at work its own "I" is nobody to remember.
        rows = [row for row, one in enumerate(self._candidates) if one.speaker or not self._dropped[SESSION]]
        sure = {row: weight for row in rows if (weight := fact_weight_of(self._candidates[row])) >= LEAST}
        best = sorted(sure, key=lambda row: (-round(sure[row], 6), row))
        return self._taken.take_best(best, self._texts, fact_count(len(rows)))

    def _by_owner(self, rows: Sequence[int]) -> list[list[int]]:
        """Gives the rows in order, rules first, those of one owner together as far as a point holds them."""
        groups: list[list[int]] = []
        for row in sorted(rows):
            owner = self._candidates[row].owner
            same = [group for group in groups if owner and self._candidates[group[0]].owner == owner]
            if same and self._fits([*same[-1], row]):
                same[-1].append(row)
            else:
                groups.append([row])
        return sorted(groups, key=lambda group: not self._is_rule(group[0]))

    def _fits(self, rows: Sequence[int]) -> bool:
        return len(rows) == 1 or len(self._text(rows, str)) <= LONGEST_POINT

    def _text(self, rows: Sequence[int], form: Callable[[str], str]) -> str:
        return below(self._candidates[rows[0]].owner, list_of([form(self._texts[row]) for row in rows]))

    def _points(self, groups: Iterable[Sequence[int]], form: Callable[[str], str] = str) -> tuple[Point, ...]:
        given = [(rows, point_text(self._text(rows, form))) for rows in groups]
        # Lines with secrets were left out before; a sentence joined from several lines may still hold one.
        secret = set(secret_lines("\n".join(text for _, text in given)))
        self._dropped[HIDDEN_POINT] += len(secret)
        spans = [tuple((self._candidates[row].start, self._candidates[row].end) for row in rows) for rows, _ in given]
        return tuple(
            Point(text, own[0][0], own[-1][1], own if len(own) > 1 else ())
            for number, ((_, text), own) in enumerate(zip(given, spans, strict=True))
            if text and number not in secret
        )


def event_count(sentences: int) -> int:
    """3 to 5 events, by how much there is to tell (compactor §Summarize Working → Episodic)."""
    return 3 if sentences <= 12 else 4 if sentences <= 30 else 5


def _named(dropped: Counter[str]) -> tuple[str, ...]:
    return tuple(f"{count:,} × {name}" for name, count in sorted(dropped.items()) if count)
