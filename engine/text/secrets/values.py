"""Tells how much a single value looks like a secret: from a placeholder, code or a word up to letters at random."""

import math
import re
from enum import IntEnum
from itertools import pairwise

from engine.text.pattern_file import pattern_file

_PATTERNS = pattern_file(__package__, "doubts.toml")["patterns"]
PLACEHOLDER = re.compile(_PATTERNS["placeholder"], re.IGNORECASE | re.DOTALL)
CODE = re.compile(_PATTERNS["code"])
_KNOWN = re.compile(_PATTERNS["known"], re.IGNORECASE)
_NUMBERED = re.compile(_PATTERNS["numbered"], re.IGNORECASE)
_NAMED = re.compile(rf"[@#~]?(?:{_PATTERNS['word']})(?:[-_/.:+](?:{_PATTERNS['word']}))*")
_JOINED = re.compile(r"[^\W\d_]+(?:[-_.+&/][^\W\d_]+)+|[^\W\d_]*[a-z][A-Z][^\W\d_]+")
_PATH = re.compile(r"(?:[\w@.-]+/){2,9}[\w@.-]*")
_SIGNS = frozenset("!#$%&*?@+=~^;{}<>/")
_PUBLIC = re.compile(_PATTERNS["public"], re.IGNORECASE)
_PREFIX, _TAIL, _RUN, _BITS = 12, 30, 14, 3.2  # letters of a beginning, of all that follows, in a row; bits for each
_EDGE = ".,;:!?)]}>'\"*"
IDEOGRAPHS = "\u2e80"  # from here on words have no blanks between them and no endings
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?::fx)?")


class Oddity(IntEnum):
    """The oddity of a value, from what nobody would take for a secret up."""

    NOTHING = 0  # a placeholder, code, a path, a date, a version, a number
    WORD = 1
    JOINED = 2  # words joined by signs or by capital letters
    NAMED = 3  # the same with numbers, as releases, models and people's passwords are made
    MIXED = 4  # letters with digits or signs between them
    RANDOM = 5


def oddity_of(value: str) -> Oddity:
    """Measures the oddity of one value without blanks."""
    if len(value) < 4 or PLACEHOLDER.match(value) or CODE.search(value) or _KNOWN.fullmatch(value.rstrip(_EDGE)):
        return Oddity.NOTHING
    inner = value.rstrip(_EDGE)
    digits = sum(map(str.isdigit, inner))
    if not any(map(str.isalpha, inner)) or max(inner) >= IDEOGRAPHS:
        return Oddity.NOTHING
    if is_random(inner, digits):
        return Oddity.RANDOM
    if _PATH.fullmatch(inner) or _NUMBERED.fullmatch(inner):
        return Oddity.NOTHING
    if _NAMED.fullmatch(inner):
        return (Oddity.NAMED if len(inner) >= 7 else Oddity.WORD) if digits else _joined(inner)
    if digits or _SIGNS & set(inner):
        return Oddity.MIXED if len(inner) >= 6 else Oddity.WORD
    return _joined(inner)


def _joined(inner: str) -> Oddity:
    if len(inner) < 8 or not _JOINED.fullmatch(inner):
        return Oddity.WORD
    # Dice give phrases of four words or more.
    return Oddity.NAMED if inner.count("-") >= 3 and len(inner) >= 20 else Oddity.JOINED


def is_shaped(value: str) -> bool:
    """Tells whether a beginning as vendors make them stands before thirty letters or more at random."""
    parts = re.split(r"([_.-])", value)
    first = next((at for at in range(0, len(parts), 2) if len(parts[at]) >= _PREFIX or is_random(parts[at], 1)), 0)
    head, tail = "".join(parts[:first]), "".join(parts[first:]).rstrip("=")
    if not head or len(tail) < _TAIL or _PUBLIC.search(head) or CODE.search(value):
        return False
    longest = max(map(len, re.split(r"[_.-]", tail)))
    return longest >= _RUN and entropy(tail) >= _BITS and sum(map(str.isdigit, tail)) >= 3 and is_random(tail, 1)


def is_random(value: str, digits: int) -> bool:
    """Tells whether letters and digits change all the time, as in no word and no number."""
    if not digits or len(value) < 8:
        return False
    kinds = ["d" if char.isdigit() else "U" if char.isupper() else "l" if char.isalpha() else "s" for char in value]
    # A capital letter at the beginning of a word is no change.
    changes = sum(one != two and (one, two) != ("U", "l") and "s" not in (one, two) for one, two in pairwise(kinds))
    return changes >= max(3, len(value) / 5) or (
        len(value) >= 16 and changes >= 2 and entropy(value) >= 3.5 and not _NAMED.fullmatch(value)
    )


def entropy(value: str) -> float:
    """Bits a character, as its own characters are spread."""
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * math.log2(share) for share in shares)
