"""Folds text for matching: undoes disguised letters, keeps offsets (Unicode TR39, Latin look-alikes)."""

import re
import unicodedata
from bisect import bisect_right

import msgspec

from engine.text.invisible import INVISIBLE

_LIKE_LATIN = {
    "аɑαａ": "a", "ВвЬьΒβ": "b", "сϲС": "c", "ԁ": "d", "еєΕε": "e", "ɡ": "g", "НһΗ": "h", "іιІΙıɩ": "i", "јЈ": "j",
    "КкκΚ": "k", "ӏⅼΙ": "l", "МмΜ": "m", "пΝɴ": "n", "оοσОΟσ": "o", "рρРΡ": "p", "ԛ": "q", "г": "r", "ѕЅ": "s",
    "ТтτΤ": "t", "υս": "u", "νѵ": "v", "ѡωԝ": "w", "хχХΧ": "x", "уУγΥ": "y", "ᴢΖ": "z", "ᴀ": "a", "ʙ": "b", "ᴄ": "c",
    "ᴅ": "d", "ᴇ": "e", "ɢ": "g", "ʜ": "h", "ɪ": "i", "ᴊ": "j", "ᴋ": "k", "ʟ": "l", "ᴍ": "m", "ᴏ": "o", "ᴘ": "p",
    "ʀ": "r", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w", "ʏ": "y", "“”„«»": '"', "‘’‚": "'", "–—‐‑‒―": "-",
}  # fmt: skip
_SINGLE = {char: plain for chars, plain in _LIKE_LATIN.items() for char in chars}
LIKE_LATIN = "".join(char for char in _SINGLE if "\u0370" <= char <= "\u052f")
"""Greek and Cyrillic letters that look Latin."""
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0"
_DROPPED = re.compile(f"[{INVISIBLE}{_MARKS}\ufe0e\ufe0f]+")
_KEPT = 60_000  # code points remembered: more than any honest text has, far less than all


class _Folds(dict[int, int]):
    """Maps code points to folded ones, computed on first use."""

    def __missing__(self, code: int) -> int:
        folded = _folded(chr(code))
        if len(self) < _KEPT:
            self[code] = folded
        return folded


def _folded(char: str) -> int:
    """Folds one character: to its Latin look-alike, else its base letter, else itself."""
    if char in _SINGLE:
        return ord(_SINGLE[char])
    base = "".join(each for each in unicodedata.normalize("NFKD", char) if not unicodedata.combining(each))
    return ord(base) if len(base) == 1 else ord(char)


_FOLDS = _Folds()


class FoldedText(msgspec.Struct, frozen=True):
    """A folded text; `places` and `shifts` map its offsets to the original."""

    text: str
    places: list[int]
    shifts: list[int]

    def original(self, offset: int) -> int:
        """Returns the original offset of an offset in the folded text."""
        at = bisect_right(self.places, offset) - 1
        return offset + (self.shifts[at] if at >= 0 else 0)


def fold(text: str) -> FoldedText:
    """Removes invisible characters and accents from `text`, and replaces look-alikes by Latin letters."""
    if text.isascii():
        return FoldedText(text, [], [])
    places: list[int] = []
    shifts: list[int] = []
    parts: list[str] = []
    start = dropped = 0
    for line in text.split("\n"):
        if line.isascii():
            parts.append(line)
        else:
            at, pieces = 0, []
            for match in _DROPPED.finditer(line):
                pieces.append(line[at : match.start()])
                at = match.end()
                dropped += at - match.start()
                places.append(start + at - dropped)
                shifts.append(dropped)
            parts.append("".join((*pieces, line[at:])).translate(_FOLDS))
        start += len(line) + 1
    return FoldedText("\n".join(parts), places, shifts)
