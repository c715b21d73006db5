"""Detects which of five languages a text is in, by script and stop words."""

import re
from functools import cache
from typing import Literal

from engine.text.pattern_file import PatternFile

WORDS = PatternFile(
    __package__,
    "stop_words.toml",
    "english german asking clitics particles function function_spelled korean_endings told no_name abbreviations",
    "words",
)
ENGLISH, GERMAN = WORDS.words("english"), WORDS.words("german")
SMALL = ENGLISH | GERMAN  # the small words of both Latin languages
ASKED = SMALL | WORDS.words("clitics") | WORDS.words("asking")
"""Words that a query is not about; question words are rare in notes, and would weigh much there."""
PARTICLES = frozenset(WORDS.texts["particles"])
FUNCTION = PARTICLES | frozenset(WORDS.texts["function"])
"""Chinese characters, particles and others, that a query is not about."""
FUNCTION_SPELLED = WORDS.words("function_spelled")  # words that these characters spell all the same
KOREAN_ENDINGS = frozenset(WORDS.texts["korean_endings"])
TOLD = SMALL | WORDS.words("told")
"""Words that a tree node is not about: stop words, small talk, and memdeck's own headings."""
NO_NAME = WORDS.words("no_name")
"""Capitalised words that never begin or end a name, such as first words and speakers."""


Language = Literal["en", "de", "zh", "ja", "ko"]

SAMPLE = 1_000  # characters looked at

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
HANGUL = "\uac00-\ud7a3"

_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> Language:
    """Returns the main language of a text; English if nothing shows another."""
    sample = text[:SAMPLE]
    if sample.isascii():
        return _latin_language(sample)
    han, kana, hangul = (len(script.findall(sample)) for script in _scripts())
    if not (han or kana or hangul):
        return _latin_language(sample)
    wide = han + kana + hangul
    letters = sum(map(len, _WORD.findall(sample))) - wide
    # A character of these scripts says about as much as three Latin letters.
    if 3 * wide < letters:
        return _latin_language(sample)
    if 2 * hangul > wide:
        return "ko"
    return "ja" if 8 * kana > wide else "zh"


@cache
def _scripts() -> tuple[re.Pattern[str], ...]:
    """Returns the patterns of three scripts; each takes 3 ms to compile, and most processes need none."""
    return tuple(re.compile(f"[{script}]") for script in (HAN, KANA, HANGUL))


def _latin_language(sample: str) -> Language:
    words = sample.lower().split()
    return "de" if sum(map(GERMAN.__contains__, words)) > sum(map(ENGLISH.__contains__, words)) else "en"
