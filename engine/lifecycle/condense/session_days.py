"""Cuts closed transcripts into the parts of a day: a session over midnight tells of two days (decisions D27, D42)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, tzinfo
from itertools import groupby

import msgspec

from engine.extraction.named_notes import project_of
from engine.text.document import split_lines
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from engine.workspace.snapshot import Snapshot

GENERAL = "general"
_LONGEST_TOPIC = 48
"""Characters of a topic that names a session's part of the day."""
_TOOL_LINE = re.compile(r"> \[(?:tool|knowledge):")


class SessionDay(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a session of one day: lines `start` to `end` of its transcript, from 1, both included."""

    path: str
    session: str
    day: date
    topic: str
    start: int
    end: int
    worked: frozenset[int]
    """Lines of the headings of the agent's turns that did something: it used a tool since it was asked."""
    text: str


def session_days(snapshot: Snapshot, turns: Sequence[SessionTurn], zone: tzinfo) -> list[SessionDay]:
    """The parts of all sessions, in the order of their paths and turns."""
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
    """The agent's turns that tell of what it did: one that used no tool since it was asked gives advice."""
    asked = turns[0].line
    for turn in turns:
        if turn.role == Speaker.USER:
            asked = turn.line
        elif any(_TOOL_LINE.match(line) for line in lines[asked - 1 : ends[turn.line]]):
            yield turn.line


def _topic(snapshot: Snapshot, path: str) -> str:
    """The project that the head of a transcript names, else its own topic in one line."""
    head = snapshot.files[path].frontmatter
    tags = head.get("tags", ())
    topic = str(head.get("topic") or "")
    said = " ".join((topic, *([tags] if isinstance(tags, str) else tags)))
    plain = " ".join(visible_line(redact(topic)).replace("#", " ").split())
    return project_of(said, snapshot.files) or plain[:_LONGEST_TOPIC].strip() or GENERAL
