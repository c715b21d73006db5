"""Dates a file by its frontmatter, name, first commit or mtime (decision G8), and reads a person's time words."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.errors import PolicyError, UsageError
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.values import DateSource, FileDate

DATE_KEYS = ("source-date", "date", "created", "started")
"""Frontmatter keys; the first valid date wins. `source-date` is first, since a compiled file's `date` may be the day of
compiling, and its age is its source's (decision A7). `started` is the only key of a transcript (autopoiesis §3)."""

# ASCII letters and digits end a date, other scripts do not: Chinese and Japanese write no space around one.
_NAME_DATE = re.compile(r"(?<![0-9A-Za-z])([0-9]{4}-[0-9]{2}-[0-9]{2})(?:(?![0-9A-Za-z])|(?=T[0-9]))")
_ARCHIVED = re.compile(r"-archived-[0-9]{4}-[0-9]{2}-[0-9]{2}(?:-[0-9]+)?$")
_LEADING_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9A-Za-z-])")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}.*", re.DOTALL)
_TRANSCRIPT = re.compile(rf"{CONVERSATIONS}/([0-9]{{4}})/([0-9]{{2}})/([0-9]{{2}})/[^/]+\.md\Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_day(text: str) -> date | None:
    """Reads `2026-03-15`; None for another text or an invalid date."""
    if not _DAY.match(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def transcript_day(path: str) -> date | None:
    """Returns the day of a transcript's folder (autopoiesis §2.1); None for another path."""
    found = _TRANSCRIPT.match(path)
    return parse_day("-".join(found.groups())) if found else None


def week_of(day: date) -> str:
    """Returns the ISO week of a day, as `2026-W11`; its year may differ from the day's."""
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def zone_of(name: str) -> tzinfo:
    """Returns the time zone `name`; `UTC` needs no zone database. Raises `PolicyError` for an unknown name."""
    # Some systems have no zone database, and UTC needs none.
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise PolicyError(f"unknown time zone {name!r}", where="zone", hint="use a name like Europe/Berlin") from error


def value_date(text: str, zone: tzinfo) -> date | None:
    """The day a frontmatter value names: an ISO date, or an ISO moment, moved into `zone` where it has an offset."""
    text = text.strip()
    if _MOMENT.fullmatch(text) and (moment := _moment_date(text, zone)) is not None:
        return moment
    leading = _LEADING_DATE.match(text) or re.match(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?=[Tt])", text)
    return parse_day(leading[1]) if leading else None


def frontmatter_date(values: Mapping[str, str | list[str]], zone: tzinfo) -> tuple[date | None, tuple[str, ...]]:
    """Returns the first valid date among `DATE_KEYS`, and a remark for each invalid one before it."""
    remarks: list[str] = []
    for key in DATE_KEYS:
        value = values.get(key)
        if not isinstance(value, str) or not value.strip():
            continue
        if (day := value_date(value, zone)) is not None:
            return day, tuple(remarks)
        # The next key is tried: a date that cannot be read is not today (decision G8).
        remarks.append(f"frontmatter {key}: {value.strip()[:40]!r} is not a date")
    return None, tuple(remarks)


def name_date(name: str) -> tuple[date | None, tuple[str, ...]]:
    """Returns the first valid date in a file name, and remarks on invalid ones. Ignores that of archiving (A8)."""
    remarks: list[str] = []
    for text in (match[1] for match in _NAME_DATE.finditer(_ARCHIVED.sub("", name.removesuffix(".md")))):
        if (day := parse_day(text)) is not None:
            return day, tuple(remarks)
        remarks.append(f"the date {text} in the file name does not exist")
    return None, tuple(remarks)


def mtime_date(mtime_ns: int, zone: tzinfo) -> date:
    """Returns the day of a modification time in `zone`, limited to the calendar's range."""
    try:
        return (_EPOCH + timedelta(seconds=mtime_ns // 1_000_000_000)).astimezone(zone).date()
    except OverflowError:
        return date.max if mtime_ns > 0 else date.min


def own_date(name: str, values: Mapping[str, str | list[str]], zone: tzinfo) -> tuple[FileDate | None, tuple[str, ...]]:
    """Returns the date in a file's frontmatter or name, with remarks on invalid dates."""
    # Frontmatter before name (decision G8).
    day, remarks = frontmatter_date(values, zone)
    if day is not None:
        return FileDate(day, DateSource.FRONTMATTER), remarks
    day, more = name_date(name)
    return (FileDate(day, DateSource.NAME) if day is not None else None), remarks + more


def outside_date(first_commit: date | None, mtime_ns: int, zone: tzinfo) -> FileDate:
    """Returns the date of a file without its own: its first commit, else its modification time."""
    if first_commit is not None:
        return FileDate(first_commit, DateSource.GIT)
    return FileDate(mtime_date(mtime_ns, zone), DateSource.MTIME)


def _moment_date(text: str, zone: tzinfo) -> date | None:
    try:
        moment = datetime.fromisoformat(text)
        # Without an offset it is taken as local, since an agent writes the clock it sees.
        return moment.date() if moment.tzinfo is None else moment.astimezone(zone).date()
    except (ValueError, OverflowError):
        return None


EXAMPLES = ("3d", "in 2 weeks", "tomorrow 9:00", "fri 18:00", "2026-03-22 03:00")
"""One example of each form, for help and errors."""
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
"""Minutes are `m`, months `mo`; a month has 30 days, a year 365."""
_LENGTHS = {name: length for names, length in _UNITS.items() for name in names}
_CLOCK = re.compile(r"(?:at\s+)?(\d{1,2}):(\d{2})\Z")
NOON = time(12)
"""The time of a day named without one, after everything scheduled for the night."""


def instant(text: str, now: datetime, zone: str, *, day_at: time = NOON, past: bool = False) -> datetime:
    """Reads an instant, in UTC; `UsageError` with examples. Without offset it is in `zone`; a day alone means `day_at`,
    a weekday the next, a time today. `past`: distances count back, a weekday is the last one."""
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
    """Reads `3w`, `+3w`, `-36h`, `in 3 weeks`, `an hour ago`."""
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
    """Reads `now`, an ISO instant, or a day with or without a time."""
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
    """Reads `yesterday`, `today`, `tomorrow`, a weekday (today's name means a week from today), or a date."""
    if (near := {"yesterday": -1, "today": 0, "tomorrow": 1}.get(word)) is not None:
        return today + timedelta(days=near)
    weekday = next((n for n, name in enumerate(_DAYS) if len(word) >= 2 and name.startswith(word)), None)
    if weekday is not None:
        days = (weekday - today.weekday()) % 7
        return today - timedelta(days=7 - days) if past else today + timedelta(days=days or 7)
    return date.fromisoformat(word) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", word) else None
