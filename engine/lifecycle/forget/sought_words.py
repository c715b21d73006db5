"""Finds words in any text, however they are set there: case, marks and line breaks between them make no difference."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

import msgspec

from engine.errors import UsageError
from engine.text.language import HAN, HANGUL, KANA

_WIDE = f"{HAN}{KANA}{HANGUL}"
TOKEN = re.compile(rf"[{_WIDE}]|[^\W_{_WIDE}]+")
_IS_WIDE = re.compile(f"[{_WIDE}]")
_GAP = r"[\W_]{1,40}?"
"""Signs between two words: quotes, emphasis, a line break with the marks of a list or a quotation."""
_FEWEST = 3
"""Letters that a request must hold: "a" or "it" would stand everywhere."""

MARK = "(forgotten)"
"""Stands where words stood: valid in YAML, JSON and Markdown, and no link."""

Span = tuple[int, int]


class Wording(msgspec.Struct, frozen=True, dict=True):
    """The texts that are looked for, each as a run of words. `UsageError` where one has no word to find it by."""

    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        for text in self.texts:
            if sum(map(len, tokens(text))) < _FEWEST and not _IS_WIDE.search(text):
                raise UsageError("these are too few letters to be found by", where=text[:80])
            if tokens(text) == tokens(MARK):
                raise UsageError("this stands where something was forgotten", where=text[:80])

    def spans(self, text: str) -> Iterator[Span]:
        """Yields where the words stand, as first and last character, in order."""
        return (found.span() for found in self._pattern.finditer(text)) if self.texts else iter(())

    def may_hold(self, data: bytes) -> bool:
        """Tells quickly that none of the texts can be in these bytes; each has a plain word that would be there."""
        lowered = data.lower()
        return any(not sign or sign in lowered for sign in self._signs)

    def count(self, text: str) -> int:
        """Counts the places in a text, compatibility forms and joined accents read as plain ones."""
        return sum(1 for _ in self.spans(unicodedata.normalize("NFKC", text)))

    @property
    def _signs(self) -> tuple[bytes, ...]:
        words = ([word for word in tokens(text) if word.isascii()] for text in self.texts)
        return tuple(max(found, key=len, default="").encode() for found in words)

    @property
    def _pattern(self) -> re.Pattern[str]:
        if "compiled" not in self.__dict__:
            runs = sorted({tuple(tokens(text)) for text in self.texts}, key=len, reverse=True)
            self.__dict__["compiled"] = re.compile("|".join(map(run_pattern, runs)), re.IGNORECASE)
        compiled: re.Pattern[str] = self.__dict__["compiled"]
        return compiled


def tokens(text: str) -> list[str]:
    """Cuts a text into words in one spelling; of Chinese, Japanese and Korean each character is one."""
    return TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def run_pattern(run: Iterable[str]) -> str:
    """Gives the pattern of a run of words with whatever signs stand between them, and no letter around it."""
    made, last = "", ""
    for word in run:
        wide = bool(_IS_WIDE.match(word)) or bool(last and _IS_WIDE.match(last))
        made += (_GAP.replace("1,", "0,") if wide else _GAP) if last else ""
        forms = dict.fromkeys(re.escape(unicodedata.normalize(form, word)) for form in ("NFC", "NFD"))
        made += f"(?:{'|'.join(forms)})" if len(forms) > 1 else next(iter(forms))
        last = word
    first = next(iter(run), "")
    before = "" if _IS_WIDE.match(first) else r"(?<![^\W_])"
    return f"{before}{made}" + ("" if _IS_WIDE.match(last) else r"(?![^\W_])")
