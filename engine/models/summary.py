"""Defines input and output of a summariser, for the offline one and Claude."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec


class PointLine(msgspec.Struct, frozen=True):
    """A line of a point that is written as a list: its text, the lines it comes from, and how deep it is indented."""

    text: str
    start: int
    end: int
    depth: int = 0


class Point(msgspec.Struct, frozen=True):
    """A statement of a summary, with the lines it comes from (from 1, both included). `text` says all of it on one
    line. Of a list, `lines` has the leading line and the items as they are written."""

    text: str
    start: int
    end: int
    lines: tuple[PointLine, ...] = ()

    @property
    def written(self) -> tuple[PointLine, ...]:
        """The lines as they are written: those of a list, or the text alone."""
        return self.lines or (PointLine(self.text, self.start, self.end),)


class Summary(msgspec.Struct, frozen=True):
    """Events, decisions, insights and facts of one note; `dropped`: what was omitted on purpose."""

    events: tuple[Point, ...]
    decisions: tuple[Point, ...]
    insights: tuple[Point, ...]
    dropped: tuple[str, ...] = ()
    facts: tuple[Point, ...] = ()
    """Stated preferences, names, numbers, dates and commitments, beside the events."""
    title: str = ""  # the subject of the note by its own first heading, where that tells more than its name does
    by: str = ""  # the name of who wrote it in the end, where a model was asked
    remark: str = ""  # words for the operator on how it came about; mostly none

    @property
    def is_empty(self) -> bool:
        """True if nothing in the note is worth keeping (decision A33)."""
        return not (self.events or self.decisions or self.insights or self.facts)


class NoteToSummarise(msgspec.Struct, frozen=True):
    """A note to summarise. `text`: its body; `first_line`: the body's line number in the file."""

    path: str
    text: str
    first_line: int = 1


NoteTick = Callable[[int, int], None]
"""Takes the numbers of finished and of all notes; raises `Cancelled` if the operator cancelled."""


class Summariser(Protocol):
    """Summarises notes in one batch, so that words are weighed across all."""

    name: str
    version: str

    def summarise(self, notes: Sequence[NoteToSummarise], tick: NoteTick) -> list[Summary]:
        """Returns one summary per note, in order; the same for the same notes."""
