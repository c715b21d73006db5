"""Reads the phrases of a question as days, as seen from a given day. An ambiguous phrase is ignored. `dateparser` reads
names of months and "two weeks ago"; it is loaded only if a question mentions days."""

import calendar
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from engine.text.language import Language
from engine.text.pattern_file import pattern_file


class DaySpan(msgspec.Struct, frozen=True):
    """The days from `first` to `last`, both included. `text`: the words of the question that mean them."""

    first: date
    last: date
    text: str

    @property
    def days(self) -> str:
        """The span as text: one day, or the first and the last."""
        return f"{self.first}" if self.first == self.last else f"{self.first}..{self.last}"


_TABLES = pattern_file(__package__, "dates.toml")
_FORMS: tuple[tuple[Language, str], ...] = tuple(
    (language, form) for language, forms in _TABLES["forms"].items() for form in forms
)
_FORM = re.compile("|".join(f"(?P<{language}{at}>{form})" for at, (language, form) in enumerate(_FORMS)), re.IGNORECASE)
_SHIFT = re.compile(_TABLES["shift"]["before"], re.IGNORECASE)


class Phrase(msgspec.Struct, frozen=True):
    """Words that mean days, in lower case. `count`, `unit` and `side`: "two weeks before" in front of them."""

    text: str
    language: Language
    count: str = ""
    unit: str = ""
    side: str = ""
    written: str = ""  # the words as they stand in the question, with those before them


def phrases(question: str) -> Iterator[Phrase]:
    """Yields the phrases of a question that mean days. The name of a month alone is not one."""
    for match in _FORM.finditer(question):
        language, text = _FORMS[int((match.lastgroup or "en0")[2:])][0], match[0].lower()
        if (shift := _SHIFT.search(question, 0, match.start())) is None:
            yield Phrase(text, language, written=match[0])
            continue
        found = shift.groupdict()
        count, unit, side = (
            (found[own] or found[german] or "").lower()
            for own, german in (("count", "anzahl"), ("unit", "einheit"), ("side", "seite"))
        )
        yield Phrase(text, language, count, unit, side, shift[0] + match[0])


Days = tuple[date, date]
MOST_PHRASES = 4  # phrases of a question that are read: a list of days is about none of them
_SENTENCE_ENDS = re.compile(r"(?:(?<!\d)\.|(?<=\d{4})\.|[!?])\s+\S|[。！？]\S|\n")
_PLANS = re.compile(_TABLES["asked"]["plans"])
_UNIT_DAYS: dict[str, int] = _TABLES["unit_days"]
_FEASTS, _RELATIVE = _TABLES["asked"]["feasts"], _TABLES["asked"]["relative"]
_BACK: dict[str, int] = _TABLES["back"]
_WIDE_AGO, _WIDE_UNITS = re.compile(_TABLES["asked"]["wide_ago"]), _TABLES["wide_units"]
_HAN_DIGITS = {sign: number for number, sign in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "兩": 2}
"""Chinese digits. Before a unit, two has signs of its own."""
_WIDE_DATE = re.compile(r"(?:(\d{4})[年년] ?)?(?:(\d{1,2})[月월] ?)?(?:(\d{1,2})[日号號일])?")
_PARTS: dict[str, int] = _TABLES["parts_of_month"]
_PART = re.compile(rf"(?:in |the )*({'|'.join(_PARTS)})\b[ -]?(?:of )?")
_LEAD = re.compile(r"(?:in|im|last|during|letzten) (?=\D)")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")


def spans_in(question: str, today: date, noted: AbstractSet[date] = frozenset()) -> tuple[DaySpan, ...]:
    """Returns the days that a question mentions, in order, as seen from `today`; empty if they are ambiguous. `noted`:
    days with notes, which decide whether "last week" is the calendar week. Only one sentence is read, and none that
    tells what its speaker does: boosting days mentioned in passing took hit@1 from 14 to 3 % of such messages."""
    if _SENTENCE_ENDS.search(question.strip()) or _PLANS.match(question):
        return ()
    found = (
        (phrase, _days(phrase, today, noted)) for phrase, _ in zip(phrases(question), range(MOST_PHRASES), strict=False)
    )
    spans = (DaySpan(*days, phrase.written) for phrase, days in found if days is not None)
    return tuple({(span.first, span.last): span for span in spans}.values())


def _days(phrase: Phrase, today: date, noted: AbstractSet[date]) -> Days | None:
    try:
        days = _anchor(phrase.text, phrase.language, today)
        return days and (_shifted(days, phrase) if phrase.unit else _settled(days, phrase.text, today, noted))
    except (ValueError, OverflowError):  # the 31st of June, or a year that no calendar has
        return None


def _shifted(days: Days, phrase: Phrase) -> Days:
    """Moves days by the words in front of them: "two weeks before", or the whole of "the week before"."""
    if (unit := _UNIT_DAYS.get(phrase.unit)) is None:
        return days
    sign = -1 if phrase.side in ("before", "vor") else 1
    start = days[0] if sign < 0 else days[1]
    far = start + timedelta(sign * unit * _count(phrase.count))
    if phrase.count in ("the", "am", "in der"):
        return min(far, start + timedelta(sign)), max(far, start + timedelta(sign))
    return far, far


