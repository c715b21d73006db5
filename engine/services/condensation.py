"""Reads what a condensation is asked for, and what earlier ones have put into MEMORY.md (autopoiesis §8.4)."""

from collections.abc import Callable, Collection, Sequence
from datetime import date, timedelta

from engine.errors import UsageError
from engine.extraction.extraction_task import EntryFinder
from engine.lifecycle.condense.options import CondenseOptions
from engine.lifecycle.condense.request import CondensePart, CondenseRequest
from engine.topics.messages import SessionTurn
from engine.tree.levels import NodeLevel, is_period, week_start
from engine.workspace.dates import parse_day


def condense_options(
    asked: CondenseRequest,
    today: date,
    *,
    finder: EntryFinder,
    turns: Callable[[], Sequence[SessionTurn]],
    known: Collection[str],
) -> CondenseOptions:
    """The options that the words of an operator mean: parts, and days or a week in the place of what is due. A week
    counts as over once its Sunday has passed. Transcripts are read for days alone. `UsageError` for a day or a week
    that is none."""
    weeks = [name for name in asked.take if is_period(NodeLevel.WEEKLY, name)]
    days = [day for name in asked.take if (day := parse_day(name)) is not None]
    if unknown := [name for name in asked.take if name not in weeks and parse_day(name) is None]:
        raise UsageError("no day and no week", where=unknown[0][:80], hint="2026-02-16, or 2026-W07")
    if len(weeks) > 1:
        raise UsageError("one week at a time", where=", ".join(weeks[:5]))
    parts = asked.only or _parts_of(weeks, days)
    return CondenseOptions(
        finder=finder,
        turns=turns() if CondensePart.DAILY in parts else (),
        week=week_start(weeks[0]) if weeks else today - timedelta(days=today.weekday() + 7),
        parts=parts,
        days=days,
        known=known,
    )


def _parts_of(weeks: Sequence[str], days: Sequence[date]) -> tuple[CondensePart, ...]:
    """The parts that the days and weeks asked for belong to; all where nothing was."""
    found = [*([CondensePart.DAILY] if days else []), *([CondensePart.WEEKLY] if weeks else [])]
    return tuple(found) or tuple(CondensePart)
