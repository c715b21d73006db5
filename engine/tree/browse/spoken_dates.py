"""Days and months as people name them: `2026-03-11`, `March 11th`, `11. März 2026`, `3月11日`."""

import re
from collections.abc import Collection, Iterator
from datetime import date
from typing import NamedTuple

from engine.workspace.dates import parse_day

_NAMES = (
    "january|januar|jan february|februar|feb march|märz|maerz|mar april|apr may|mai june|juni|jun july|juli|jul "
    "august|aug september|sept|sep october|oktober|oct|okt november|nov december|dezember|dec|dez"
)
MONTHS = {name: number for number, names in enumerate(_NAMES.split(), 1) for name in names.split("|")}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR = r"(?:,?\s+(?P<{0}>(?:19|20)\d\d))?"
_PATTERN = re.compile(
    r"(?<!\d)(?P<y1>(?:19|20)\d\d)-(?P<m1>\d\d)(?:-(?P<d1>\d\d))?(?!\d)"
    rf"|\b(?P<n2>{_MONTH})\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b{_YEAR.format('y2')}"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<n3>{_MONTH})\b{_YEAR.format('y3')}"
    r"|(?:(?P<y4>(?:19|20)\d\d)年)?(?P<m4>\d{1,2})月(?:(?P<d4>\d{1,2})[日号])?",
    re.IGNORECASE,
)


class Named(NamedTuple):
    """A day or month somebody named; None for what was left out."""

    year: int | None
    month: int
    day: int | None

    def holds(self, day: date) -> bool:
        """Tells whether a day can be meant."""
        same_year = self.year is None or self.year == day.year
        return same_year and self.month == day.month and self.day in (None, day.day)


def named_dates(text: str) -> tuple[Named, ...]:
    """Every day or month that the text names, in order; what no calendar has is left out."""
    return tuple(named for found in _PATTERN.finditer(text) if (named := _named(found)) is not None)


def _named(found: re.Match[str]) -> Named | None:
    parts = {key: value for key, value in found.groupdict().items() if value}
    numbers = {key[0]: int(value) for key, value in parts.items() if key[0] != "n"}
    month = numbers.get("m") or next((MONTHS[value.casefold()] for key, value in parts.items() if key[0] == "n"), 0)
    named = Named(numbers.get("y"), month, numbers.get("d"))
    # A leap year stands in for the year that was left out.
    exists = 1 <= month <= 12 and parse_day(f"{named.year or 2024:04}-{month:02}-{named.day or 1:02}")
    return named if exists else None


def meant(text: str, days: Collection[date]) -> Iterator[date]:
    """The days of those given that the text names."""
    named = named_dates(text)
    return (day for day in days if any(one.holds(day) for one in named))
