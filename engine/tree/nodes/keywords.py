"""The telling words of a text, how rare each is among others, and what a text costs.

Its cutter is its own: a line of the tree shows a word as its author wrote it, `C++` and `it's` in one piece, and the
cutter of `engine.text.words` gives stems in small letters, parts and wholes of a name apart.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from engine.text.language import HAN, HANGUL, KANA
from engine.text.stop_words import TOLD
from engine.text.tokens import TokenCounter

_WIDE = f"{HAN}{KANA}{HANGUL}"
_TERM = re.compile(rf"[{_WIDE}]+|[^\W_{_WIDE}](?:[^\W{_WIDE}]|[.+#&/'’@-](?=[^\W_{_WIDE}])){{0,59}}[+#]{{0,2}}")
_MARKER = re.compile(r"⟨[^⟨⟩\n]{1,40}⟩")
"""The marks that stand for a secret or for a character that cannot be seen: memdeck's words, and none of the text."""
_WIDE_RUN = re.compile(f"[{_WIDE}]+")
_MODAL = frozenset({"may", "might"})
"""Small they tell nothing; with a capital, May is a month."""


class Keyword(msgspec.Struct, frozen=True, gc=False):
    """A word as written, and the stem that its other forms share."""

    surface: str
    key: str


def terms(text: str) -> Iterator[Keyword]:
    """The telling words of a text in order; Chinese, Japanese and Korean as overlapping pairs (decision D12)."""
    for match in _TERM.finditer(_MARKER.sub(" ", text) if "⟨" in text else text):
        word = match[0]
        if _is_wide(word[0]):
            for pair in ("".join(two) for two in pairwise(word)) if len(word) > 1 else (word,):
                yield Keyword(pair, pair)
            continue
        key = stem(word)
        if key and len(word) > 1:
            yield Keyword(word, key)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The English Snowball stem, lower case; empty for words that tell nothing. Other scripts stay as they are."""
    if word in _MODAL:
        return ""
    lower = word.casefold().replace("’", "'")
    if lower in TOLD:
        return ""
    lower = lower.removesuffix("'s")
    if lower in TOLD:
        return ""
    return _stemmed()(lower) if lower.isascii() else lower


@lru_cache(maxsize=1)
def _stemmed() -> Callable[[str], str]:
    import Stemmer  # not before the first word is read: `status` starts without it

    found: Callable[[str], str] = Stemmer.Stemmer("english").stemWord
    return found


def _is_wide(char: str) -> bool:
    return not char.isascii() and _WIDE_RUN.match(char) is not None


@lru_cache(maxsize=16384)
def stems(text: str) -> frozenset[str]:
    """The telling words of a text, each once, as its stem."""
    return frozenset(term.key for term in terms(text))


def rarity(bags: Sequence[frozenset[str]]) -> dict[str, float]:
    """Computes how rare each stem is among the bags: ln(1 + N / df)."""
    found = Counter(key for one in bags for key in one)
    return {key: math.log(1 + len(bags) / count) for key, count in found.items()}


class Prices:
    """Tokens of a text with the blank before it, each counted once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._known: dict[str, int] = {}

    def of(self, text: str) -> int:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = max(1, self._counter.count(" " + text))
        return found
