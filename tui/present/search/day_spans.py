"""Reads a span of days as the operator types it: `7d`, `2026-03`, `2026-03-01..2026-03-15`, `..2026`."""

import re
from calendar import monthrange
from datetime import date, timedelta

from engine.errors import UsageError

HINT = "7d, 2w, 3m, 1y, 2026, 2026-03, 2026-03-15, A..B, A.. or ..B"
_BACK = re.compile(r"(\d{1,4})\s*([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}  # days of a unit that somebody types; a month is 30, a year 365
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")

Days = tuple[date | None, date | None]  # first and last day, both included; None: no limit


def days(text: str, today: date) -> Days:
    """Reads the first and last day from `text`; None means no limit. Raises `UsageError` with examples."""
    if not (text := text.strip().lower()):
        return None, None
    first, dots, last = text.partition("..")
    if not dots:
        return _span(text, today)
    return (_span(first, today)[0] if first.strip() else None, _span(last, today)[1] if last.strip() else None)


def _span(text: str, today: date) -> Days:
    text = text.strip()
    if text in ("today", "yesterday"):
        day = today - timedelta(days=text == "yesterday")
        return day, day
    if back := _BACK.fullmatch(text):
        return max(date.min, today - timedelta(days=min(int(back[1]) * _DAYS[back[2]], today.toordinal() - 1))), None
    match = _DAY.fullmatch(text)
    try:
        return _calendar(match) if match else _refuse(text)
    except ValueError:
        return _refuse(text)


def _calendar(match: "re.Match[str]") -> Days:
    year, month, day = int(match[1]), int(match[2] or 0), int(match[3] or 0)
    if day:
        return date(year, month, day), date(year, month, day)
    if match[2]:
        return date(year, month, 1), date(year, month, monthrange(year, month)[1])
    return date(year, 1, 1), date(year, 12, 31)


def _refuse(text: str) -> Days:
    raise UsageError("not a day, a month, a year or a span of them", where=text[:40], hint=HINT)


def day_words(since: date | None, until: date | None) -> str:
    """Returns `any date`, `since 2026-03-01`, `2026-03-01 to 2026-03-15`, `on 2026-03-15`."""
    if since is None and until is None:
        return "any date"
    if since == until:
        return f"on {since}"
    if since is None:
        return f"until {until}"
    return f"since {since}" if until is None else f"{since} to {until}"
