"""The what-if clock's words: a date, a weekday or a distance as an instant, and the banner that nobody overlooks."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from tui.present.spans import Line, ListRow, Span
from tui.present.words import ahead

_EXAMPLES = ("sunday", "fri 18:00", "+3d", "+2w", "2026-03-22 03:00")
HELP = " · ".join(_EXAMPLES)
_TRY = f"try {', '.join(_EXAMPLES)}"
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DISTANCE = re.compile(r"([+-])\s*(\d{1,4})\s*(h|d|w|m|y)[a-z]*\Z")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})\Z")
_AT = time(12)
"""The time of a day that is named without one: everything scheduled for its night has fallen due by then."""
_MINUTE = timedelta(minutes=1)
FIRST_YEAR, LAST_YEAR = 1990, 2200


def instant(text: str, now: datetime, zone: str) -> datetime | str:
    """The instant that `text` names, in UTC; words for what is wrong with it.

    A date or weekday alone means its noon in `zone`, a weekday the next one that is still to come; `+3d` is counted
    from `now`, and so is a time alone, on its day.
    """
    local = ZoneInfo(zone)
    words = text.strip().casefold()
    try:
        found = _distance(words, now) or _day(words, now.astimezone(local), local)
    except (ValueError, OverflowError):
        return f"no such day: {_TRY}"
    if found is None:
        return f"not a date: {_TRY}"
    if not FIRST_YEAR <= found.year <= LAST_YEAR:
        return f"a year from {FIRST_YEAR} to {LAST_YEAR}: {_TRY}"
    return found.astimezone(UTC)


def _distance(words: str, now: datetime) -> datetime | None:
    """`+3d`, `-2w`, `+36h`."""
    found = _DISTANCE.match(words)
    if found is None:
        return None
    sign, number, unit = found.groups()
    hours = timedelta(hours=int(number) * _HOURS[unit])
    return now + hours if sign == "+" else now - hours


def _day(words: str, here: datetime, local: tzinfo) -> datetime | None:
    """A whole ISO instant, or a day with a time behind it or without one."""
    if "t" in words and words[:1].isdigit():
        whole = datetime.fromisoformat(words.upper().replace("Z", "+00:00"))
        return whole if whole.tzinfo is not None else whole.replace(tzinfo=local)
    first, _, rest = words.partition(" ")
    if _CLOCK.match(words):
        first, rest = "today", words
    at = _clock(rest.strip()) if rest.strip() else _AT
    day = _named(first, here.date())
    return datetime.combine(day, at, local) if day is not None and at is not None else None


def _clock(words: str) -> time | None:
    found = _CLOCK.match(words)
    return time(int(found[1]), int(found[2])) if found else None


def _named(word: str, today: date) -> date | None:
    """`today`, `tomorrow`, a weekday (today's own name means a week from today), or a date."""
    if word in ("today", "tomorrow"):
        return today + timedelta(days=word == "tomorrow")
    weekday = next((n for n, name in enumerate(_DAYS) if len(word) >= 2 and name.startswith(word)), None)
    if weekday is not None:
        days = (weekday - today.weekday()) % 7
        return today + timedelta(days=days or 7)
    return date.fromisoformat(word) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", word) else None


def banner(now: datetime, real_now: datetime, zone: str, *, leave: bool) -> ListRow:
    """` WHAT-IF  Sun 22 Mar 2026 12:00 UTC  in 6 d ` and what that means; `leave`: whether `esc` ends it."""
    local = now.astimezone(ZoneInfo(zone))
    # A minute on: time passes while one types, and `+3d` is still three days.
    apart = ahead(now + _MINUTE, real_now) if now >= real_now else f"{ahead(real_now, now).removeprefix('in ')} ago"
    when = f"{local:%a} {local.day} {local:%b %Y %H:%M %Z}"
    badge: Line = (Span(f" WHAT-IF  {when} · {apart} ", "readonly"),)
    means: Line = (Span("  all as of then · new plans are simulated", "warn"),)
    keys: Line = (Span("t", "key"), Span(" date", "muted"))
    if leave:
        keys += (Span("  esc", "key"), Span(" back to now", "strong"))
    return ListRow(badge, keys, means)
