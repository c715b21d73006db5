"""Tells a secret from prose, a placeholder or code, where a loose shape was found."""

import base64
import binascii
import math
import re
from itertools import pairwise

from engine.text.pattern_file import pattern_file
from engine.text.secrets.rules import Doubt
from engine.text.secrets.wallets import is_base58_checked, is_card_number, is_seed_phrase

_PATTERNS = pattern_file(__package__, "doubts.toml")["patterns"]
_PLACEHOLDER = re.compile(_PATTERNS["placeholder"], re.IGNORECASE | re.DOTALL)
# What prose puts after a colon: dates, versions, numbers, paths, addresses, calls, file names, words however joined.
_ORDINARY = re.compile(_PATTERNS["ordinary"], re.DOTALL)
_DIGITS = re.compile(r"\d{6,}\W?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|[^\d]*")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE)
_CODE = re.compile(r"[\w.]+\[|[\w.]*\w\.\w+\(|[\w.]+\(\)")
_JOINED = re.compile(r"(?:[A-Za-z]?[a-z]*|\d{1,4}|[A-Z]\d{1,2})(?:[-/_.:](?:[A-Za-z]?[a-z]*|\d{1,4}|[A-Z]\d{1,2}))+")
# Names as people give them: words that end in a number, joined by signs, such as `Sprint12-Q3` or `src/Login2FA.tsx`.
_WORD = _PATTERNS["word"]
_NAMED = re.compile(rf"[@#~]?(?:{_WORD})(?:[-_/.:+](?:{_WORD}))*")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HASH = re.compile(r"(?:[a-z]+\d*[:-])?[0-9a-fA-F]{7,}")
_PAIR = re.compile(r"[^:\s]{1,100}:\S{3,}")


def is_convincing(value: str, doubt: Doubt, *, quoted: bool) -> bool:
    """Tells whether what a loose rule found is a secret, and neither a placeholder nor ordinary text."""
    value = value.strip()
    match doubt:
        case Doubt.NONE | Doubt.COLUMN | Doubt.SPLIT | Doubt.ENCODED:
            return True
        case Doubt.SEED:
            return is_seed_phrase(value)
        case Doubt.CARD:
            return is_card_number(value)
        case Doubt.BASE58:
            return is_base58_checked(value)
        case Doubt.LOGIN:
            return _is_login(value)
        case Doubt.COOKIE:
            return any(_is_token(part.partition("=")[2].strip()) for part in value.split(";"))
        case _:
            return not _PLACEHOLDER.match(value) and _stands_out(value, doubt, quoted)


def _stands_out(value: str, doubt: Doubt, quoted: bool) -> bool:
    if doubt is Doubt.FILLED_IN:
        return True
    if doubt is Doubt.DIGITS:
        return not _DATE.fullmatch(value)
    if doubt is Doubt.ALONE:
        return _stands_alone(value, quoted)
    if doubt is Doubt.BELOW:
        return _stands_alone(value, quoted) and not _HASH.fullmatch(value)
    if doubt is Doubt.TOKEN:
        return _is_token(value)
    mixed = not _ORDINARY.fullmatch(value) or is_scrambled(value)
    if doubt is Doubt.STRONG:
        return mixed and _kinds(value) >= 3 and len(value) >= 8 and not (_CODE.match(value) or _JOINED.fullmatch(value))
    if " " in value:
        return quoted and 4 <= len(value.split()) <= 10 and value.islower()
    return mixed or quoted or _DIGITS.fullmatch(value) is not None


def _stands_alone(value: str, quoted: bool) -> bool:
    loose = _is_token(value) or _stands_out(value, Doubt.STRONG, quoted)
    return loose and any(map(str.isdigit, value)) and not (_NAMED.fullmatch(value) or _UUID.fullmatch(value))


def _is_token(value: str) -> bool:
    if len(value) < 12 or any(map(str.isspace, value)) or _PLACEHOLDER.match(value):
        return False
    return (not _ORDINARY.fullmatch(value) or is_scrambled(value)) and _entropy(value) >= 3


def _is_login(value: str) -> bool:
    try:
        text = base64.b64decode(value, validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    return _PAIR.fullmatch(text) is not None


def _kinds(value: str) -> int:
    """Counts the kinds of characters, of four, that a value has, its last sign not counted."""
    inner = value.rstrip(".,;:!?)]}>")
    signs = any(not char.isalnum() for char in inner)
    return any(map(str.islower, inner)) + any(map(str.isupper, inner)) + any(map(str.isdigit, inner)) + signs


def is_scrambled(value: str) -> bool:
    """Letters as no word has them: cases that change all the time, or five consonants in a row."""
    changes = sum(one.islower() != two.islower() for one, two in pairwise(value) if one.isalpha() and two.isalpha())
    return changes >= max(3, len(value) / 3) or _CONSONANTS.search(value) is not None


def _entropy(value: str) -> float:
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * math.log2(share) for share in shares)
