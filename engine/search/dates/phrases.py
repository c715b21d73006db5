"""Finds the words of a question that speak of days: English, German, Chinese, Japanese, Korean.

Only forms that mean days wherever they stand: a month by its name alone is none, since `may` and `march` are words.
"""

import re
from collections.abc import Iterator

import msgspec

from engine.text.language import Language

_EN = "january february march april may june july august september october november december".split()  # noqa: SIM905
_DE = "januar februar märz april mai juni juli august september oktober november dezember jänner feber".split()  # noqa: SIM905
_DAYS_EN = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_DAYS_DE = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()  # noqa: SIM905
_SHORT = "jan feb mar apr jun jul aug sept sep oct nov dec".split()  # noqa: SIM905
_COUNT_EN = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_COUNT_DE = r"(?:\d{1,3}|eine[nmr]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)"
_COUNT_HAN = r"(?:\d{1,3}|[一二两兩三四五六七八九十])"
_MONTH_EN, _MONTH_DE = "|".join((*_EN, *_SHORT)), "|".join(_DE)
_YEAR = r"(?:19|20)\d\d"
_PART_EN = r"(?:early|mid|late|the beginning of|the start of|the middle of|the end of)"
_FEAST_EN = (
    r"christmas(?: day)?|christmas eve|xmas|new year(?:'s|’s)? eve|new year(?:'s|’s)? day"
    r"|halloween|valentine(?:'s|’s)?(?: day)?"
)
_FEAST_DE = r"weihnachten|heiligabend|heiligem abend|silvester|neujahr"

_FORMS: tuple[tuple[Language, str], ...] = (
    ("en", rf"\b{_YEAR}-\d\d(?:-\d\d)?\b|\b{_YEAR}/\d\d/\d\d\b"),
    ("en", rf"\b\d{{1,2}}/\d{{1,2}}/{_YEAR}\b"),
    ("en", rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH_EN})\.?(?:,? {_YEAR})?\b"),
    ("en", rf"\b(?:{_MONTH_EN})\.? \d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,? {_YEAR})?\b"),
    ("en", rf"\b(?:{_PART_EN} |mid-)?(?:{_MONTH_EN}),?(?: of)? {_YEAR}\b"),
    ("en", rf"\b(?:(?:in|last|during) (?:{_PART_EN} )?|{_PART_EN} |mid-)(?:{_MONTH_EN})\b(?! \d)"),
    ("en", rf"\b(?:{_FEAST_EN})(?:,? {_YEAR})?\b"),
    ("en", r"\b(?:the day before yesterday|yesterday|last (?:week|weekend|month|year))\b"),
    ("en", rf"\blast (?:{'|'.join(_DAYS_EN)})\b"),
    ("en", rf"\b{_COUNT_EN} (?:day|week|month|year)s? ago\b"),
    ("en", rf"\bin {_YEAR}\b"),
    ("de", rf"(?<![\w.])\d{{1,2}}\.\d{{1,2}}\.{_YEAR}\b(?!\.\d)"),
    ("de", rf"\b\d{{1,2}}\. ?(?:{_MONTH_DE})(?: {_YEAR})?\b"),
    ("de", rf"\b(?:(?:im|anfang|mitte|ende|letzten) )?(?:{_MONTH_DE}) {_YEAR}\b"),
    ("de", rf"\b(?:im|anfang|mitte|ende|letzten) (?:{_MONTH_DE})\b(?! \d)"),
    ("de", rf"\b(?:{_FEAST_DE})(?: {_YEAR})?\b"),
    ("de", r"\b(?:vorgestern|gestern|(?:letzte|vorige)[nrsm]? (?:woche|wochenende|monat|jahr))\b"),
    ("de", rf"\bletzten (?:{'|'.join(_DAYS_DE)})\b"),
    ("de", rf"\bvor {_COUNT_DE} (?:tag|woche|monat|jahr)(?:e[nm]?|n)?\b"),
    ("zh", rf"(?:{_YEAR}[年년] ?)?\d{{1,2}}[月월] ?\d{{1,2}}[日号號일]"),
    ("zh", rf"{_YEAR}[年년] ?\d{{1,2}}[月월]"),
    ("zh", r"(?<!\d)\d{1,2}[月월](?![日号號일间間])"),
    ("zh", rf"{_YEAR}(?:年|년)(?! ?\d)"),
    (
        "zh",
        r"上个?月|上個月|上个?周末|上個?週末|上个?(?:周|星期|礼拜)|上個?(?:週|星期|禮拜)|去年|前天|昨天|圣诞节|聖誕節",
    ),
    ("zh", rf"{_COUNT_HAN}(?:天|日|个?星期|個星期|周|週間?|个?月|個月|[かヶケ]月|年)[之以]?前"),
    ("ja", r"先月|先週末|先週|昨年|去年|一昨日|おととい|昨日|クリスマス"),
    ("ko", r"지난 ?달|지난 ?주말|지난 ?주|작년|그저께|어제|크리스마스"),
    ("ko", r"\d{1,3} ?(?:일|주|주일|달|개월|년) ?전"),
)
_FORM = re.compile("|".join(f"(?P<{language}{at}>{form})" for at, (language, form) in enumerate(_FORMS)), re.IGNORECASE)
_BEFORE_EN = rf"(?P<en>(?P<count>{_COUNT_EN}|the) (?P<unit>day|week|month)s? (?P<side>before|after))"
_BEFORE_DE = rf"(?P<de>(?P<anzahl>{_COUNT_DE}|am|in der) (?P<einheit>tag|woche|monat)(?:e[nm]?|n)? (?P<seite>vor|nach))"
_SHIFT = re.compile(rf"(?:\b{_BEFORE_EN}|\b{_BEFORE_DE}) $", re.IGNORECASE)


class Phrase(msgspec.Struct, frozen=True):
    """Words that mean days, lower-cased, in their language, and what stands before them: "two weeks before"."""

    text: str
    language: Language
    count: str = ""
    unit: str = ""
    side: str = ""
    written: str = ""
    """The words as they stand in the question, with those before them."""


def phrases(question: str) -> Iterator[Phrase]:
    """Yields each in its order."""
    for match in _FORM.finditer(question):
        language, text = _language(match), match[0].lower()
        shift = _SHIFT.search(question, 0, match.start())
        if shift is None:
            yield Phrase(text, language, written=match[0])
            continue
        found = shift.groupdict()
        count, unit, side = (
            (found[own] or found[german] or "").lower()
            for own, german in (("count", "anzahl"), ("unit", "einheit"), ("side", "seite"))
        )
        yield Phrase(text, language, count, unit, side, shift[0] + match[0])


def _language(match: re.Match[str]) -> Language:
    at = int((match.lastgroup or "en0")[2:])
    return _FORMS[at][0]
