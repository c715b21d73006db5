r"""Patterns that are whole words, found by looking words up: most triggers are `\b(deploy|rollback)\b` or keywords.

Ten thousand of them in one RE2 set make its automaton grow with every new text (40 ms a message, measured); looking up
the words of a message costs the same for one topic and for all. Everything else goes into the set.

Its cutter is its own: a word here is what stands between two `\b` of a pattern. The stems of `engine.text.words` would
wake triggers that the pattern refuses."""

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
"""Turns ASCII text into its words in lower case between blanks: a third of the time of a pattern."""


class WordPattern(msgspec.Struct, frozen=True):
    """Words of which each match has at least one as a whole, in one case. `whole`: and that makes it a match. `plain`:
    and the words are ASCII, so that `place` says where in an ASCII text the first match is."""

    first: frozenset[str]
    whole: bool
    plain: bool = False

    def place(self, spaced: str) -> tuple[int, int]:
        """The span of the first of the words in a text that `spaced_words` wrote; one of them is there."""
        found = ((spaced.find(f" {word} "), len(word)) for word in self.first)
        start, length = min(each for each in found if each[0] >= 0)
        return start, start + length


def spaced_words(text: str) -> str:
    """ASCII text with nothing but its words, in lower case, each at its place plus 1; a blank stands at either end."""
    return f" {text.encode('ascii').translate(_ASCII_WORDS).decode('ascii')} "


def words_of(trigger: AnyTrigger) -> WordPattern | None:
    """The words of a trigger; None where that cannot be told."""
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
    """The first word of each; scripts without spaces between words have no whole ones."""
    found = [_RUN.match(phrase.strip()) for phrase in phrases]
    if any(match is None for match in found) or any(map(_WIDE.search, phrases)):
        return None
    whole = all(match is not None and match[0] == phrase for match, phrase in zip(found, phrases, strict=True))
    first = frozenset(match[0].casefold() for match in found if match is not None)
    return WordPattern(first, whole, whole and all(map(str.isascii, phrases)))


class WordIndex(Generic[Key]):
    """The index that selects the triggers that may match a text, by its words."""

    def __init__(self, words: Mapping[Key, WordPattern]) -> None:
        self._keys: defaultdict[str, list[Key]] = defaultdict(list)
        for key, each in words.items():
            for word in each.first:
                self._keys[word].append(key)

    def hits(self, text: str) -> list[Key]:
        """The keys with a word in the text; whether their patterns match is still to be seen."""
        words = set(spaced_words(text).split() if text.isascii() else _RUN.findall(text.casefold()))
        return list(dict.fromkeys(key for word in words & self._keys.keys() for key in self._keys[word]))
