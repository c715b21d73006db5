"""Finds the significant words of an entry, as stems, for shards by topic (decision A24). Unlike `engine.text.words`, it
knows each word's place and neighbours, which tell nouns from verbs."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import msgspec

from engine.text.language import ENGLISH, GERMAN, HAN, HANGUL, KANA, Language, language_of
from engine.text.pattern_file import PatternFile
from engine.text.words import is_wide, stem_in, stems_of

_WORDS = PatternFile(
    __package__,
    "stop_words.toml",
    "articles before_noun before_verb german_after_noun english german french spanish chinese japanese korean",
    "words",
)
_FORMS = PatternFile(
    __package__,
    "stop_words.toml",
    "chinese_cut chinese_edges japanese_edges japanese_verb korean_verb korean_particle single_korean",
)
ARTICLES, BEFORE_VERB, GERMAN_AFTER_NOUN = map(_WORDS.words, ("articles", "before_verb", "german_after_noun"))
BEFORE_NOUN = ARTICLES | _WORDS.words("before_noun")
WEAK = ENGLISH.union(GERMAN, *map(_WORDS.words, ("english", "german", "french", "spanish")))
CHINESE, JAPANESE, KOREAN = map(_WORDS.words, ("chinese", "japanese", "korean"))

WHOLE, PART, VERB = 1.0, 0.55, 0.3
"""Weights of a word between two cuts, of its beginning or end, which another text must confirm as a word, and of a noun
used as a verb."""
LONGEST_CHINESE = 4  # characters of a Chinese word; longer ones are several, and where they part is not known

_KANA, _HANGUL = re.compile(f"[{KANA}]"), re.compile(f"[{HANGUL}]")
_JAPANESE_WORD = re.compile(f"[{HAN}\u30a1-\u30fa\u30fc々]{{2,}}(?:[きりけせみちれ](?=[をがはにのとでもへや]|$))?")
"""Matches a noun with its last kana, such as 下書き."""
_AFTER_CONSONANT = ("으로", "은", "이", "을", "과")
_AFTER_VOWEL = ("는", "가", "를", "와", "로")
_AFTER_ANY = ("의", "에", "도", "만")


class WideWord(msgspec.Struct, frozen=True):
    """A word in a script without blanks, its place in the run, and its weight as a topic's name."""

    text: str
    start: int
    weight: float


def wide_words(run: str, after: str, language: Language) -> Iterator[WideWord]:
    """Yields the words of a run in a script without blanks; `after` is the following run."""
    if _HANGUL.match(run):
        yield from _korean(run, after)
    elif language == "ja" or _KANA.search(run):
        for match in _JAPANESE_WORD.finditer(run):
            word, start = _trimmed(_FORMS["japanese_edges"], match[0], match.start())
            if len(word) > 1 and word not in JAPANESE:
                yield WideWord(word, start, VERB if _FORMS["japanese_verb"].match(run, match.end()) else WHOLE)
    else:
        yield from _chinese(run)


def _chinese(run: str) -> Iterator[WideWord]:
    for word, at in _chinese_chunks(run):
        if 2 <= len(word) <= LONGEST_CHINESE:
            yield WideWord(word, at, WHOLE)
        for size in range(2, min(len(word), LONGEST_CHINESE + 1)):
            yield WideWord(word[:size], at, PART)
            yield WideWord(word[-size:], at + len(word) - size, PART)


def _chinese_chunks(run: str) -> Iterator[tuple[str, int]]:
    """Yields the parts of a Chinese run between small words, with their places."""
    start = 0
    for end, following in [*(match.span() for match in _chinese_cut().finditer(run)), (len(run), len(run))]:
        yield _trimmed(_FORMS["chinese_edges"], run[start:end], start)
        start = following


def wide_chunks(run: str) -> Iterator[tuple[str, int]]:
    """Yields the significant words of a Chinese or Japanese run, with their places."""
    chunks = ((m[0], m.start()) for m in _JAPANESE_WORD.finditer(run)) if _KANA.search(run) else _chinese_chunks(run)
    yield from ((word, at) for word, at in chunks if len(word) > 1 and word not in JAPANESE)


@cache
def _chinese_cut() -> re.Pattern[str]:
    """Matches words and signs that separate Chinese words, the longest first."""
    return re.compile("|".join((*sorted(CHINESE, key=lambda word: (-len(word), word)), _FORMS.texts["chinese_cut"])))


