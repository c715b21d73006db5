"""Defines an extracted entry: kind, grade, and its words in the turn (decisions D43, D44)."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from engine.text.transcript_marks import TURN, unescaped
from engine.topics.messages import SessionTurn


class EntryKind(StrEnum):
    """The six kinds of §8.3, preferences and corrections (decision D43)."""

    DECISION = "decision"
    LESSON = "lesson"
    PERSON = "person"
    PROCEDURE = "procedure"
    FACT = "fact"
    JOURNAL = "journal"
    PREFERENCE = "preference"
    CORRECTION = "correction"


class EntryGrade(StrEnum):
    """The ground of an entry; only the first two grades are promoted (decision D44)."""

    STATED = "stated"
    CONFIRMED = "confirmed"
    INFERRED = "inferred"
    PROPOSED = "proposed"


PROMOTED = frozenset({EntryGrade.STATED, EntryGrade.CONFIRMED})


class ExtractedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One lasting statement. `quote`: its words in the turn. `again`: said again after another entry superseded it."""

    kind: EntryKind
    grade: EntryGrade
    quote: str
    turn: SessionTurn
    again: bool = False  # said anew after something else held: an entry of its own (decision D45)

    @property
    def id(self) -> str:
        """Ten hexadecimal digits from kind and words, so that a repeat has the same id. Decisions, and entries said
        again after being superseded, have one id in each session (decision D45)."""
        session = self.turn.session if self.again or self.kind is EntryKind.DECISION else ""
        session = f"{session}#{self.turn.line}" if self.again else session
        return entry_id(self.kind, self.quote, session)


def entry_id(kind: EntryKind, quote: str, session: str = "") -> str:
    """Makes the id of an entry from its kind, its words and, if given, its session."""
    made = blake2b(digest_size=5)
    for part in (kind.value, session, " ".join(quote.casefold().split())):
        made.update(part.encode("utf-8", "replace") + b"\0")
    return made.hexdigest()


def kind_of_id(ident: str, quote: str) -> EntryKind:
    """Returns the kind of a row's entry by its id; a decision if none matches, as its id depends on the session."""
    kinds = (kind for kind in EntryKind if kind is not EntryKind.DECISION)
    return next((kind for kind in kinds if entry_id(kind, quote) == ident), EntryKind.DECISION)


class LocatedEntry(msgspec.Struct, frozen=True):
    """An entry and the transcript's line, from 1, with its words; 0 if no line has them."""

    entry: ExtractedEntry
    line: int


def located_entries(data: bytes, entries: Iterable[ExtractedEntry]) -> tuple[LocatedEntry, ...]:
    """Finds the line of each entry in a transcript, and drops the texts of turns."""
    lines = data.decode("utf-8", "replace").split("\n")
    brief = (replace(entry, turn=replace(entry.turn, text="", tool_calls=())) for entry in entries)
    return tuple(LocatedEntry(entry, quote_line(lines, entry.turn.line, entry.quote) or 0) for entry in brief)


def quote_line(lines: Sequence[str], turn_line: int, quote: str) -> int | None:
    """Returns the line, from 1, with the quote in the turn headed on `turn_line`; None if there is none."""
    for number, line in enumerate(lines[turn_line:], turn_line + 1):
        if TURN.match(line):
            break
        if quote in unescaped(line):
            return number
    return None


def turn_around(lines: Sequence[str], line: int) -> tuple[int, tuple[str, ...]]:
    """Returns the heading's line number and the lines of the turn that contains a line, from 1."""
    first = next((at for at in range(min(line, len(lines)), 0, -1) if TURN.match(lines[at - 1])), 1)
    last = next((at for at in range(first + 1, len(lines) + 1) if TURN.match(lines[at - 1])), len(lines) + 1)
    turn = list(lines[first - 1 : last - 1])
    while turn and not turn[-1].strip():
        turn.pop()
    return first, tuple(turn)
