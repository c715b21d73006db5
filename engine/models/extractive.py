"""Summarises offline, by choosing sentences of the note; the same notes give the same summary."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import msgspec

from engine.models.facts import LEAST, fact_count, fact_text, fact_weight_of
from engine.models.owners import ASKS, ONE_LINE, below, list_of, read_note, says_something, size
from engine.models.passing_states import word_count
from engine.models.plain_line import LONGEST_LIST, point_text
from engine.models.selection import Taken
from engine.models.sentence_candidates import ReadNote
from engine.models.sentence_weights import Class, class_of, weights_of
from engine.models.session_lines import SESSION, secret_lines
from engine.models.summary import NoteTick, NoteToSummarise, Point, PointLine, Summary

MOST_DECISIONS = 10  # decisions of one note's summary
MOST_INSIGHTS = 10  # insights of one note's summary
MOST_EVENTS = 8  # key events of one note's summary; beyond the first five they stand apart
MOST_WHOLE = 12  # points of a note that is short enough to be told whole
SHORT_TALK, SHARE_OF_TALK = 700, 0.3  # characters of a talk's key events, or the share of all it says, if more
LONGEST_SECTION = 1_200  # characters of the lines of one owner that stand together
HIDDEN_POINT = "sentence holding a secret"
_FEWEST = 6  # words of an insight or a decision that stands apart from its section
_EVERY = 20  # notes between two ticks


class ExtractiveSummariser:
    """Chooses whole units by their place, speaker and form; no network, randomness or clock."""

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
    """The candidates chosen from one note, by their numbers (rows)."""

    def __init__(self, reading: ReadNote) -> None:
        self._candidates, self._dropped, self._title = reading.candidates, reading.dropped, reading.title
        self._texts = [candidate.text for candidate in reading.candidates]
        # A few words of a section say more beside its other lines than alone.
        mixed = {candidate.owner for candidate in reading.candidates if candidate.owner and not class_of(candidate)}
        brief = (word_count(candidate.text) < _FEWEST and candidate.owner in mixed for candidate in reading.candidates)
        told = zip(map(class_of, reading.candidates), brief, strict=True)
        self._classes = ["" if short and kind == "insight" else kind for kind, short in told]
        self._weights = weights_of(reading)
        self._best = sorted(range(len(self._texts)), key=lambda row: (-self._weights[row], row))
        self._spoken = any(candidate.speaker for candidate in reading.candidates)
        self._taken = Taken()

    def summary(self) -> Summary:
        """Chooses decisions and insights, then events among the rest."""
        decisions, insights = self._stated("decision", MOST_DECISIONS), self._stated("insight", MOST_INSIGHTS)
        events, facts = self._events(), self._facts()
        told, stated = self._points(events), self._points(self._by_owner(facts), fact_text)
        decided, learned = self._points(self._by_owner(decisions)), self._points(self._by_owner(insights))
        dropped = (f"{count:,} × {name}" for name, count in sorted(self._dropped.items()) if count)
        return Summary(told, decided, learned, tuple(dropped), stated, self._title)

    def _stated(self, wanted: Class, most: int) -> list[int]:
        rows = [row for row in self._best if self._classes[row] == wanted]
        rows.sort(key=lambda row: not self._is_rule(row))
        found = self._taken.take_best(rows, self._texts, most)
        self._dropped[f"further or repeated {wanted}"] += len(rows) - len(found)
        return found

    def _is_rule(self, row: int) -> bool:
        """Tells whether a sentence is a rule; a note's own rules come before all else."""
        return self._classes[row] == "insight" and "rule" in self._candidates[row].cues

    def _events(self) -> list[list[int]]:
        """Returns the best rows by owner: few sentences of talk, all of a short note, of a long one a point each."""
        owned: dict[str | int, list[int]] = {}
        for row in self._best:
            one = self._candidates[row]
            if not one.question or (one.owner and one.role == "open"):
                owned.setdefault(one.owner or row, []).append(row)
        if self._spoken:
            return sorted([row] for row in self._said(chain(*owned.values())))
        most = MOST_EVENTS if len(owned) > MOST_WHOLE else MOST_WHOLE
        each = max(1, most // max(1, len(owned)))
        found: list[list[int]] = []
        for rows in owned.values():
            if len(found) < most:
                found += self._told(rows, each)
        return sorted(found[:most])

    def _said(self, rows: Iterable[int]) -> Iterator[int]:
        room, left = max(SHORT_TALK, int(SHARE_OF_TALK * sum(map(len, self._texts)))), event_count(len(self._texts))
        for row in rows:
            if left and len(self._texts[row]) <= room and self._taken.take(row, self._texts[row]):
                room, left = room - len(self._texts[row]), left - 1
                yield row

    def _told(self, rows: Sequence[int], each: int) -> list[list[int]]:
        """Returns the rows of one owner in at most `each` points: its opening paragraph, then the best."""
        taken = [row for row in rows if self._taken.take(row, self._texts[row])]
        opens = min((row for row in taken if self._candidates[row].kind == "paragraph"), default=-1)
        points = self._by_owner(taken)
        if len(points) > each:
            points = []
            for row in sorted(taken, key=lambda row: opens == min(taken) and row != opens):
                points = found if len(found := self._by_owner([*chain(*points), row])) <= each else points
        return [own for own in points if says_something(self._text(own, str))]

    def _facts(self) -> list[int]:
        """Returns the rows that state a fact, the surest first, without those taken before."""
        # In the session of an agent at work its own "I" is nobody to remember.
        rows = [row for row, one in enumerate(self._candidates) if one.speaker or not self._dropped[SESSION]]
        sure = {row: weight for row in rows if (weight := fact_weight_of(self._candidates[row])) >= LEAST}
        best = sorted(sure, key=lambda row: (-round(sure[row], 6), row))
        return self._taken.take_best(best, self._texts, fact_count(len(rows)))

    def _by_owner(self, rows: Sequence[int]) -> list[list[int]]:
        """Returns the rows in order, rules first, those of one owner together while a point has room."""
        groups: list[list[int]] = []
        for row in sorted(rows):
            owner = self._candidates[row].owner
            same = [group for group in groups if owner and self._candidates[group[0]].owner == owner]
            if same and len(self._text([*same[-1], row], str)) <= LONGEST_SECTION:
                same[-1].append(row)
            else:
                groups.append([row])
        return sorted(groups, key=lambda group: not self._is_rule(group[0]))

    def _text(self, rows: Sequence[int], form: Callable[[str], str]) -> str:
        texts = list_of([form(self._texts[row]) for row in rows])
        return below(self._candidates[rows[0]].owner, texts) if rows else ""

    def _points(self, groups: Iterable[Sequence[int]], form: Callable[[str], str] = str) -> tuple[Point, ...]:
        given = [(rows, point_text(self._text(rows, form), LONGEST_SECTION)) for rows in groups]
        # Lines with secrets were left out before; a sentence joined from several lines may still hold one.
        secret = set(secret_lines("\n".join(text for _, text in given)))
        self._dropped[HIDDEN_POINT] += len(secret)
        spans = [(self._candidates[rows[0]].start, self._candidates[rows[-1]].end) for rows, _ in given]
        return tuple(
            Point(text, *span, self._lines(rows, form) if size(text) > ONE_LINE else ())
            for number, ((rows, text), span) in enumerate(zip(given, spans, strict=True))
            if text and number not in secret
        )

    def _lines(self, rows: Sequence[int], form: Callable[[str], str]) -> tuple[PointLine, ...]:
        """Gives the lines of a point that is a list: several rows below their owner, or one row that is a list."""
        own = [self._candidates[row] for row in rows]
        owner, lines = own[0].owner, own[0].listed
        if len(own) > 1:
            head = owner if owner.endswith(ASKS) else f"{owner}:"
            below_it = chain(*(one.listed or (PointLine(form(one.text), one.start, one.end),) for one in own))
            deeper = (msgspec.structs.replace(line, depth=line.depth + 1) for line in below_it)
            lines = PointLine(head, own[0].start, own[-1].end), *deeper
        elif lines:
            lines = msgspec.structs.replace(lines[0], text=below(owner, lines[0].text)), *lines[1:]
        clean = (msgspec.structs.replace(line, text=point_text(line.text, LONGEST_LIST)) for line in lines)
        return tuple(line for line in clean if line.text)


def event_count(sentences: int) -> int:
    """Returns the number of events, 3 to 5, by the number of sentences (compactor §Summarize Working → Episodic)."""
    return 3 if sentences <= 12 else 4 if sentences <= 30 else 5
