r"""Finds triggers of whole words by looking words up: most triggers are `\b(deploy|rollback)\b` or keywords. Ten
thousand of them in one RE2 set grow its automaton with every text (40 ms a message); looking up words costs the same
for one topic or all. Other patterns go into the set. Words are cut between `\b`, not stemmed as by `engine.text.words`,
which would activate triggers that the pattern refuses."""

import re
from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

import msgspec

from engine.topics.topic import AnyTrigger, KeywordsTrigger, MentionTrigger, PatternTrigger

Key = TypeVar("Key", bound=Hashable)

_RUN = re.compile(r"\w+")
_PLAIN = r"\w[\w '’,&/-]*"
_WHOLE = re.compile(rf"\\b(?:(\w|{_PLAIN}\w)|\((?:\?:)?((?:{_PLAIN}\|)*{_PLAIN})\))\\b")
_WIDE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")

_ASCII_WORDS = bytes(code | 32 * chr(code).isupper() if _RUN.match(chr(code)) else 32 for code in range(128)).ljust(256)
"""Converts ASCII text to lower-case words between blanks, in a third of a pattern's time."""


class WordPattern(msgspec.Struct, frozen=True):
    """Words of which each match contains at least one. `whole`: containing one is a match. `plain`: also ASCII, so that
    `place` finds the first match in ASCII text."""

    first: frozenset[str]
    whole: bool
    plain: bool = False

    def place(self, spaced: str) -> tuple[int, int]:
        """Returns the span of the first word in a text of `spaced_words`, which must contain one."""
        found = ((spaced.find(f" {word} "), len(word)) for word in self.first)
        start, length = min(each for each in found if each[0] >= 0)
        return start, start + length


def spaced_words(text: str) -> str:
    """Returns ASCII text with only its words, in lower case, shifted by 1, with a blank at both ends."""
    return f" {text.encode('ascii').translate(_ASCII_WORDS).decode('ascii')} "


def words_of(trigger: AnyTrigger) -> WordPattern | None:
    """Returns the words of a trigger; None if they are unclear."""
    match trigger:
        case PatternTrigger():
            return _of_pattern(trigger.match)
        case KeywordsTrigger():
            found = _firsts(trigger.words)
            once = trigger.at_least == 1
            return found and WordPattern(found.first, found.whole and once, found.plain and once)
        case MentionTrigger():
            found = _firsts([name.strip().removeprefix("@") for name in trigger.names])
            return found and WordPattern(found.first, whole=False)
        case _:
            return None


def _of_pattern(pattern: str) -> WordPattern | None:
    if (found := _WHOLE.fullmatch(pattern)) is None:
        return None
    words = [found[1]] if found[1] else found[2].split("|")
    return _firsts(words) if all(_RUN.match(word[-1:]) for word in words) else None


def _firsts(phrases: list[str] | tuple[str, ...]) -> WordPattern | None:
    """Returns the first word of each phrase; None in scripts without spaces."""
    found = [_RUN.match(phrase.strip()) for phrase in phrases]
    if any(match is None for match in found) or any(map(_WIDE.search, phrases)):
        return None
    whole = all(match is not None and match[0] == phrase for match, phrase in zip(found, phrases, strict=True))
    first = frozenset(match[0].casefold() for match in found if match is not None)
    return WordPattern(first, whole, whole and all(map(str.isascii, phrases)))


class WordIndex(Generic[Key]):
    """Selects by words the triggers that may match a text."""

    def __init__(self, words: Mapping[Key, WordPattern]) -> None:
        self._keys: defaultdict[str, list[Key]] = defaultdict(list)
        for key, each in words.items():
            for word in each.first:
                self._keys[word].append(key)

    def hits(self, text: str) -> list[Key]:
        """Returns the keys with a word in the text; their patterns may still not match."""
        words = set(spaced_words(text).split() if text.isascii() else _RUN.findall(text.casefold()))
        return list(dict.fromkeys(key for word in words & self._keys.keys() for key in self._keys[word]))
