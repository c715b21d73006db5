"""Makes text safe to show: nothing in it steers a terminal, hides, or reorders the text (decision G13). Every invisible
character becomes a visible token: a C0 control its picture (`␛`), a tab `⇥` and three spaces, an invalid byte `⟨x80⟩`,
others their code point (`⟨U+202E⟩`). ZWJ is shown too, which splits joined emoji: safer than guessing which joins are
harmless. So are skin tones (`👍⟨U+1F3FD⟩`), as terminals draw them in two or four cells. The two selectors of text or
emoji style stay behind characters that have both styles. Other characters never change. A text that contains `⟨U+202E⟩`
looks like the token, and is as harmless."""

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any

import msgspec

from engine.text.invisible import INVISIBLE, SKIN_TONES
from engine.text.pattern_file import toml_file

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_OWN_DIRECTIONS = {"\u200e": ("L", "EN"), "\u200f": ("R", "AL"), "\u061c": ("AL", "AN")}
"""The direction marks, and the classes of text before which each may be."""
_STRONG = frozenset({"L", "R", "AL", "EN", "AN"})
_MOST_BETWEEN = 8  # signs and blanks between a direction mark and the text that it stands for
_TAGS = 0xE0000
_BLACK_FLAG, _LAST_TAG = "\U0001f3f4", "\U000e007f"
_FLAG_LENGTH = 7
_HIDDEN_JOINERS = re.compile(f"[{INVISIBLE}]")


def is_spelling(text: str, at: int) -> bool:
    """Tells whether the invisible character at an offset joins emoji or letters, or orders the text after it."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char in (_ZWNJ, _ZWJ):
        return bool(before) and (_spells(char, before, after) or (char == _ZWJ and _joins(before, after)))
    if char in _OWN_DIRECTIONS:
        return _orders(text, at, _OWN_DIRECTIONS[char])
    return _TAGS < ord(char) <= _TAGS + 0x7F and _is_in_flag(text, at)


def _joins(before: str, after: str) -> bool:
    """Tells whether a joiner is between two emoji; the first may end in a tone, style, keycap or flag."""
    tables = _tables()
    return bool(tables["picture"].match(after) and tables["picture_end"].match(before))


def _spells(char: str, before: str, after: str) -> bool:
    """Tells whether a joiner is beside a virama, or a non-joiner between letters of a script that uses it."""
    letter = _tables()["letter"]
    if letter.match(before) and unicodedata.combining(before) == _VIRAMA:
        return True
    if not letter.match(after):
        return False
    if char == _ZWJ:  # before a virama, as Bengali writes র‍্যা
        return bool(letter.match(before)) and unicodedata.combining(after) == _VIRAMA
    # Behind a foreign word or a number it begins a Persian ending, and cuts no word in two.
    return after.isalpha() and unicodedata.category(before)[0] in "LMN"


_VIRAMA = 9  # the combining class of the signs that take a letter's vowel away


def _orders(text: str, at: int, own: tuple[str, ...]) -> bool:
    """Tells whether the next text has a mark's direction, and the mark is not inside such a word."""
    if at and text[at - 1].isalnum() and unicodedata.bidirectional(text[at - 1]) in own:
        return False
    for char in text[at + 1 : at + 2 + _MOST_BETWEEN]:
        if char == "\n" or _HIDDEN_JOINERS.match(char):
            return False
        if (direction := unicodedata.bidirectional(char)) in _STRONG:
            return direction in own
    return False


def _is_in_flag(text: str, at: int) -> bool:
    start = text.rfind(_BLACK_FLAG, max(0, at - _FLAG_LENGTH), at)
    return start >= 0 and text[start + 1 : start + _FLAG_LENGTH] in _tables()["flags"]


@cache
def _tables() -> dict[str, Any]:
    data = toml_file(__package__, "joiners.toml")
    pictures, scripts = (_ranges(data[name]) for name in ("pictures", "scripts"))
    return {
        "picture": re.compile(f"[{pictures}]"),
        "picture_end": re.compile(f"[{pictures}{SKIN_TONES}\ufe0f\u20e3{_LAST_TAG}\U0001f1e6-\U0001f1ff]"),
        "letter": re.compile(f"[{scripts}]"),
        "flags": frozenset("".join(chr(_TAGS + ord(letter)) for letter in flag) + _LAST_TAG for flag in data["flags"]),
    }


def _ranges(listed: str) -> str:
    """Converts `A9 2194-2199` to a part of a character class."""
    pairs = (part.partition("-") for part in listed.split())
    return "".join(f"{chr(int(first, 16))}-{chr(int(last or first, 16))}" for first, _, last in pairs)


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
    """One kind of hidden character in a text: token, Unicode name, count, and first line (from 1)."""

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
"""Tokens of ASCII control characters except the newline, which stays."""


def _replace(match: re.Match[str]) -> str:
    return _token(match[0])


def visible(text: str) -> str:
    """Replaces every hidden character but the newline by a visible token; idempotent, for any `str`."""
    if text.isascii():
        return text.translate(_ASCII_TOKENS)
    text = _TONES.sub(_replace, text)
    if _STYLES.search(text):
        text = _STRAY_STYLE.sub(_replace, text)
    return _HIDDEN.sub(_replace, text)


def visible_line(text: str) -> str:
    """Returns `visible` text on one line, for names and titles: a newline becomes `␊`."""
    return visible(text).replace("\n", "␊")


def without_markers(text: str) -> str:
    """Disarms HTML comments, so that the text cannot begin or end a block of a file."""
    return text.replace("<!--", "‹!--")


def hidden_characters(text: str) -> tuple[Hidden, ...]:
    """Lists the hidden characters for a warning, except tabs, carriage returns, skin tones, a BOM at the start, and
    joiners and direction marks used in spelling (decision G31)."""
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
    """Returns the terminal cells of a visible line: 2 for wide East Asian characters, 0 for combining marks."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def clip(text: str, width: int) -> str:
    """Cuts a visible line to `width` cells, ending in `…` if anything was cut."""
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
    """Pads a visible line with blanks to `width` cells; a wider line stays whole."""
    return text + " " * (width - cell_width(text))
