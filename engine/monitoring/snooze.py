"""Stores until when plans are snoozed: in the operator's state, never in a plan (decision G17)."""

from datetime import UTC, datetime, time, timedelta

import msgspec

from engine.errors import UsageError
from engine.plans.plan import OPEN_STATES, PlanState, QueueEntry
from engine.state.database import StateDatabase
from engine.state.table import Instant, StateTable, Table
from engine.workspace.dates import instant

LONGEST = timedelta(days=366)  # a year, a leap day included; what should sleep longer is rejected instead


class Snoozed:
    """The instant until which each plan is snoozed. If unreadable, all are shown: too early does no harm."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.SNOOZES)

    def all(self) -> dict[str, datetime]:
        """Returns the end of each snooze in UTC, also past ones."""
        return self._table.values(Instant)

    def snooze(self, entry: QueueEntry, until: datetime | None, now: datetime) -> QueueEntry:
        """Snoozes a waiting plan; None ends it. `now`: real time. `UsageError` for a past instant or a closed plan."""
        at = _checked(entry, until, now) if until is not None else None
        with self._table.change() as rows:
            for plan, wakes in rows.values(Instant).items():
                if wakes <= now or plan == entry.id:
                    rows.drop(plan)
            if at is not None:
                rows.put(entry.id, msgspec.json.encode(at))
        return msgspec.structs.replace(entry, snoozed_until=at)

    def mark(self, entries: tuple[QueueEntry, ...], now: datetime) -> tuple[QueueEntry, ...]:
        """Adds the end of its snooze to each snoozed entry; returns the same tuple if there is none."""
        if not (asleep := {plan: at for plan, at in self.all().items() if at > now}):
            return entries
        return tuple(
            msgspec.structs.replace(entry, snoozed_until=asleep[entry.id]) if entry.id in asleep else entry
            for entry in entries
        )


def _checked(entry: QueueEntry, until: datetime, now: datetime) -> datetime:
    if entry.state not in OPEN_STATES | {PlanState.STALE}:
        raise UsageError(f"is {entry.state}: there is nothing to snooze", where=entry.id, hint="memdeck queue")
    if until <= now:
        raise UsageError("that instant has passed already", where=until.isoformat(), hint="like 2h, 3d or 2026-03-22")
    if until - now > LONGEST:
        raise UsageError("more than a year away", where=until.isoformat(), hint="reject the plan instead")
    return until.astimezone(UTC)


WAKE = ("unsnooze", "wake")  # words in place of an instant: the plan waits again now


def parse_until(text: str, now: datetime, zone: str = "UTC") -> datetime | None:
    """Reads the end of a snooze as `dates.instant` does, a day from its start; None to end it."""
    if text.strip().casefold() in WAKE:
        return None
    return instant(text, now, zone, day_at=time.min)
