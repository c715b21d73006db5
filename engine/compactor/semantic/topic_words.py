"""The words of a semantic entry that tell what it is about, as stems, for shards by topic (decision A24).

Its words have a place in the text and their neighbours, by which a noun is told from a verb; `engine.text.words` cuts
without places, and lends the stems and the table of wide scripts.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from engine.compactor.semantic.stop_words import ARTICLES, BEFORE_NOUN, BEFORE_VERB, GERMAN_AFTER_NOUN, WEAK
from engine.compactor.semantic.wide_words import wide_words
from engine.text.language import HAN, HANGUL, KANA, Language, language_of
from engine.text.words import is_wide, stem_in, stems_of

LONGEST_WORD = 24
"""Letters of a word that may name a shard; longer ones are rather keys and hashes."""
LIKE_A_NOUN = 0.6
"""Weight, or mean weight, of a word from which it names a topic; verbs stand below it."""
_VERB, _FIRST = 0.3, 0.55
"""Weights of a verb, and of a German sentence's first word, which other sentences have to confirm as a noun."""

_WIDE = f"{HAN}{KANA}{HANGUL}"
_WORD = re.compile(rf"[{_WIDE}]+|[^\W\d_{_WIDE}]{{2,}}")
_JOINT = re.compile(r"[ \t]|[-/]")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n„“\"(])\s*$")


class TopicWord(msgspec.Struct, frozen=True):
    """A word as its stem, as it is written, where it begins in its text, and its weight as the name of a topic."""

    stem: str
    text: str
    start: int
    end: int
    weight: float


def topic_words(text: str, language: Language | None = None) -> tuple[TopicWord, ...]:
    """The telling words of a text in order."""
    text = unicodedata.normalize("NFKC", text)
    language = language or language_of(text)
    return tuple(_words(text, language))


def _words(text: str, language: Language) -> Iterator[TopicWord]:
    lowered = text.lower()
    # A few capitals are two characters in lower case, and places would differ: their text counts as without capitals.
    written = text if len(text) == len(lowered) else lowered
    found = list(_WORD.finditer(lowered))
    around = ["", *(match[0] for match in found), ""]
    # German nouns have a capital, and so has the first word of a sentence, whatever it is.
    cased = language == "de" and written != lowered
    for number, match in enumerate(found):
        word, before, after = match[0], around[number], around[number + 2]
        if is_wide(word):
            for part in wide_words(word, after, language):
                start = match.start() + part.start
                yield TopicWord(part.text, part.text, start, start + len(part.text), part.weight)
        elif _tells(word) and not (cased and word[0] == written[match.start()]):
            weight = _weight(before, after)
            if cased and _SENTENCE_START.search(written, 0, match.start()) and after not in GERMAN_AFTER_NOUN:
                weight = min(weight, _FIRST)
            yield TopicWord(stem_in(word, language), word, match.start(), match.end(), weight)


def _weight(before: str, after: str) -> float:
    """Weighs a word by its neighbours: a noun names a topic, and a verb does not."""
    if before in BEFORE_NOUN and before != "that":
        return 1.3  # “el certificado no”, “sans certificat le”
    if after in ARTICLES or before in BEFORE_VERB:
        return _VERB  # “drain the queue”, “never overlap”
    return 1.3 if before in BEFORE_NOUN else 1.0


def _tells(word: str) -> bool:
    return 3 <= len(word) <= LONGEST_WORD and word not in WEAK and not word.endswith(("ly", "ez"))


def nouns(text: str, language: Language | None = None) -> dict[str, str]:
    """The telling words of a text that look like nouns, by their stems."""
    return {word.stem: word.text for word in topic_words(text, language) if word.weight >= LIKE_A_NOUN}


def word_pairs(text: str, words: tuple[TopicWord, ...]) -> Iterator[tuple[TopicWord, TopicWord]]:
    """Two telling words that stand beside each other, such as “error budget”."""
    text = unicodedata.normalize("NFKC", text).lower()
    for left, right in pairwise(words):
        if not is_wide(left.text) and _JOINT.fullmatch(text, left.end, right.start):
            yield left, right


def name_stems(name: str) -> tuple[frozenset[str], ...]:
    """The words of a shard's file name, each as the stems it may have; numbers are none."""
    words = _WORD.findall(unicodedata.normalize("NFKC", name).lower())
    return tuple(frozenset({word, *stems_of(word)}) for word in words if len(word) > 1)
