"""Tells which of five languages a text is in, by script and by stop words."""

import re
from typing import Literal

Language = Literal["en", "de", "zh", "ja", "ko"]

SAMPLE = 1_000
"""Characters looked at."""

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
HANGUL = "\uac00-\ud7a3"

_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]")
_HAN = re.compile(f"[{HAN}]")
_KANA = re.compile(f"[{KANA}]")
_HANGUL = re.compile(f"[{HANGUL}]")
_WORD = re.compile(r"[^\W\d_]+")

ENGLISH = frozenset(
    """
    a about after all also am an and any are as at be because been before but by can could did do does for from had has
    have he her here him his how i if in into is it its just me more my no not now of on one only or our out over she
    should so some such than that the their them then there these they this to up us was we were what when where which
    while who will with would you your
    """.split()  # noqa: SIM905  (a table reads better than a list of quoted words)
)
GERMAN = frozenset(
    """
    aber alle als am an auch auf aus bei bin bis das dass dem den der des die dies diese dieser doch du durch ein eine
    einem einen einer eines er es für haben hat hatte ich ihr im in ist ja jetzt kann kein keine können man mehr mein
    mich mit muss nach nicht noch nun nur ob oder ohne sehr sein sich sie sind so über um und uns unter vom von vor war
    waren was weil wenn werden wie wieder wir wird wurde wurden zu zum zur
    """.split()  # noqa: SIM905
)


def language_of(text: str) -> Language:
    """The language most of `text` is in; English where nothing speaks for another."""
    sample = text[:SAMPLE]
    if sample.isascii() or _WIDE.search(sample) is None:
        return _latin_language(sample)
    han, kana, hangul = (len(script.findall(sample)) for script in (_HAN, _KANA, _HANGUL))
    wide = han + kana + hangul
    letters = sum(map(len, _WORD.findall(sample))) - wide
    # A character of these scripts says about as much as three Latin letters.
    if 3 * wide < letters:
        return _latin_language(sample)
    if 2 * hangul > wide:
        return "ko"
    return "ja" if 8 * kana > wide else "zh"


def _latin_language(sample: str) -> Language:
    words = sample.lower().split()
    german = sum(map(GERMAN.__contains__, words))
    return "de" if german > sum(map(ENGLISH.__contains__, words)) else "en"
