"""Reads an instant as a person types it, the same everywhere: `3w`, `in 3 weeks`, `tomorrow 9:00`, `fri 18:00`, ISO."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from engine.errors import UsageError
from engine.workspace.dates import zone_of

EXAMPLES = ("3d", "in 2 weeks", "tomorrow 9:00", "fri 18:00", "2026-03-22 03:00")
"""One of each kind, as help and errors show them."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DISTANCE = re.compile(r"(?P<sign>[+-]|in\s)?\s*(?P<number>\d{1,4}|an?|one)\s*(?P<unit>[a-z]+)(?P<ago>\s+ago)?\Z")
_UNITS = {
    ("m", "min", "mins", "minute", "minutes"): timedelta(minutes=1),
    ("h", "hr", "hrs", "hour", "hours"): timedelta(hours=1),
    ("d", "day", "days"): timedelta(days=1),
    ("w", "wk", "wks", "week", "weeks"): timedelta(weeks=1),
    ("mo", "month", "months"): timedelta(days=30),
    ("y", "yr", "yrs", "year", "years"): timedelta(days=365),
}
"""Minutes are `m`, months `mo`: thirty days, and a year 365."""
_LENGTHS = {name: length for names, length in _UNITS.items() for name in names}
_CLOCK = re.compile(r"(?:at\s+)?(\d{1,2}):(\d{2})\Z")
NOON = time(12)
"""The time of a day that is named without one: all that was scheduled for its night has fallen due by then."""


def instant(text: str, now: datetime, zone: str, *, day_at: time = NOON, past: bool = False) -> datetime:
    """The instant that `text` names, in UTC; `UsageError` with examples where it names none. Days and times without an
    offset are those of `zone`, a day alone means `day_at`, a weekday the next one, a time alone its moment today.
    `past`: a distance without a sign is counted back, and a weekday is the last one."""
    local = zone_of(zone)
    words = " ".join(text.casefold().split())
    try:
        found = _distance(words, now, past) or _day(words, now.astimezone(local), local, day_at, past)
        if found is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise UsageError("is no date, time or distance", where=repr(text[:60]), hint=f"try {', '.join(EXAMPLES)}")


def _distance(words: str, now: datetime, past: bool) -> datetime | None:
    """`3w`, `+3w`, `-36h`, `in 3 weeks`, `an hour ago`."""
    found = _DISTANCE.match(words)
    length = _LENGTHS.get(found["unit"]) if found is not None else None
    if found is None or length is None:
        return None
    apart = length * (int(found["number"]) if found["number"].isdigit() else 1)
    back = found["ago"] or found["sign"] == "-" or (past and not found["sign"])
    if found["ago"] and found["sign"]:
        return None
    return now - apart if back else now + apart


def _day(words: str, here: datetime, local: tzinfo, day_at: time, past: bool) -> datetime | None:
    """`now`, a whole ISO instant, or a day with a time behind it or without one."""
    if words == "now":
        return here
    if (whole := _iso(words, local, day_at)) is not None:
        return whole
    first, _, rest = words.partition(" ")
    if _CLOCK.match(words):
        first, rest = "today", words
    at = _clock(rest) if rest else day_at
    day = _named(first, here.date(), past)
    return datetime.combine(day, at, local) if day is not None and at is not None else None


def _iso(words: str, local: tzinfo, day_at: time) -> datetime | None:
    if not words[:1].isdigit():
        return None
    try:
        return datetime.combine(date.fromisoformat(words.upper()), day_at, local)
    except ValueError:
        pass
    try:
        whole = datetime.fromisoformat(words.upper())
    except ValueError:
        return None
    return whole if whole.tzinfo is not None else whole.replace(tzinfo=local)


def _clock(words: str) -> time | None:
    found = _CLOCK.match(words)
    return time(int(found[1]), int(found[2])) if found else None


def _named(word: str, today: date, past: bool) -> date | None:
    """`yesterday`, `today`, `tomorrow`, a weekday (today's own name means a week from today), or a date."""
    near = {"yesterday": -1, "today": 0, "tomorrow": 1}.get(word)
    if near is not None:
        return today + timedelta(days=near)
    weekday = next((n for n, name in enumerate(_DAYS) if len(word) >= 2 and name.startswith(word)), None)
    if weekday is not None:
        days = (weekday - today.weekday()) % 7
        return today - timedelta(days=7 - days) if past else today + timedelta(days=days or 7)
    return date.fromisoformat(word) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", word) else None
