"""The words that grounding knows, in English, German and Chinese."""

import re
from typing import Final

from engine.text.pattern_file import pattern_file

_PATTERNS = pattern_file(__package__, "evidence_words.toml")["patterns"]
_NAMED = _PATTERNS["named"]
_COUNTED = _PATTERNS["counted"]
"""One is left out: it is mostly no number."""
_MEASURED = _PATTERNS["measured"]
_BEHIND_NAMES = _PATTERNS["behind_names"]
_TELLING = _PATTERNS["telling"]


def _rows(table: str) -> list[list[str]]:
    return [row.split() for row in table.split(";")]


MONTHS: Final = {name: number for number, names in enumerate(_rows(_NAMED), 1) for name in names}
NUMBER_WORDS: Final = {word: str(number) for number, words in enumerate(_rows(_COUNTED)) for word in words}
UNITS: Final = {name: names[0] for names in _rows(_MEASURED) for name in names}
VERBS: Final = frozenset(_BEHIND_NAMES.split())
"""A word with a capital in front of one of these is the name of somebody or something, also at the beginning."""
REPORTED: Final = frozenset(_TELLING.split())
"""Words that tell that something was said or decided, and claim nothing of their own."""
DENIALS: Final = re.compile(
    r"(?i)\b(?:no|not|never|none|without|neither|nor|cannot|\w+n['’]t|avoid\w*|reject\w*|refus\w*|stop|stopped|against|"
    r"no longer|instead of|rather than|dropp?ed|abandon\w*|"
    r"nicht|nie|niemals|kein\w*|ohne|weder|statt|vermeid\w*|abgelehnt|lehnt\w*)\b|不|没|无|别|未|避免|拒绝"
)
