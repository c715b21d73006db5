"""Splits text into index terms: stemmed words, character pairs of scripts without spaces, whole identifiers. Words are
split before the database, so that queries are split equally (decisions D10, D12). A name such as `rate-limiting` is
found by its parts and, as a *mark*, unstemmed as a whole."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from engine.text.language import ENGLISH, GERMAN, HAN, HANGUL, KANA, Language, language_of

LONGEST = 64  # characters of the longest word or mark; what is longer (base64, hashes glued together) is cut off there
MOST_STEMS = 100_000
"""Most cached stems, some 20 MB: logs have new names and numbers in every line, and few common words."""
LONG_GERMAN = 9  # letters from which a German word may be a compound

_UNSPACED = "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_WIDE = f"{HAN}{KANA}{HANGUL}\u3005\u3006{_UNSPACED}"
_FIRST_WIDE = "\u0e01"
_HAS_WIDE = re.compile(f"[{_WIDE}]")
_ASCII_PIECES = bytes(code if chr(code).isalnum() and code < 128 else 32 for code in range(256))
"""Replaces all but ASCII letters and digits by blanks, in a third of a pattern's time."""
_PIECE = re.compile(
    rf"[{_WIDE}]+|[^\W_{_WIDE}]+(?:[\u0300-\u036f\u0591-\u0eff\u200d]+[^\W_{_WIDE}]*)*|[\u2190-\u2bff\U0001f000-\U0001faff]"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HUMP_AT = re.compile(r"[a-z0-9][A-Z]")
# Both patterns begin where letters begin: tried from each letter of a long run, they take a minute for 60,000 of them.
_HUMPED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*")
# A mark joins letters and digits by one or two of these characters, or ends in what languages end in: C++, C#.
_MARK = re.compile(r"(?<![^\W_])[^\W_]++(?:[-_./:+#@&]{1,2}[^\W_]++)++(?:\+\+|#)?|\b[A-Za-z](?:\+\+|#)")
_ENDS = ".,;:!?()[]{}<>\"'`*|=~"  # signs around a word that no mark begins or ends with
_DRAWN = "—–‘’“”„•°·"
"""Signs that belong to no word, in texts that are ASCII otherwise: turns of transcripts have dashes."""
_FOLD = {
    code: ord(base)
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
    if (base := unicodedata.normalize("NFKD", chr(code))[0]).isascii() and base.isalpha()
}
"""Accented Latin letters, and the plain letter for each."""


class Cut(msgspec.Struct, frozen=True):
    """The words of a text in order, its marks, and long German words that may be compounds."""

    words: list[str]
    marks: list[str]
    compounds: list[str] = []


@lru_cache(maxsize=2)
def _stemmer(name: str) -> Callable[[str], str]:
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(name, 0).stemWord  # keeps nothing itself: `_Stems` does
    return stem


class _Stems(dict[str, str]):
    """Caches each word's stem in one language: a vocabulary is far smaller than a text."""

    def __init__(self, language: str, common: frozenset[str]) -> None:
        self._language = language
        self._common = common

    def __missing__(self, word: str) -> str:
        if len(self) > MOST_STEMS:
            self.clear()
        return self.setdefault(word, self._stem(word))

    def _stem(self, word: str) -> str:
        cut = word[:LONGEST]
        if cut in self._common or not cut.isalpha() or len(cut) < 3:
            return fold(cut)
        # English has no accents of its own: `brûlée` and `brulee` are one word. To German they tell `a` from `ä`.
        return fold(_stemmer(self._language)(fold(cut) if self._language == "english" else cut))


_STEMS = {"en": _Stems("english", ENGLISH), "de": _Stems("german", GERMAN)}


def fold(word: str) -> str:
    """Removes accents from a Latin word; other scripts stay."""
    return word if word.isascii() else word.translate(_FOLD)


def normal(text: str) -> str:
    """Replaces compatibility forms (full-width letters, ligatures) by plain ones, `ß` by `ss`; keeps case."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("ß", "ss")


def cut(text: str, language: Language | None = None) -> Cut:
    """Splits `text` into words and marks, stemmed in `language` or the detected one."""
    language = language or language_of(normal(text))
    text = normal(_plain(text))
    tokens = text.split()
    # Most words are small letters alone: they hold no name, and are looked at once.
    unusual = [token for token in tokens if not (token.islower() and token.isalpha())]
    humped = _humped(unusual)
    lowered = (_parted(tokens, humped) if humped else text).lower()
    words = list(_words(lowered, _stems_in(language)))
    names = (mark.lower() for mark in _HUMPED.findall(" ".join(humped)) if len(mark) <= LONGEST)
    return Cut(words, [*_joined_marks(unusual), *names], _compounds(lowered, language))


def _plain(text: str) -> str:
    """Replaces drawn signs by blanks, one sign after another: `translate` takes ten times as long."""
    if not text.isascii():
        for sign in _DRAWN:
            text = text.replace(sign, " ")
    return text


def _stems_in(language: Language) -> _Stems:
    return _STEMS["de" if language == "de" else "en"]


def _words(lowered: str, stems: _Stems) -> Iterator[str]:
    if lowered.isascii():
        # A table finds the words of most texts in a third of the time of a pattern.
        return map(stems.__getitem__, lowered.encode("ascii").translate(_ASCII_PIECES).decode("ascii").split())
    found = _PIECE.findall(lowered)
    return _paired(found, stems) if _HAS_WIDE.search(lowered) else map(stems.__getitem__, found)


def _humped(tokens: Sequence[str]) -> list[str]:
    """Returns the words in camel case or with a camel-case part; `URLs` is none."""
    return [token for token in tokens if not token[1:].islower() and _HUMP_AT.search(token)]


def _parted(tokens: Iterable[str], humped: Iterable[str]) -> str:
    names = {token: _HUMP.sub(" ", token) for token in humped}
    return " ".join([names.get(token, token) for token in tokens])


def _paired(found: Iterable[str], stems: _Stems) -> Iterator[str]:
    for piece in found:
        if piece < _FIRST_WIDE or not _HAS_WIDE.match(piece):
            yield stems[piece]
        else:
            yield from pairs(piece)


def pieces(text: str) -> Iterator[str]:
    """Yields the words of `normal` text in lower case, unstemmed, with whole runs of wide characters."""
    tokens = text.split()
    return iter(_PIECE.findall(_parted(tokens, _humped(tokens)).lower()))


def pairs(run: str) -> list[str]:
    """Returns the overlapping pairs of a run, then its last character, so that each character begins a word."""
    return [*map("".join, pairwise(run)), run[-1]]


def is_wide(word: str) -> bool:
    """Tells whether a word is in a script without spaces, or split like one (Korean)."""
    return _HAS_WIDE.match(word) is not None


def _joined_marks(tokens: Iterable[str]) -> Iterator[str]:
    # To look at words with a sign inside alone takes half the time of a pattern over the text.
    signed = " ".join([token for token in tokens if not token.strip(_ENDS).isalnum()])
    return (fold(mark.lower()) for mark in _MARK.findall(signed) if len(mark) <= LONGEST)


def _compounds(lowered: str, language: Language) -> list[str]:
    if language != "de":
        return []
    return list({word for word in re.findall(r"[^\W\d_]+", lowered) if LONG_GERMAN <= len(word) <= LONGEST})


def stem_in(word: str, language: Language) -> str:
    """Returns a lower-case word as it is indexed in a text of `language`."""
    return _stems_in(language)[word]


def stems_of(word: str) -> tuple[str, ...]:
    """Returns the stems by which a lower-case word may be indexed in any language."""
    return tuple(dict.fromkeys((_STEMS["en"][word], _STEMS["de"][word])))
