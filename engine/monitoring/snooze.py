"""Keeps until when plans are put off: in the operator's state folder, never in a plan (decision G17)."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from engine.errors import UsageError
from engine.plans.plan import OPEN_STATES, PlanState, QueueEntry
from engine.plans.records.state import write_private

LONGEST = timedelta(days=366)


class Snoozed:
    """The instant until which each plan is put off. A damaged or missing file shows them all: early does no harm."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> dict[str, datetime]:
        """The instant at which each plan wakes, in UTC, also those in the past."""
        try:
            found = msgspec.json.decode(self._file.read_bytes(), type=dict[str, datetime])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return {}
        # Of years at the ends of the calendar no other zone's time can be told.
        return {plan: at.astimezone(UTC) for plan, at in found.items() if at.tzinfo and 1 < at.year < 9999}

    def snooze(self, entry: QueueEntry, until: datetime | None, now: datetime) -> QueueEntry:
        """Lets a plan that waits sleep until then; None wakes it. Plans that woke up by now are forgotten.

        `now` is real time. `UsageError` for an instant in the past, and for plans that are over.
        """
        asleep = {plan: at for plan, at in self.all().items() if at > now and plan != entry.id}
        if until is not None:
            asleep[entry.id] = _checked(entry, until, now)
        write_private(self._file, msgspec.json.encode(asleep))
        return msgspec.structs.replace(entry, snoozed_until=asleep.get(entry.id))

    def mark(self, entries: tuple[QueueEntry, ...], now: datetime) -> tuple[QueueEntry, ...]:
        """The same entries, those that sleep with the instant at which they wake. The very tuple where none does."""
        asleep = {plan: at for plan, at in self.all().items() if at > now}
        return _marked(entries, asleep.get) if asleep else entries


def _marked(entries: tuple[QueueEntry, ...], until: Callable[[str], datetime | None]) -> tuple[QueueEntry, ...]:
    return tuple(
        msgspec.structs.replace(entry, snoozed_until=at) if (at := until(entry.id)) is not None else entry
        for entry in entries
    )


def _checked(entry: QueueEntry, until: datetime, now: datetime) -> datetime:
    if entry.state not in OPEN_STATES | {PlanState.STALE}:
        raise UsageError(f"is {entry.state}: there is nothing to put off", where=entry.id, hint="memdeck queue")
    if until <= now:
        raise UsageError("that instant has passed already", where=until.isoformat(), hint="like 2h, 3d or 2026-03-22")
    if until - now > LONGEST:
        raise UsageError("more than a year away", where=until.isoformat(), hint="reject the plan instead")
    return until.astimezone(UTC)


_UNITS: Mapping[str, timedelta] = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}


def parse_until(text: str, now: datetime) -> datetime | None:
    """`2h`, `3d`, `1w`, a date or time as ISO 8601 (without an offset: UTC); None for `wake`. Else `UsageError`."""
    words = text.strip().lower()
    if words == "wake":
        return None
    number, unit = words[:-1], _UNITS.get(words[-1:])
    if unit is not None and number.isascii() and number.isdigit() and len(number) <= 4:
        return now + int(number) * unit
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError("is no instant", where=repr(text), hint="like 2h, 3d, 1w, 2026-03-22, or wake") from error
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
