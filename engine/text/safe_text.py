"""Makes text safe to show: nothing in it steers a terminal, hides, or changes the order of reading (decision G13).

Every character that a reader cannot see becomes a token that is seen: a C0 control its picture (`␛`), a tab `⇥` and
three spaces, a byte that is not UTF-8 `⟨x80⟩`, everything else its code point (`⟨U+202E⟩`). ZWJ is shown too, so a
joined emoji falls apart into its parts: showing what is there is safer than guessing which joins are harmless. So does
one with a skin tone (`👍⟨U+1F3FD⟩`), which one terminal draws in two cells and the next in four. Of the variation
selectors only the two that choose between text and emoji style stay, and only behind a character that has both styles.
Other characters are never changed. A text that spells out `⟨U+202E⟩` looks like the token: it is as harmless as the
token is.
"""

import re
import unicodedata
from functools import lru_cache

import msgspec

from engine.text.invisible import INVISIBLE, SKIN_TONES
from engine.text.joiners import is_spelling

TAB = "⇥   "  # the sign for a tab: visible, so that a diff shows it against spaces, and still an indent

_HIDDEN = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f{INVISIBLE}]")
# Two selectors choose between text and emoji style; anywhere else they carry nothing but hidden bits.
_HAS_STYLES = (
    "#*0-9©®\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_STRAY_STYLE = re.compile(f"(?<![{_HAS_STYLES}])[\ufe0e\ufe0f]")
_STYLES = re.compile("[\ufe0e\ufe0f]")
_TONES = re.compile(f"[{SKIN_TONES}]")
_UNREMARKABLE = frozenset("\t\r")


class Hidden(msgspec.Struct, frozen=True):
    """One kind of hidden character in a text: its token, its Unicode name, how often, and the first line (from 1)."""

    token: str
    name: str
    count: int
    line: int


@lru_cache(maxsize=8192)
def _token(char: str) -> str:
    code = ord(char)
    if char == "\t":
        return TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8, as `surrogateescape` keeps it
        return f"⟨x{code - 0xDC00:02X}⟩"
    return f"⟨U+{code:04X}⟩"


_ASCII_TOKENS = {code: _token(chr(code)) for code in (*range(10), *range(11, 32), 127)}
"""Control characters by their codes, but the newline, which stays; ASCII text needs no other table."""


def _replace(match: re.Match[str]) -> str:
    return _token(match[0])


def visible(text: str) -> str:
    """`text` with every hidden character but the newline as a visible token; idempotent, and total for any `str`."""
    if text.isascii():
        return text.translate(_ASCII_TOKENS)
    text = _TONES.sub(_replace, text)
    if _STYLES.search(text):
        text = _STRAY_STYLE.sub(_replace, text)
    return _HIDDEN.sub(_replace, text)


def visible_line(text: str) -> str:
    """`visible` for what must stay on one line, such as names and titles: a newline becomes `␊`."""
    return visible(text).replace("\n", "␊")


def without_markers(text: str) -> str:
    """The text in which no HTML comment begins: what was said begins and ends no block of a file."""
    return text.replace("<!--", "‹!--")


def hidden_characters(text: str) -> tuple[Hidden, ...]:
    """Lists what `visible` uncovers, for a warning; not tabs, carriage returns, skin tones or a BOM at the start.
    Neither are joiners and direction marks that are spelling (decision G31)."""
    found: dict[str, tuple[int, int]] = {}
    line, seen = 1, 0
    for char, at in _hidden_at(text):
        line += text.count("\n", seen, at)
        seen = at
        count, first = found.get(char, (0, line))
        found[char] = (count + 1, first)
    return tuple(Hidden(_token(char), _name(char), count, first) for char, (count, first) in found.items())


def _hidden_at(text: str) -> list[tuple[str, int]]:
    places = [
        (match[0], match.start())
        for match in _HIDDEN.finditer(text)
        if match[0] not in _UNREMARKABLE and not is_spelling(text, match.start())
    ]
    if places and places[0] == ("\ufeff", 0):
        del places[0]
    if _STYLES.search(text):
        places += [(match[0], match.start()) for match in _STRAY_STYLE.finditer(text)]
        places.sort(key=lambda place: place[1])
    return places


def _name(char: str) -> str:
    if 0xD800 <= ord(char) <= 0xDFFF:
        return "LONE SURROGATE"
    return unicodedata.name(char, "CONTROL CHARACTER" if unicodedata.category(char) == "Cc" else "NO CHARACTER")


@lru_cache(maxsize=8192)
def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cell_width(text: str) -> int:
    """Terminal cells that one visible line takes: 2 for wide East Asian characters, 0 for combining marks."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def clip(text: str, width: int) -> str:
    """The start of one visible line in at most `width` cells, with `…` where something was cut off."""
    if cell_width(text) <= width:
        return text
    if width < 1:
        return ""
    used = 0
    for index, char in enumerate(text):
        used += _char_width(char)
        if used > width - 1:
            return text[:index] + "…"
    return text


def in_column(text: str, width: int) -> str:
    """One visible line with blanks after it up to `width` cells; one that is wider stays whole."""
    return text + " " * (width - cell_width(text))
