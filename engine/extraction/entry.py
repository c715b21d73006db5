"""Defines an extracted entry: its kind, its grade, and the words of the turn that it stands on (decisions D43, D44)."""

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
    """The ground that an entry stands on; only the first two are promoted (decision D44)."""

    STATED = "stated"
    CONFIRMED = "confirmed"
    INFERRED = "inferred"
    PROPOSED = "proposed"


PROMOTED = frozenset({EntryGrade.STATED, EntryGrade.CONFIRMED})


class ExtractedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One lasting statement. `quote` occurs in the turn, word for word; the turn's line is that of its heading."""

    kind: EntryKind
    grade: EntryGrade
    quote: str
    turn: SessionTurn
    again: bool = False  # said anew after something else held: an entry of its own (decision D45)

    @property
    def id(self) -> str:
        """Ten hexadecimal digits, the same whenever this sentence is read again; a decision is one for each session.
        What is decided anew after something else was is another decision (decision D45)."""
        session = self.turn.session if self.again or self.kind is EntryKind.DECISION else ""
        session = f"{session}#{self.turn.line}" if self.again else session
        return entry_id(self.kind, self.quote, session)


def entry_id(kind: EntryKind, quote: str, session: str = "") -> str:
    """The id of an entry by its kind, its words and, where it is one for each session, the session."""
    made = blake2b(digest_size=5)
    for part in (kind.value, session, " ".join(quote.casefold().split())):
        made.update(part.encode("utf-8", "replace") + b"\0")
    return made.hexdigest()


def kind_of_id(ident: str, quote: str) -> EntryKind:
    """The kind of a row's entry: a decision, or said anew, where its id names a session that the row does not."""
    kinds = (kind for kind in EntryKind if kind is not EntryKind.DECISION)
    return next((kind for kind in kinds if entry_id(kind, quote) == ident), EntryKind.DECISION)


class LocatedEntry(msgspec.Struct, frozen=True):
    """An entry, and the line of its transcript, from 1, on which its words stand; 0 where they stand on none."""

    entry: ExtractedEntry
    line: int


def located_entries(data: bytes, entries: Iterable[ExtractedEntry]) -> tuple[LocatedEntry, ...]:
    """The entries of a transcript of these bytes, without the texts of their turns, which it has."""
    lines = data.decode("utf-8", "replace").split("\n")
    brief = (replace(one, turn=replace(one.turn, text="", tool_calls=())) for one in entries)
    return tuple(LocatedEntry(one, quote_line(lines, one.turn.line, one.quote) or 0) for one in brief)


def quote_line(lines: Sequence[str], turn_line: int, quote: str) -> int | None:
    """The line, from 1, of the turn headed on `turn_line` that holds the quote word for word; None where none does."""
    for number, line in enumerate(lines[turn_line:], turn_line + 1):
        if TURN.match(line):
            break
        if quote in unescaped(line):
            return number
    return None


def turn_around(lines: Sequence[str], line: int) -> tuple[int, tuple[str, ...]]:
    """The lines of the turn that holds a line, both counted from 1, and the number of its heading."""
    first = next((at for at in range(min(line, len(lines)), 0, -1) if TURN.match(lines[at - 1])), 1)
    last = next((at for at in range(first + 1, len(lines) + 1) if TURN.match(lines[at - 1])), len(lines) + 1)
    turn = list(lines[first - 1 : last - 1])
    while turn and not turn[-1].strip():
        turn.pop()
    return first, tuple(turn)
