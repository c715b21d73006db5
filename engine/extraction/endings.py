"""Finds when a statement ends by itself: a named day, a span such as "next week", an age, a release (D61)."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any

import msgspec

from engine.text.pattern_file import converted, made_of, pattern_file

_FILE = "engine/extraction/endings.toml"
_YEAR = 365
_WIDE = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号])?")


class EndKind(StrEnum):
    """The way in which a statement says its end."""

    UNTIL = "until"
    SPAN = "span"
    AGE = "age"
    RELEASE = "release"


class Ending(msgspec.Struct, frozen=True):
    """The last day on which a statement holds, and its words for that; for a release, the day is known only later."""

    kind: EndKind
    words: str
    day: date | None = None
    release: str = ""

    def is_over(self, day: date, shipped: Mapping[str, date]) -> bool:
        """Tells whether the end came before a day. `shipped`: releases that came out, with their days."""
        last = shipped.get(self.release) if self.release else self.day
        return last is not None and last < day


class _Patterns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's table, as in the file."""

    until: list[str]
    spans: dict[str, str]
    age: list[str]
    release: list[str]
    shipped: list[str]


class _Compiled(msgspec.Struct, frozen=True):
    """One language's patterns; the first that matches gives the end."""

    language: str
    ends: tuple[tuple[EndKind, re.Pattern[str], str], ...]
    shipped: tuple[re.Pattern[str], ...]


@cache
def _languages() -> tuple[_Compiled, ...]:
    tables = converted(pattern_file(__package__, "endings.toml"), dict[str, _Patterns], _FILE)
    return tuple(_compiled(language, table) for language, table in tables.items())


def _compiled(language: str, table: _Patterns) -> _Compiled:
    def made(line: str, key: str) -> re.Pattern[str]:
        return made_of(lambda pattern_text: re.compile(pattern_text, re.IGNORECASE), line, _FILE, f"{language}.{key}")

    edge = "" if language == "zh" else r"\b"
    lines = [(EndKind.UNTIL, line, "") for line in table.until] + [
        (EndKind.RELEASE, line, "") for line in table.release
    ]
    lines += [(EndKind.AGE, line, "") for line in table.age]
    lines += [(EndKind.SPAN, f"{edge}(?:{line}){edge}", shift) for line, shift in table.spans.items()]
    return _Compiled(
        language,
        tuple((kind, made(line, kind.value), shift) for kind, line, shift in lines),
        tuple(made(line, "shipped") for line in table.shipped),
    )


def ending(text: str, said: date) -> Ending | None:
    """Returns the end of a statement made on a day; None if it has none."""
    for language in _languages():
        for kind, pattern, shift in language.ends:
            if (found := pattern.search(text)) is not None:
                made = _made(kind, found, shift, language.language, said)
                if made is not None:
                    return made
    return None


def _made(kind: EndKind, found: re.Match[str], shift: str, language: str, said: date) -> Ending | None:
    words = " ".join(found[0].split())
    try:
        match kind:
            case EndKind.UNTIL:
                day = _read(found["day"], language, said)
                return Ending(kind, words, day) if day is not None and day >= said else None
            case EndKind.RELEASE:
                return Ending(kind, words, release=found["release"].lower().removeprefix("v"))
            case EndKind.AGE:
                return Ending(kind, words, said + timedelta(_YEAR))
            case EndKind.SPAN:
                return Ending(kind, words, _span_end(shift, said))
    except (ValueError, OverflowError):  # the 31st of June, or a year that no calendar has
        return None


def _read(text: str, language: str, said: date) -> date | None:
    """Returns the last day that the words name, after the statement's day."""
    from dateparser.date import DateDataParser

    settings: Any = {"RELATIVE_BASE": datetime(said.year, said.month, said.day, 12), "TIMEZONE": "UTC"}  # noqa: DTZ001
    parser = DateDataParser(languages=[language], settings=settings | {"PREFER_DATES_FROM": "future"})
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th|er)\b|\bof\b", "", text)
    if (wide := _WIDE.fullmatch(plain)) is not None:  # the parser knows no Chinese date without a year
        return _next(int(wide[1] or 0), int(wide[2]), int(wide[3] or 0), said)
    found = parser.get_date_data(plain)
    if found.date_obj is None:
        return None
    day: date = found.date_obj.date()
    return _last("month", day) if found.period == "month" else _last("year", day) if found.period == "year" else day


def _next(year: int, month: int, day: int, said: date) -> date:
    """Returns the date of these numbers, by default in the next possible year and on the last day of the month."""
    years = (year,) if year else (said.year, said.year + 1)
    days = [date(year, month, day) if day else _last("month", date(year, month, 1)) for year in years]
    return next((day for day in days if day >= said), days[-1])


def _span_end(shift: str, said: date) -> date:
    unit, more = shift.split(" ")
    match unit:
        case "day":
            return said + timedelta(int(more))
        case "week":
            return said + timedelta(6 - said.weekday() + 7 * int(more))
        case "month" if int(more):
            return _last("month", _last("month", said) + timedelta(1))
        case _:
            return _last(unit, said)


def _last(unit: str, day: date) -> date:
    """Returns the last day of a day's month or year."""
    month = 12 if unit == "year" else day.month
    return day.replace(month=month, day=monthrange(day.year, month)[1])


def releases(statements: Iterable[tuple[date, str]]) -> Iterator[tuple[str, date]]:
    """Yields the releases that statements say came out, with their days."""
    for day, text in statements:
        for language in _languages():
            for pattern in language.shipped:
                yield from ((found["release"].lower().removeprefix("v"), day) for found in pattern.finditer(text))
