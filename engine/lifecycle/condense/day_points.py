"""Chooses the lasting entries of a day's sessions for its journal, cut at midnight (decisions D27, D42)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, tzinfo
from itertools import groupby, zip_longest

import msgspec

from engine.extraction.entry import PROMOTED, EntryKind, ExtractedEntry, quote_line
from engine.extraction.named_notes import project_of
from engine.lifecycle.extract.destinations import SectionRow
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.lifecycle.prune.memory_reasons import is_held, said_words
from engine.text.document import split_lines
from engine.text.safe_text import visible_line, without_markers
from engine.text.secrets.detector import redact
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan

GENERAL = "general"  # the topic of a session without one
_LONGEST_TOPIC = 48  # characters of a topic that names a session's part of the day
_TOOL_LINE = re.compile(r"> \[(?:tool|knowledge):")


class SessionDay(msgspec.Struct, frozen=True, kw_only=True):
    """A session's part on one day: lines `start` to `end` of its transcript, from 1, both included."""

    path: str
    session: str
    day: date
    topic: str
    start: int
    end: int
    worked: frozenset[int]
    """The lines of the agent's turn headings in which it used a tool since the user's last turn."""
    text: str


def session_days(snapshot: Snapshot, turns: Sequence[SessionTurn], zone: tzinfo) -> list[SessionDay]:
    """Gives the sessions' parts by day, in the order of paths and turns."""
    return [
        part
        for path, group in groupby(turns, key=lambda turn: turn.source)
        for part in _parts(snapshot, path, list(group), zone)
    ]


def _parts(snapshot: Snapshot, path: str, turns: Sequence[SessionTurn], zone: tzinfo) -> Iterator[SessionDay]:
    lines = split_lines(snapshot.text(path))
    topic = _topic(snapshot, path)
    starts = [turn.line for turn in turns[1:]] + [len(lines) + 1]
    ends = {turn.line: after - 1 for turn, after in zip(turns, starts, strict=True)}
    for day, group in groupby(turns, key=lambda turn: turn.day(zone)):
        of_day = list(group)
        start, end = of_day[0].line, ends[of_day[-1].line]
        yield SessionDay(
            path=path,
            session=of_day[0].session,
            day=day,
            topic=topic,
            start=start,
            end=end,
            worked=frozenset(_worked(of_day, lines, ends)),
            text="\n".join(lines[start - 1 : end]),
        )


def _worked(turns: Sequence[SessionTurn], lines: Sequence[str], ends: Mapping[int, int]) -> Iterator[int]:
    """Yields the lines of the agent's turns in which it did something: used a tool since the user's last turn."""
    asked = turns[0].line
    for turn in turns:
        if turn.role == Speaker.USER:
            asked = turn.line
        elif any(_TOOL_LINE.match(line) for line in lines[asked - 1 : ends[turn.line]]):
            yield turn.line


def _topic(snapshot: Snapshot, path: str) -> str:
    """Gives the project that a transcript's head names, else its own topic in one line."""
    head = snapshot.files[path].frontmatter
    tags = head.get("tags", ())
    topic = str(head.get("topic") or "")
    said = " ".join((topic, *([tags] if isinstance(tags, str) else tags)))
    plain = " ".join(visible_line(redact(topic)).replace("#", " ").split())
    return project_of(said, snapshot.files) or plain[:_LONGEST_TOPIC].strip() or GENERAL


DAY_BYTES = 2_048  # bytes of one day's journal: an agent loads today's and yesterday's, about 4 KB (autopoiesis §2.2)
_ROWS, _MOST_ROWS = 40, 12  # rows that a day is meant to have, and the most that one session gives
_ORDER = tuple(EntryKind(kind) for kind in (
    "decision", "lesson", "correction", "preference", "procedure", "person", "fact", "journal",
))  # fmt: skip
"""The order of the kinds in a day's journal."""


class DayPoint(msgspec.Struct, frozen=True):
    """An entry of a session's day as a bullet of the journal, with its transcript line."""

    topic: str
    text: str
    source: LineSpan

    @property
    def placed(self) -> SectionRow:
        """The bullet with its topic's heading."""
        return SectionRow(f"### {self.topic}", f"- {self.text}", self.source)

    @property
    def name(self) -> str:
        """Its name in the account."""
        return f"{self.source.path}:{self.source.start}: {self.text}"


class ChosenPoints(msgspec.Struct, frozen=True):
    """The points of a day. `merged` ones are written already, each with the place."""

    written: tuple[DayPoint, ...]
    merged: tuple[tuple[DayPoint, str], ...]
    left_out: tuple[DayPoint, ...]


def day_points(parts: Sequence[SessionDay], entries: Sequence[Sequence[ExtractedEntry]]) -> list[list[DayPoint]]:
    """Gives the best points of each session of a day: fewer of each with more sessions, but at least one."""
    most = max(1, min(_MOST_ROWS, _ROWS // max(1, len(parts))))
    return [list(_points(part, found, most)) for part, found in zip(parts, entries, strict=True)]


def chosen_points(points: Sequence[Sequence[DayPoint]], path: str, text: str) -> ChosenPoints:
    """Fills the room that the journal has left, with one point of each session in turn."""
    known = [(said_words(entry.text), f"{path}:{entry.start}") for entry in memory_entries(path, text)]
    room = DAY_BYTES - len(text.encode("utf-8", "surrogatepass"))
    written, merged, left_out = list[DayPoint](), list[tuple[DayPoint, str]](), list[DayPoint]()
    for point in (one for turn in zip_longest(*points) for one in turn if one is not None):
        words = said_words(point.text)
        place = next((where for said, where in known if said == words or is_held(words, said)), "")
        size = len(point.text.encode("utf-8", "surrogatepass")) + 3
        if place:
            merged.append((point, place))
        elif size > room:
            left_out.append(point)
        else:
            room -= size
            known.append((words, f"{point.source.path}:{point.source.start}"))
            written.append(point)
    names = {one.name for one in written}
    order = (one for session in points for one in session)
    return ChosenPoints(tuple(one for one in order if one.name in names), tuple(merged), tuple(left_out))


def _points(part: SessionDay, entries: Iterable[ExtractedEntry], most: int) -> Iterator[DayPoint]:
    """Yields the lasting entries, each once, by kind, and what the agent did with tools."""
    seen: list[tuple[str, ...]] = []
    lines = [""] * (part.start - 1) + split_lines(part.text)
    for entry in sorted((one for one in entries if _lasts(part, one)), key=lambda one: _ORDER.index(one.kind)):
        line, words = quote_line(lines, entry.turn.line, entry.quote), said_words(entry.quote)
        told = any(words == one or is_held(words, one) for one in seen)
        if line is not None and words and len(seen) < most and not told:
            seen.append(words)
            text = without_markers(redact(" ".join(entry.quote.split())))
            yield DayPoint(part.topic, text, LineSpan(part.path, line, line))


def _lasts(part: SessionDay, entry: ExtractedEntry) -> bool:
    """Tells whether an entry is of this part, and stated, confirmed, or done with a tool."""
    done = entry.kind is EntryKind.JOURNAL and entry.turn.line in part.worked
    return part.start <= entry.turn.line <= part.end and (entry.grade in PROMOTED or done)