def _settled(days: Days, text: str, today: date, noted: AbstractSet[date]) -> Days | None:
    """Returns the one meaning of "last week": both readings have the same notes, or only one has any. Else None."""
    back = next((_BACK.get(said, 0) for pattern, said in _RELATIVE if re.fullmatch(pattern, text)), 0)
    readings = (days, (today - timedelta(back), today - timedelta(1))) if back else (days,)
    held = {frozenset(day for day in noted if first <= day <= last): (first, last) for first, last in readings[::-1]}
    nothing = held.pop(frozenset(), None)
    return nothing and days if not held else next(iter(held.values())) if len(held) == 1 else None


def _count(text: str) -> int:
    """Reads a count: digits or a word. An article counts as one."""
    if text.isdigit():
        return int(text)
    return next((1 + names.index(text) for names in _TABLES["counts"].values() if text in names), 1)


def _anchor(text: str, language: Language, today: date) -> Days | None:
    for pattern, said in _FEASTS:
        if (feast := re.fullmatch(rf"(?:{pattern})(?:,? (\d{{4}}))?", text)) is not None:
            return _read(f"{said} {feast[1] or ''}".strip(), "en", today)
    for pattern, said in _RELATIVE:
        if re.fullmatch(pattern, text):
            return _weekend(today) if said.endswith("weekend") else _read(said, "en", today)
    if text.endswith("weekend"):
        return _weekend(today)
    if language in ("zh", "ja", "ko"):
        return _wide(text, today)
    if (slashed := _SLASHED.fullmatch(text)) is not None:
        return _slashed(int(slashed[1]), int(slashed[2]), int(slashed[3]))
    if (dotted := _DOTTED.fullmatch(text)) is not None:
        return _one(date(int(dotted[3]), int(dotted[2]), int(dotted[1])))
    return _named(text, language, today)


def _named(text: str, language: Language, today: date) -> Days | None:
    """Reads the name of a day, month or year, or the early, middle or late part of a month."""
    part = _PART.match(text)
    rest = text[part.end() :] if part is not None else text
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|\bof\b|^in (?=\d)", "", _LEAD.sub("", rest)).strip()
    days = _read(re.sub(r"\s+", " ", plain), language, today)
    if days is not None and days[0].year == today.year and days[0] <= today <= days[1] and text.startswith("last"):
        days = _whole("month", days[0].replace(year=today.year - 1))  # "last May", said in May
    if days is None or part is None:
        return days
    third = _PARTS[part[1]]
    first = days[0].replace(day=10 * third - 9)
    return first, days[1] if third == 3 else days[0].replace(day=10 * third)


def _wide(text: str, today: date) -> Days | None:
    """Reads Chinese, Japanese and Korean: "three days ago", or the numbers of a date."""
    if text.endswith(("前", "전")) and (ago := _WIDE_AGO.match(text.replace(" ", ""))) is not None:
        count = _HAN_DIGITS.get(ago[1]) or int(ago[1])
        return _read(f"{count} {_WIDE_UNITS[ago[2][-1]]}s ago", "en", today)
    found = _WIDE_DATE.fullmatch(text)
    if found is None or not any(found.groups()):
        return None
    year, month, day = (int(group) if group else 0 for group in found.groups())
    if not month:
        return date(year, 1, 1), date(year, 12, 31)
    if not year:
        year = today.year if (month, day) <= (today.month, today.day) else today.year - 1
    return _one(date(year, month, day)) if day else _whole("month", date(year, month, 1))


def _slashed(first: int, second: int, year: int) -> Days | None:
    """Reads a date with slashes if day and month cannot be confused."""
    if first <= 12 and second <= 12 and first != second:
        return None
    return _one(date(year, min(first, second), max(first, second)))


def _weekend(today: date) -> Days:
    saturday = today - timedelta(today.weekday() + 2)
    return saturday, saturday + timedelta(1)


def _read(text: str, language: Language, today: date) -> Days | None:
    """Reads a text with `dateparser` and returns the days of its day, week, month or year; past dates are preferred."""
    found = _parser(language, today).get_date_data(text)
    return _whole(str(found.period), found.date_obj.date()) if found.date_obj is not None else None


@lru_cache(maxsize=4)
def _parser(language: Language, today: date) -> Any:
    from dateparser.date import DateDataParser

    seen_from = datetime(today.year, today.month, today.day, 12)  # noqa: DTZ001 — a day, in no zone
    settings = {"RELATIVE_BASE": seen_from, "PREFER_DATES_FROM": "past", "TIMEZONE": "UTC", "NORMALIZE": True}
    return DateDataParser(languages=[language], settings=settings)


def _whole(period: str, day: date) -> Days:
    match period:
        case "week":
            monday = day - timedelta(day.weekday())
            return monday, monday + timedelta(6)
        case "month":
            return day.replace(day=1), day.replace(day=calendar.monthrange(day.year, day.month)[1])
        case "year":
            return date(day.year, 1, 1), date(day.year, 12, 31)
        case _:
            return _one(day)


def _one(day: date) -> Days:
    return day, day
