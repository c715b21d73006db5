"""Tells the invisible characters that belong to spelling from those that hide something (decision G31)."""

import re
import unicodedata
from functools import cache
from typing import Any

from engine.text.invisible import INVISIBLE, SKIN_TONES
from engine.text.pattern_file import toml_file

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_OWN_DIRECTIONS = {"\u200e": ("L", "EN"), "\u200f": ("R", "AL"), "\u061c": ("AL", "AN")}
"""The direction marks, and the classes of the text for which each may stand."""
_STRONG = frozenset({"L", "R", "AL", "EN", "AN"})
_MOST_BETWEEN = 8  # signs and blanks between a direction mark and the text that it stands for
_TAGS = 0xE0000
_BLACK_FLAG, _LAST_TAG = "\U0001f3f4", "\U000e007f"
_FLAG_LENGTH = 7
_HIDDEN = re.compile(f"[{INVISIBLE}]")


def is_spelling(text: str, at: int) -> bool:
    """Tells whether the invisible character at an offset joins emoji or letters, or orders the text behind it."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char in (_ZWNJ, _ZWJ):
        return bool(before) and (_spells(char, before, after) or (char == _ZWJ and _joins(before, after)))
    if char in _OWN_DIRECTIONS:
        return _orders(text, at, _OWN_DIRECTIONS[char])
    return _TAGS < ord(char) <= _TAGS + 0x7F and _is_in_flag(text, at)


def _joins(before: str, after: str) -> bool:
    """Tells whether a joiner stands between two emoji; a tone, a style, a keycap or a flag may end the first."""
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
    """Tells whether the next text has the direction of a mark, and the mark does not stand within a word of it."""
    if at and text[at - 1].isalnum() and unicodedata.bidirectional(text[at - 1]) in own:
        return False
    for char in text[at + 1 : at + 2 + _MOST_BETWEEN]:
        if char == "\n" or _HIDDEN.match(char):
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
    """Makes `A9 2194-2199` a part of a character class."""
    pairs = (part.partition("-") for part in listed.split())
    return "".join(f"{chr(int(first, 16))}-{chr(int(last or first, 16))}" for first, _, last in pairs)