def _trimmed(edges: re.Pattern[str], word: str, start: int) -> tuple[str, int]:
    """Strips affixes from a word; returns it with its new place."""
    while found := edges.search(word):
        start += found.end() if found.start() == 0 else 0
        word = word[found.end() :] if found.start() == 0 else word[: found.start()]
    return word, start


def _korean(run: str, after: str) -> Iterator[WideWord]:
    reason = run.endswith("기") and after.startswith("때문")
    negated = run.endswith("지") and after.startswith(("않", "못", "말", "마"))
    if reason or negated or run in KOREAN or _FORMS["korean_verb"].search(run):
        return
    word = _without_particle(run)
    if len(word) > 1 and word not in KOREAN and not _FORMS["single_korean"].search(word):
        yield WideWord(word, 0, WHOLE)


def _without_particle(word: str) -> str:
    """Strips the Korean particle of a word, whose form depends on the letter before it."""
    word = _FORMS["korean_particle"].sub("", word)
    for particle in (*_AFTER_CONSONANT, *_AFTER_VOWEL, *_AFTER_ANY):
        left = word.removesuffix(particle)
        if 2 <= len(left) < len(word):
            final = (ord(left[-1]) - ord("가")) % 28
            # The 8th of the final consonants is ㄹ, after which 로 stands as after a vowel.
            as_after_vowel = final == 0 or particle in _AFTER_ANY or (particle == "로" and final == 8)
            if final > 0 if particle in _AFTER_CONSONANT else as_after_vowel:
                return left
    return word


LONGEST_WORD = 24  # letters of a word that may name a shard; longer ones are rather keys and hashes
LIKE_A_NOUN = 0.6  # weight, or mean weight, of a word from which it names a topic; verbs stand below it
_VERB, _FIRST = 0.3, 0.55
"""Weights of a verb, and of the first word of a German sentence until other sentences confirm it as a noun."""

_WIDE = f"{HAN}{KANA}{HANGUL}"
_WORD = re.compile(rf"[{_WIDE}]+|[^\W\d_{_WIDE}]{{2,}}")
_JOINT = re.compile(r"[ \t]|[-/]")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n„“\"(])\s*$")


class TopicWord(msgspec.Struct, frozen=True):
    """A word: its stem, its spelling, its place, and its weight as a topic's name."""

    stem: str
    text: str
    start: int
    end: int
    weight: float


def topic_words(text: str, language: Language | None = None) -> tuple[TopicWord, ...]:
    """Returns the significant words of a text in order."""
    text = unicodedata.normalize("NFKC", text)
    return tuple(_words(text, language or language_of(text)))


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
        elif (3 <= len(word) <= LONGEST_WORD and word not in WEAK and (not word.endswith(("ly", "ez")))) and not (
            cased and word[0] == written[match.start()]
        ):
            weight = _weight(before, after)
            if cased and _SENTENCE_START.search(written, 0, match.start()) and after not in GERMAN_AFTER_NOUN:
                weight = min(weight, _FIRST)
            yield TopicWord(stem_in(word, language), word, match.start(), match.end(), weight)


def _weight(before: str, after: str) -> float:
    """Weighs a word by its neighbours: a noun names a topic, a verb does not."""
    names = before in BEFORE_NOUN and before != "that"
    if not names and (after in ARTICLES or before in BEFORE_VERB):
        return _VERB  # “drain the queue”, “never overlap”
    return 1.3 if before in BEFORE_NOUN else 1.0  # “el certificado no”, “sans certificat le”


def nouns(text: str, language: Language | None = None) -> dict[str, str]:
    """Returns the significant words of a text that look like nouns, by stem."""
    return {word.stem: word.text for word in topic_words(text, language) if word.weight >= LIKE_A_NOUN}


def word_pairs(text: str, words: tuple[TopicWord, ...]) -> Iterator[tuple[TopicWord, TopicWord]]:
    """Yields pairs of adjacent significant words, such as “error budget”."""
    text = unicodedata.normalize("NFKC", text).lower()
    for left, right in pairwise(words):
        if not is_wide(left.text) and _JOINT.fullmatch(text, left.end, right.start):
            yield left, right


def name_stems(name: str) -> tuple[frozenset[str], ...]:
    """Returns the possible stems of each word in a shard's file name, without numbers."""
    words = _WORD.findall(unicodedata.normalize("NFKC", name).lower())
    return tuple(frozenset({word, *stems_of(word)}) for word in words if len(word) > 1)
