"""Defines an extracted entry: its kind, its grade, and the words of the turn that it stands on (decisions D43, D44)."""

from enum import StrEnum
from hashlib import blake2b

import msgspec

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

        What is decided anew after something else was is another decision (decision D45).
        """
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
