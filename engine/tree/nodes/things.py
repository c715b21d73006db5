"""Finds the things that a text is about: names, identifiers, titles, and pairs of words that recur."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

import msgspec

from engine.text.language import HAN, HANGUL, KANA, NO_NAME, TOLD, language_of
from engine.text.tokens import TokenCounter

_WIDE = f"{HAN}{KANA}{HANGUL}"
_TERM = re.compile(rf"[{_WIDE}]+|[^\W_{_WIDE}](?:[^\W{_WIDE}]|[.+#&/'’@-](?=[^\W_{_WIDE}])){{0,59}}[+#]{{0,2}}")
_MARKER = re.compile(r"⟨[^⟨⟩\n]{1,40}⟩")
"""The marks that replace secrets and invisible characters: they are not words of the text."""
_WIDE_RUN = re.compile(f"[{_WIDE}]+")
_MODAL = frozenset({"may", "might"})  # small they tell nothing; with a capital, May is a month


class Keyword(msgspec.Struct, frozen=True, gc=False):
    """A word as written, and its stem."""

    surface: str
    key: str


def terms(text: str) -> Iterator[Keyword]:
    """Yields the significant words of a text; Chinese, Japanese and Korean as overlapping pairs (decision D12)."""
    for match in _TERM.finditer(_MARKER.sub(" ", text) if "⟨" in text else text):
        word = match[0]
        if not word[0].isascii() and _WIDE_RUN.match(word[0]) is not None:
            for pair in ("".join(two) for two in pairwise(word)) if len(word) > 1 else (word,):
                yield Keyword(pair, pair)
            continue
        key = stem(word)
        if key and len(word) > 1:
            yield Keyword(word, key)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Returns the English Snowball stem in lower case, empty for stop words; keeps words of other scripts."""
    lower = word.casefold().replace("’", "'")
    bare = lower.removesuffix("'s")
    if word in _MODAL or lower in TOLD or bare in TOLD:
        return ""
    return _stemmed()(bare) if bare.isascii() else bare


@lru_cache(maxsize=1)
def _stemmed() -> Callable[[str], str]:
    import Stemmer  # not before the first word is read: `status` starts without it

    found: Callable[[str], str] = Stemmer.Stemmer("english").stemWord
    return found


@lru_cache(maxsize=16384)
def stems(text: str) -> frozenset[str]:
    """Returns the set of stems of a text's significant words."""
    return frozenset(term.key for term in terms(text))


def rarity(bags: Sequence[frozenset[str]]) -> dict[str, float]:
    """Returns the rarity of each stem among the bags: ln(1 + N / df)."""
    found = Counter(key for bag in bags for key in bag)
    return {key: math.log(1 + len(bags) / count) for key, count in found.items()}


class Prices:
    """Counts the tokens of a text with a leading blank, caching each count."""

    def __init__(self, counter: TokenCounter) -> None:
        self.of = cache(lambda text: max(1, counter.count(f" {text}")))


_TOKEN = r"(?:[A-ZÄÖÜÉ][\w+#’'-]*(?:\.\w+)*|v\d+(?:\.\d+)*|[A-Za-z]+\d[\w-]*)"  # noqa: S105  (no password)
_NAME = re.compile(rf"(?<![\w`])(?:{_TOKEN})(?: (?:{_TOKEN}|\d{{1,4}}(?![\w:.,/-]))){{0,3}}")
_IDENTIFIER = re.compile(r"`([^`\s]{3,40})`|(?<![\w/.@-])([a-z]\w*(?:[_.]\w+)+|\w+_\w+)(?![\w/])")
_TITLE = re.compile(r"《([^《》\n]{2,30})》|「([^「」\n]{2,30})」|『([^『』\n]{2,30})』")
_WORD = re.compile(rf"[^\W\d_{HAN}{KANA}{HANGUL}]{{3,}}")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s+|\n)\W*\Z")
_TIMES = frozenset(
    "ago day days week weeks weekend month months year years time times hour hours minutes last next".split()  # noqa: SIM905
)
"""Words that never form a thing with their neighbour."""
_SEVERAL = 1.6  # a name of several words, or one with a digit, tells more than a single word
MOST = 4  # things that a day without headings is about


def things(texts: Iterable[str]) -> list[str]:
    """Returns the things of some texts in their commonest spelling, the most mentioned first."""
    surfaces: dict[str, Counter[str]] = {}
    for name in _found(list(texts)):
        surfaces.setdefault(name.casefold(), Counter())[name] += 1
    written = {key: forms.most_common(1)[0][0] for key, forms in surfaces.items()}
    worth = {key: _worth(key, written[key], forms.total()) for key, forms in surfaces.items()}
    kept: list[str] = []
    for key in sorted((key for key in worth if worth[key]), key=lambda key: (-worth[key], key)):
        if not any(f" {key} " in f" {other} " or f" {other} " in f" {key} " for other in kept):
            kept.append(key)
    return [written[key] for key in kept]


def _worth(key: str, surface: str, count: int) -> float:
    telling = " " in key or any(map(str.isdigit, key)) or "_" in key
    plain = surface[:1].isupper() and surface[1:].islower() and not telling
    if plain and count < 2:
        return 0.0
    return float(count**0.5 * (_SEVERAL if telling else 1.0))


def _found(lines: list[str]) -> Iterator[str]:
    german = language_of(" ".join(lines[:20])) == "de"
    pairs: Counter[tuple[str, str]] = Counter()
    for line in lines:
        yield from (match[1] or match[2] for match in _IDENTIFIER.finditer(line))
        yield from (match[1] or match[2] or match[3] for match in _TITLE.finditer(line))
        yield from _names(line, german=german)
        pairs.update(_pairs(line))
    for (one, other), count in pairs.items():
        yield from [f"{one} {other}"] * (count if count > 1 else 0)


def _names(line: str, *, german: bool) -> Iterator[str]:
    for match in _NAME.finditer(line):
        words = match[0].rstrip(".'’-").removesuffix("'s").removesuffix("’s").split()
        opens = bool(_SENTENCE_START.search(line[: match.start()]))
        while words and words[0].casefold() in NO_NAME:
            words, opens = words[1:], False
        while words and (words[-1].casefold() in NO_NAME or words[-1].isdigit()) and len(words) > 1:
            words.pop()
        name = " ".join(words)
        if len(name) < 2 or name.isdigit() or name.casefold() in NO_NAME or not stem(words[0]):
            continue
        marked = any(map(str.isdigit, name)) or any(map(str.isupper, name[1:])) or len(words) > 1
        if marked or not (opens or german):
            yield name


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    for one, other in pairwise(_WORD.finditer(line)):
        both = (one[0], other[0])
        together = line[one.end() : other.start()] == " " and all(word.islower() for word in both)
        if together and all(stem(word) and not word.endswith("ly") and word not in _TIMES for word in both):
            yield both
