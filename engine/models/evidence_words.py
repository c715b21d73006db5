"""The words that grounding knows, in English, German and Chinese."""

import re
from typing import Final

_NAMED = """
january jan januar; february feb februar; march mar märz; april apr; may mai; june jun juni; july jul juli;
august aug; september sep sept; october oct oktober okt; november nov; december dec dezember dez
"""
_COUNTED = """
zero null;; two zwei; three drei; four vier; five fünf; six sechs; seven sieben; eight acht; nine neun; ten zehn;
eleven elf; twelve zwölf
"""
"""One is left out: it is mostly no number."""
_MEASURED = """
ms millisecond milliseconds; s sec second seconds sekunde sekunden; min minute minutes minuten;
h hour hours stunde stunden; day days tag tage tagen; week weeks woche wochen; month months monat monate monaten;
year years jahr jahre jahren; kb; mb; gb; tb; % percent prozent; usd dollar dollars; eur euro euros;
km; m meter metre meters metres; kg; g gram grams; l litre liter litres liters
"""
_BEHIND_NAMES = """
is was are were will has have had wants wanted said says uses used can should must does did gets got handles owns
asked asks needs needed prefers preferred moved moves decided decides chose agreed leads runs ran became
ist war sind waren wird hat hatte will wollte sagt sagte nutzt kann soll muss
"""
_TELLING = """
user team agent decided decide decision choose chose chosen agreed agree uses use used using wants want asked ask noted
note said says plans plan planned prefers prefer preferred should must need needs needed keep kept set made make found
learned reported because since instead now also due per via go goes going went
entschied entschieden nutzen nutzt nutzte wollen sollen künftig statt gehen geht
"""


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
