"""Takes over what the judge of sessions finds that nobody marked or labelled (decisions B27, D59)."""

from datetime import UTC, datetime

from engine.extraction.entry import EntryGrade, EntryKind, ExtractedEntry, TranscriptTurn
from engine.flush.items import FlushCategory
from engine.flush.unsaved_turns import FlushSession
from engine.text.transcript_marks import Speaker

CATEGORIES = {
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


def judged_items(session: FlushSession) -> dict[int, list[ExtractedEntry]]:
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
    found: dict[int, list[ExtractedEntry]] = {}
    for entry in judged_entries(turns, offers=True):
        if entry.kind is not EntryKind.JOURNAL or entry.grade is not EntryGrade.INFERRED:
            found.setdefault(entry.turn.line, []).append(entry)
    return found
