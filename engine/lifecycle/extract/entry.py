"""Defines an extracted entry: its kind, its grade, and the words of the turn that it stands on (decisions D43, D44)."""

from datetime import datetime
from enum import StrEnum
from hashlib import blake2b

import msgspec

from engine.text.transcript_marks import Speaker


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


class TranscriptTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a closed transcript. `line` is that of its heading, from 1."""

    path: str
    line: int
    session: str
    role: Speaker
    text: str
    at: datetime


class ExtractedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One lasting statement. `quote` occurs in the turn, word for word."""

    kind: EntryKind
    grade: EntryGrade
    quote: str
    turn: TranscriptTurn

    @property
    def id(self) -> str:
        """Ten hexadecimal digits, the same whenever this sentence is read again; a decision is one for each session.

        What is decided anew after something else was is another decision (decision D45).
        """
        session = self.turn.session if self.kind is EntryKind.DECISION else ""
        made = blake2b(digest_size=5)
        for part in (self.kind.value, session, " ".join(self.quote.casefold().split())):
            made.update(part.encode("utf-8", "replace") + b"\0")
        return made.hexdigest()
