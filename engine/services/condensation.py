"""Reads the options of a condensation, and the transcripts that no journal covers (§8.4, D27)."""

from collections.abc import Callable, Collection, Sequence
from datetime import date, timedelta
from itertools import chain

from engine.errors import UsageError
from engine.extraction.extraction_task import EntryFinder
from engine.lifecycle.condense.journal import sessions_of_day
from engine.lifecycle.condense.plan import CondenseOptions
from engine.lifecycle.requests import CondensePart, CondenseRequest
from engine.services.file_answers import FileAnswers
from engine.services.open_workspace import OpenWorkspace
from engine.services.transcripts import closed_transcripts, transcript_turns
from engine.topics.messages import SessionTurn
from engine.tree.levels import NodeLevel, is_period, week_start
from engine.workspace.dates import parse_day, zone_of
from engine.workspace.snapshot import Snapshot

_FORMAT = 2  # raised whenever the same bytes would give other days


def condense_options(
    asked: CondenseRequest,
    today: date,
    *,
    finder: EntryFinder,
    turns: Callable[[], Sequence[SessionTurn]],
    known: Collection[str],
) -> CondenseOptions:
    """Gives the options for the named parts, days or week, which must be over; `UsageError` for another name."""
    weeks = [name for name in asked.take if is_period(NodeLevel.WEEKLY, name)]
    days = [day for name in asked.take if (day := parse_day(name)) is not None]
    if unknown := [name for name in asked.take if name not in weeks and parse_day(name) is None]:
        raise UsageError("no day and no week", where=unknown[0][:80], hint="2026-02-16, or 2026-W07")
    if len(weeks) > 1:
        raise UsageError("one week at a time", where=", ".join(weeks[:5]))
    named = [*([CondensePart.DAILY] if days else []), *([CondensePart.WEEKLY] if weeks else [])]
    parts = asked.only or tuple(named) or tuple(CondensePart)
    # Transcripts are read for days alone: a week needs only its journals.
    return CondenseOptions(
        finder=finder,
        turns=turns() if CondensePart.DAILY in parts else (),
        week=week_start(weeks[0]) if weeks else today - timedelta(days=today.weekday() + 7),
        parts=parts,
        days=days,
        known=known,
    )


def unsummarised_turns(opened: OpenWorkspace, snapshot: Snapshot) -> tuple[SessionTurn, ...]:
    """Gives the turns of each closed transcript that its days' journals do not cover; its days are cached by hash."""
    zone, closed = opened.policy.zone, closed_transcripts(snapshot)
    cache = FileAnswers(opened, "transcript-days", f"{_FORMAT} {zone}", tuple[str, tuple[date, ...]])
    turns: list[tuple[SessionTurn, ...]] = []
    for path in closed:
        sha256 = snapshot.files[path].sha256
        found = cache.found(path, sha256)
        if found is None or not all(found[0] in sessions_of_day(snapshot, day) for day in found[1]):
            turns.append(transcript_turns(opened.root, path))
            days = {turn.day(zone_of(zone)): turn.session for turn in turns[-1]}
            cache.keep(path, sha256, (next(iter(days.values()), ""), tuple(sorted(days))))
    cache.write(closed)
    return tuple(chain.from_iterable(turns))
