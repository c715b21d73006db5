"""Chooses what a day's journal says: the best of each session first, as many as the journal of a day has room for."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import msgspec

from engine.extraction.passing_sentences import is_own, is_passing
from engine.lifecycle.condense.journal import JournalRow
from engine.lifecycle.condense.session_days import SessionDay
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.lifecycle.prune.memory_reasons import is_held, said_words
from engine.models.cue_matcher import matcher
from engine.models.cues import QUESTION_ENDS
from engine.models.facts import fact_weight
from engine.models.summary import Point, Summary
from engine.text.safe_text import without_markers
from engine.text.secrets.detector import redact
from engine.text.sentences import sentences
from engine.workspace.values import LineSpan

DAY_BYTES = 2_048
"""Bytes of one day's journal: an agent loads today's and yesterday's, about 4 KB (autopoiesis §2.2)."""
_LONGEST = 400
"""Characters of a sentence that is taken whole."""
_LASTING = frozenset({"outcome", "decision", "insight"})
_ROWS, _MOST_ROWS = 20, 6
"""Rows that a day is meant to have, and the most that one session gives."""


class DayPoint(msgspec.Struct, frozen=True):
    """A sentence that a summary of a session's day holds, with its place in the journal."""

    part: SessionDay
    row: JournalRow

    @property
    def name(self) -> str:
        """The name by which the account knows it."""
        return f"{self.part.path}:{self.row.source.start}: {self.row.text}"


class ChosenPoints(msgspec.Struct, frozen=True):
    """The points of a day. `merged` stand already: each with the place that says the same."""

    written: tuple[DayPoint, ...]
    merged: tuple[tuple[DayPoint, str], ...]
    left_out: tuple[DayPoint, ...]


def day_points(parts: Sequence[SessionDay], summaries: Mapping[SessionDay, Summary]) -> list[list[DayPoint]]:
    """The points of each session, the best first. The more sessions, the fewer of each, and one at least."""
    most = max(1, min(_MOST_ROWS, _ROWS // max(1, len(parts))))
    return [list(_points(part, summaries[part], most)) for part in parts]


def chosen_points(points: Sequence[Sequence[DayPoint]], path: str, text: str) -> ChosenPoints:
    """Fills the room that the journal's text has left, a point of each session in turn."""
    known = [(said_words(entry.text), f"{path}:{entry.start}") for entry in memory_entries(path, text)]
    room = DAY_BYTES - len(text.encode("utf-8", "surrogatepass"))
    written, merged, left_out = list[DayPoint](), list[tuple[DayPoint, str]](), list[DayPoint]()
    for point in (one for turn in zip_longest(*points) for one in turn if one is not None):
        words = said_words(point.row.text)
        place = next((where for said, where in known if said == words or is_held(words, said)), "")
        size = len(point.row.text.encode("utf-8", "surrogatepass")) + 3
        if place:
            merged.append((point, place))
        elif size > room:
            left_out.append(point)
        else:
            room -= size
            known.append((words, f"{point.row.source.path}:{point.row.source.start}"))
            written.append(point)
    names = {one.name for one in written}
    order = (one for session in points for one in session)
    return ChosenPoints(tuple(one for one in order if one.name in names), tuple(merged), tuple(left_out))


def _points(part: SessionDay, summary: Summary, most: int) -> Iterator[DayPoint]:
    """The sentences decided, learnt and stated, then those of what happened; each once, and no advice of the agent."""
    seen: list[tuple[str, ...]] = []
    told = [one for one in summary.events if _is_told(part, one)]
    events = sorted(filter(_lasts, told), key=lambda one: -fact_weight(one.text))
    events = events or [one for one in told if one.start not in part.by_user or is_own(one.text)][:1]
    marked = [_with_lead(part, one) for one in (*summary.decisions, *summary.insights)]
    for point in (*marked, *summary.facts, *events):
        words = said_words(point.text)
        if (
            _is_told(part, point)
            and words
            and len(seen) < most
            and not any(words == one or is_held(words, one) for one in seen)
        ):
            seen.append(words)
            yield _day_point(part, point)


def _is_told(part: SessionDay, point: Point) -> bool:
    """Tells whether a sentence is of what happened: no question, no request, and nothing that was pasted."""
    return (
        point.start in part.told
        and not point.text.endswith(QUESTION_ENDS)
        and not is_passing(point.text)
        and (point.start not in part.pasted or is_own(point.text))
    )


def _with_lead(part: SessionDay, point: Point) -> Point:
    """The whole sentence of the turn, where a summary has the end of one: its first words say what it is."""
    line = part.text.split("\n")[point.start - part.start]
    whole = next((one for one in sentences(line) if one.endswith(point.text) and len(one) <= _LONGEST), point.text)
    return Point(whole, point.start, point.end)


def _lasts(point: Point) -> bool:
    """Tells whether an event states something: a request or a word of thanks is over with its session."""
    return fact_weight(point.text) > 0 or bool(matcher().cues(point.text) & _LASTING)


def _day_point(part: SessionDay, point: Point) -> DayPoint:
    text = without_markers(redact(" ".join(point.text.split())))
    return DayPoint(part, JournalRow(part.topic, text, LineSpan(part.path, point.start, point.end)))
