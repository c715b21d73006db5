"""Takes over what the judge of sessions finds that nobody marked or labelled (decisions B27, D59)."""

from datetime import UTC, datetime
from typing import NamedTuple

from engine.extraction.entry import EntryGrade, EntryKind, TranscriptTurn
from engine.flush.items import FlushCategory
from engine.flush.statements import reasoned
from engine.flush.unsaved_turns import FlushSession
from engine.text.transcript_marks import Speaker

_CATEGORIES = {
    EntryKind.DECISION: FlushCategory.DECISION,
    EntryKind.FACT: FlushCategory.FACT,
    EntryKind.PERSON: FlushCategory.FACT,
    EntryKind.LESSON: FlushCategory.LEARNING,
    EntryKind.PROCEDURE: FlushCategory.LEARNING,
    EntryKind.PREFERENCE: FlushCategory.LEARNING,
    EntryKind.CORRECTION: FlushCategory.LEARNING,
    EntryKind.JOURNAL: FlushCategory.PROGRESS,
}
_UNDATED = datetime.min.replace(tzinfo=UTC)


class JudgedItem(NamedTuple):
    """An entry of the judge as an item of a flush. `quote` are its words in the turn."""

    category: FlushCategory
    text: str
    quote: str
    grade: EntryGrade
    rationale: str = ""
    done: bool = False


def judged_items(session: FlushSession) -> dict[int, list[JudgedItem]]:
    """All entries and offers of the judge by the number of their turn, but for an agent's reports of its work."""
    from engine.extraction.sentence_rules import judged_entries

    turns = [
        TranscriptTurn(
            path=session.source,
            line=turn.number,
            session=session.session,
            role=Speaker(turn.role),
            text=turn.text,
            at=turn.at or _UNDATED,
            trusted=not turn.mark,
        )
        for turn in session.turns
    ]
    found: dict[int, list[JudgedItem]] = {}
    for entry in judged_entries(turns, offers=True):
        if entry.kind is not EntryKind.JOURNAL or entry.grade is not EntryGrade.INFERRED:
            found.setdefault(entry.turn.line, []).append(_item(entry.kind, entry.quote, entry.grade))
    return found


def _item(kind: EntryKind, quote: str, grade: EntryGrade) -> JudgedItem:
    category = _CATEGORIES[kind]
    text, why = reasoned(quote) if category is FlushCategory.DECISION else (quote, "")
    return JudgedItem(category, text, quote, grade, why, done=kind is EntryKind.JOURNAL)
