"""Rates how odd a value looks, from placeholder, code or word up to random letters."""

import math
import re
from enum import IntEnum
from itertools import pairwise

from engine.text.pattern_file import PatternFile

FORMS = PatternFile(__package__, "doubts.toml", "placeholder code known numbered named public")
_JOINED = re.compile(r"[^\W\d_]+(?:[-_.+&/][^\W\d_]+)+|[^\W\d_]*[a-z][A-Z][^\W\d_]+")
_PATH = re.compile(r"(?:[\w@.-]+/){2,9}[\w@.-]*")
_SIGNS = frozenset("!#$%&*?@+=~^;{}<>/")
_PREFIX, _TAIL, _RUN, _BITS = 12, 30, 14, 3.2  # letters of a beginning, of all that follows, in a row; bits for each
_EDGE = ".,;:!?)]}>'\"*"
IDEOGRAPHS = "\u2e80"  # from here on words have no blanks between them and no endings
REFERENCE = re.compile(
    r"[\w.-]+[#@+~^](?:[0-9a-f]{6,40}|v?[\d.]+)|.*@[\w-]+\.[a-z].*|\w+[*^+]{1,2}\w{1,2}|[\w./-]+:v?\d+(?:\.\d+)*"
)  # `tool#152`, `tool@53860074`, e-mail, `x**2`, `image:16`
_NO_PASSWORD = re.compile(r"""["'`/\\<>{}=]|\?.""")  # a path, an address, a parameter, code
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?::fx)?")


class Oddity(IntEnum):
    """The oddity of a value's look, in rising order."""

    NOTHING = 0  # a placeholder, code, a path, a date, a version, a number
    WORD = 1
    JOINED = 2  # words joined by signs or by capital letters
    NAMED = 3  # the same with numbers, as releases, models and people's passwords are made
    MIXED = 4  # letters with digits or signs between them
    RANDOM = 5


def oddity_of(value: str) -> Oddity:
    """Rates one value without blanks."""
    inner = value.rstrip(_EDGE)
    if len(value) < 4 or FORMS["placeholder"].match(value) or FORMS["code"].search(value):
        return Oddity.NOTHING
    if FORMS["known"].fullmatch(inner):
        return Oddity.NOTHING
    digits = sum(map(str.isdigit, inner))
    if not any(map(str.isalpha, inner)) or max(inner) >= IDEOGRAPHS:
        return Oddity.NOTHING
    if is_random(inner, digits):
        return Oddity.RANDOM
    if _PATH.fullmatch(inner) or FORMS["numbered"].fullmatch(inner):
        return Oddity.NOTHING
    if FORMS["named"].fullmatch(inner):
        return (Oddity.NAMED if len(inner) >= 7 else Oddity.WORD) if digits else _joined(inner)
    if digits or _SIGNS & set(inner):
        return Oddity.MIXED if len(inner) >= 6 else Oddity.WORD
    return _joined(inner)


def _joined(inner: str) -> Oddity:
    if len(inner) < 8 or not _JOINED.fullmatch(inner):
        return Oddity.WORD
    # Dice give phrases of four words or more.
    return Oddity.NAMED if inner.count("-") >= 3 and len(inner) >= 20 else Oddity.JOINED


def is_made_by_people(value: str) -> bool:
    """Tells whether a value may be a password without a name: no number, release, reference or address."""
    look = Oddity.NOTHING if _NO_PASSWORD.search(value) or REFERENCE.fullmatch(value) else oddity_of(value)
    return look >= Oddity.MIXED or (look is Oddity.NAMED and len(value) >= 8 and sum(map(str.isdigit, value)) >= 2)


def is_shaped(value: str) -> bool:
    """Tells whether a vendor-like prefix is before thirty or more random letters."""
    parts = re.split(r"([_.-])", value)
    first = next((at for at in range(0, len(parts), 2) if len(parts[at]) >= _PREFIX or is_random(parts[at], 1)), 0)
    head, tail = "".join(parts[:first]), "".join(parts[first:]).rstrip("=")
    if not head or len(tail) < _TAIL or FORMS["public"].search(head) or FORMS["code"].search(value):
        return False
    longest = max(map(len, re.split(r"[_.-]", tail)))
    return longest >= _RUN and entropy(tail) >= _BITS and sum(map(str.isdigit, tail)) >= 3 and is_random(tail, 1)


def is_random(value: str, digits: int) -> bool:
    """Tells whether letters and digits alternate as in no word or number."""
    if not digits or len(value) < 8:
        return False
    kinds = ["d" if char.isdigit() else "U" if char.isupper() else "l" if char.isalpha() else "s" for char in value]
    # A capital letter at the beginning of a word is no change.
    changes = sum(one != two and (one, two) != ("U", "l") and "s" not in (one, two) for one, two in pairwise(kinds))
    return changes >= max(3, len(value) / 5) or (
        len(value) >= 16 and changes >= 2 and entropy(value) >= 3.5 and not FORMS["named"].fullmatch(value)
    )


def entropy(value: str) -> float:
    """Returns the bits a character, by the frequencies of the value's characters."""
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * math.log2(share) for share in shares)
