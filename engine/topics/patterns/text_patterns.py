"""Converts patterns, keywords and names to RE2, with word boundaries for every script (D38)."""

import re

from engine.text.language import HAN, HANGUL, KANA
from engine.topics.patterns.boundaries import AFTER, BEFORE, Bounded, bounded, is_word
from engine.topics.patterns.urls import literal
from engine.topics.topic import KeywordsTrigger, MentionTrigger, PatternTrigger

_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]")
_BLANKS = r"[\s\p{Z}]+"


def text_pattern(trigger: PatternTrigger | KeywordsTrigger | MentionTrigger) -> Bounded:
    """Returns the RE2 pattern of a text trigger."""
    match trigger:
        case PatternTrigger():
            return bounded(trigger.match)
        case KeywordsTrigger():
            return _any([_word(word.strip()) for word in dict.fromkeys(trigger.words)])
        case MentionTrigger():
            return _any([_name(name.strip()) for name in dict.fromkeys(trigger.names)])


def _any(phrases: list[Bounded]) -> Bounded:
    return Bounded(
        filter="|".join(phrase.filter for phrase in phrases),
        exact="|".join(phrase.exact for phrase in phrases),
        sure=all(phrase.sure for phrase in phrases),
    )


def _word(word: str) -> Bounded:
    """Matches a whole word; in scripts without spaces, any occurrence."""
    text = _spaced(word)
    before, after = _bound(word[:1]), _bound(word[-1:])
    return Bounded(
        filter=_ascii_edge(word[:1]) + text + _ascii_edge(word[-1:]),
        exact=(BEFORE if before else "") + text + (AFTER if after else ""),
        sure=word.isascii(),
    )


def _name(name: str) -> Bounded:
    """Matches a name, with or without `@` unless written with it; no parts of addresses. Without spaces, anywhere."""
    plain = name.removeprefix("@")
    text = ("@" if name.startswith("@") else "@?") + _spaced(plain)
    return Bounded(
        filter=text + _ascii_edge(plain[-1:]),
        exact=("" if _WIDE.match(plain) else BEFORE) + text + (AFTER if _bound(plain[-1:]) else ""),
        sure=False,
    )


def _ascii_edge(char: str) -> str:
    return r"\b" if char.isascii() and _bound(char) else ""


def _bound(char: str) -> bool:
    return bool(char) and is_word(char) and not _WIDE.match(char)


def _spaced(text: str) -> str:
    return _BLANKS.join(map(literal, text.split()))
