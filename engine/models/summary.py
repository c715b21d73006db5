"""Defines the input and output of a summariser; the offline one and Claude both fit it."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec


class Point(msgspec.Struct, frozen=True):
    """A sentence of a summary with its lines (from 1, both included); `parts`: the lines of each of several parts."""

    text: str
    start: int
    end: int
    parts: tuple[tuple[int, int], ...] = ()


class Summary(msgspec.Struct, frozen=True):
    """Key events, decisions, insights and facts of one note; `dropped` names what was left out on purpose."""

    events: tuple[Point, ...]
    decisions: tuple[Point, ...]
    insights: tuple[Point, ...]
    dropped: tuple[str, ...] = ()
    facts: tuple[Point, ...] = ()
    """Preferences, names, numbers, dates and commitments that somebody stated, beyond the key events."""
    title: str = ""  # the subject of the note by its own first heading, where that tells more than its name does
    by: str = ""  # the name of who wrote it in the end, where a model was asked
    remark: str = ""  # words for the operator on how it came about; mostly none

    @property
    def is_empty(self) -> bool:
        """Tells whether the note holds nothing worth keeping (decision A33)."""
        return not (self.events or self.decisions or self.insights or self.facts)


class NoteToSummarise(msgspec.Struct, frozen=True):
    """A note to summarise. `text` is its body as on disk; `first_line` is the line where it begins (from 1)."""

    path: str
    text: str
    first_line: int = 1


NoteTick = Callable[[int, int], None]
"""Takes how many notes are done, and of how many; raises `Cancelled` when the operator cancelled."""


class Summariser(Protocol):
    """Turns notes into summaries, all at once, so that words are weighed across the whole batch."""

    name: str
    version: str

    def summarise(self, notes: Sequence[NoteToSummarise], tick: NoteTick) -> list[Summary]:
        """One summary per note, in order; the same again for the same notes."""
