"""Finds the words of a question that speak of days: English, German, Chinese, Japanese, Korean. Only forms that mean
days wherever they stand: a month by its name alone is none, since `may` and `march` are words."""

import re
from collections.abc import Iterator

import msgspec

from engine.text.language import Language
from engine.text.pattern_file import pattern_file

TABLES = pattern_file(__package__, "dates.toml")
_FORMS: tuple[tuple[Language, str], ...] = tuple(
    (language, form) for language, forms in TABLES["forms"].items() for form in forms
)
_FORM = re.compile("|".join(f"(?P<{language}{at}>{form})" for at, (language, form) in enumerate(_FORMS)), re.IGNORECASE)
_SHIFT = re.compile(TABLES["shift"]["before"], re.IGNORECASE)


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
