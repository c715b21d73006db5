"""Recognises blocks about a passing state in any language: counts, signs, one run's result. Models over the encoder and
over features of form were tried, with each source held out: half of their surest finds were wrong. These rules err
less."""

import re
from functools import lru_cache

from engine.models.evidence import UNITS
from engine.text.language import HAN, HANGUL, KANA
from engine.text.pattern_file import PatternFile

WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]")
WORD = re.compile(r"(?<![\w./\\@#=-])[^\W\d_]{2,}(?:['’-][^\W\d_]+)*(?![\w/\\=(]|[.:][\w/])")
KEY = re.compile(r"[*_\W]{0,3}([^:：]{1,30}?)[*_]*\s*[:：]")
_DIGIT = re.compile(r"\d")
_FORMS = PatternFile(
    __package__,
    "passing_states.toml",
    "code times parts count tally ratio share sign logged brief brief_end row_sign section key quiet quiet_wide",
)
_FEW, _SOME = 4, 8  # words beside which a share, and a ratio or a sign, are all that a block says
_CALM = 14  # words of a sentence that may say no more than that nothing is new


@lru_cache(maxsize=2048)
def word_count(text: str) -> float:
    """Counts words beside file names, code and figures; a character of a script without blanks counts half."""
    plain = _prose(text)
    return len(WORD.findall(plain)) + (0.0 if plain.isascii() else len(WIDE.findall(plain)) / 2)


def _prose(text: str) -> str:
    return _FORMS["code"].sub(" ", text) if "`" in text or "://" in text else text


def is_passing(text: str) -> bool:
    """Tells whether a block is mainly counts, a share of a total, or a named state's sign."""
    plain, words = _FORMS["times"].sub(" ", _prose(text)), word_count(text)
    said, *signs = [text] if text.isascii() else _FORMS["sign"].split(text)
    is_short = words <= _SOME and "`" not in text and "://" not in text
    return (
        len(signs) > 2
        or (_DIGIT.search(plain) is not None and _is_figures(plain, words, is_short or " · " in text, bool(signs)))
        or (is_short and bool(signs) and _FORMS["parts"].search(said) is not None)
        or (" · " in text and _FORMS["row_sign"].search(text) is not None)
        or (is_short and bool(signs) and not signs[-1].strip() and words <= _SOME - 2)
        or (is_short and _is_brief(text))
        or _FORMS["logged"].match(text.lstrip("`")) is not None
        or (words <= _CALM and _FORMS["quiet"].search(plain.lower()) is not None)
        or (words <= _CALM and not plain.isascii() and _FORMS["quiet_wide"].search(plain) is not None)
        or (words <= _CALM and (named := KEY.match(text)) is not None and _FORMS["key"].fullmatch(named[1]) is not None)
    )


def _is_figures(plain: str, words: float, is_short: bool, has_sign: bool) -> bool:
    ratios = sum(_of(*found) for found in _FORMS["ratio"].findall(plain)) if "/" in plain else 0
    is_share = "%" in plain and (words <= _FEW or has_sign) and _FORMS["share"].search(plain) is not None
    return is_share or ratios > (0 if is_short else 1) or _counts(plain, words)


def _is_brief(text: str) -> bool:
    is_keyed = (":" in text or "：" in text) and _FORMS["brief"].match(text) is not None
    may_end = "=" in text or " · " in text or "pid" in text.lower()
    return is_keyed or (may_end and _FORMS["brief_end"].search(text) is not None)


@lru_cache(maxsize=1024)
def is_state(title: str) -> bool:
    """Tells whether a heading is about a day's state: figures, files, commits, tests."""
    return _FORMS["section"].search(title) is not None and word_count(title) <= _SOME


def is_tally(text: str) -> bool:
    """Tells whether a block mainly counts things; with similar blocks beside it, it sums up a day."""
    found = _FORMS["count"].match(text) or _FORMS["tally"].search(text)
    return found is not None and word_count(text) <= _SOME and (found["unit"] or "").casefold() not in UNITS


def _of(part: str, whole: str) -> bool:
    return int(part.replace(",", "")) <= int(whole.replace(",", ""))


def _counts(plain: str, words: float) -> bool:
    """Tells whether most parts of a block count things; figures with a unit do not."""
    parts = [part for part in _FORMS["parts"].split(plain) if part.strip()]
    found = (_FORMS["count"].search(part) for part in parts)
    counted = [match for match in found if match and (match["unit"] or "").casefold() not in UNITS]
    return len(counted) > 1 and 2 * len(counted) >= len(parts) and words <= 4 * len(counted)
