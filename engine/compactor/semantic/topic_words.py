"""The words of a semantic entry that tell what it is about, as stems, for shards by topic (decision A24)."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from engine.search.words import is_wide, pairs, stem_in, stems_of
from engine.text.language import ENGLISH, GERMAN, HAN, HANGUL, KANA, Language, language_of

LONGEST_WORD = 24
"""Letters of a word that may name a shard; longer ones are rather keys and hashes."""
LIKE_A_NOUN = 0.6
"""Weight, or mean weight, of a word from which it names a topic; verbs stand below it."""

_WIDE = f"{HAN}{KANA}{HANGUL}"
_WORD = re.compile(rf"[{_WIDE}]+|[^\W\d_{_WIDE}]{{2,}}")
_JOINT = re.compile(r"[ \t]|[-/]")
_ARTICLES = frozenset(
    """
    a an the every each any all this that these those my your our their its his her no
    der die das den dem des ein eine einen einem einer jede jeden jeder alle kein keine keinen mein dein unser ihr
    """.split()  # noqa: SIM905  (a table reads better than a list of quoted words)
)
_BEFORE_NOUN = _ARTICLES | set("of in on for with from by per without von mit für ohne".split())  # noqa: SIM905
_BEFORE_VERB = frozenset("must never not to should can cannot will may do does always".split())  # noqa: SIM905
_WEAK = (
    ENGLISH
    | GERMAN
    | frozenset(
        """
        across add again against ago along always among another apart ask avoid away back bad beside besides
        best better between both break bring broke call cause change check come cost create day days done down
        during each early either else end enough even ever every everything fail failed fails failure fast few
        find first five fix found four full get gets give given go goes going good great hard help high hour
        hours however instead issue keep keeps kept know known large last late later lead least leave left less
        lesson lessons let like little live long look lose lost lot low made main make makes many matter may
        mean means might minute minutes month months much must need needs never new next night note nothing
        number often old once other others own part per place plan point prefer problem put rather ready real
        really remember right rule rules run runs said same save say says second seconds see seem seen send sent
        set several short show side since single small someone something soon still stop sure take taken takes
        tell test thing things think third thought three through throughout time times today together told too
        took tried try trying turn twice two under unless until use used user users uses using via wait want
        wants way week weeks well went whether within without word words work worked works worse worst write
        wrong year years yet
        bleiben braucht brauchen erst erste ersten immer jeden lassen machen mal nie niemals oft schon sollte stets
        tag tage vorher woche zuerst zwei
        """.split()  # noqa: SIM905
    )
)
"""Words that say nothing about a topic: stop words, and what rules and lessons of any kind are written with."""


class TopicWord(msgspec.Struct, frozen=True):
    """A word as its stem, as it is written, where it begins in its text, and its weight as the name of a topic."""

    stem: str
    text: str
    start: int
    end: int
    weight: float


def topic_words(text: str, language: Language | None = None) -> tuple[TopicWord, ...]:
    """The telling words of a text in order; of Chinese, Japanese and Korean each pair of characters."""
    text = unicodedata.normalize("NFKC", text).lower()
    language = language or language_of(text)
    return tuple(_words(text, language))


def _words(text: str, language: Language) -> Iterator[TopicWord]:
    found = list(_WORD.finditer(text))
    around = ["", *(match[0] for match in found), ""]
    for number, match in enumerate(found):
        word = match[0]
        if is_wide(word):
            # The last of the pairs is a single character, which means too many things.
            for place, pair in enumerate(pairs(word)[:-1]):
                yield TopicWord(pair, pair, match.start() + place, match.start() + place + 2, 1.0)
        elif _tells(word):
            weight = _weight(around[number], around[number + 2])
            yield TopicWord(stem_in(word, language), word, match.start(), match.end(), weight)


def _weight(before: str, after: str) -> float:
    """Weighs a word by its neighbours: a noun names a topic, and a verb does not."""
    if after in _ARTICLES or before in _BEFORE_VERB:
        return 0.3  # “drain the queue”, “never overlap”
    if before in _BEFORE_NOUN:
        return 1.3
    return 1.0


def _tells(word: str) -> bool:
    return 3 <= len(word) <= LONGEST_WORD and word not in _WEAK and not word.endswith("ly")


def nouns(text: str) -> dict[str, str]:
    """The telling words of a text that look like nouns, by their stems."""
    return {word.stem: word.text for word in topic_words(text) if word.weight >= LIKE_A_NOUN}


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
