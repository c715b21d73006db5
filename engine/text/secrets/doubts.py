"""Tells secrets from prose, placeholders and code, where a loose pattern matched."""

import base64
import binascii
import re

from engine.text.secrets.rules import Doubt
from engine.text.secrets.values import FORMS, REFERENCE, UUID, Oddity, is_made_by_people, is_shaped, oddity_of
from engine.text.secrets.wallets import is_base58_checked, is_card_number

_DATE = re.compile(r"\d{4}-\d\d-\d\d|[^\d]*")
_CODE = re.compile(r"\d{4,8}[#*]?")
_ONE_LETTER = frozenset("aeiouyAEIOUY")  # words of one letter: a, I, o, y …
_PAIR = re.compile(r"[^:\s]{1,100}:\S{3,}")


def is_convincing(value: str, doubt: Doubt, *, quoted: bool) -> bool:
    """Tells whether a loose rule's match is a secret, and no placeholder or ordinary text."""
    value = value.strip()
    match doubt:
        case Doubt.NONE | Doubt.COLUMN | Doubt.SPLIT | Doubt.ENCODED:
            return True
        case Doubt.CARD:
            return is_card_number(value)
        case Doubt.BASE58:
            return is_base58_checked(value)
        case Doubt.LOGIN:
            return _is_login(value)
        case Doubt.COOKIE:
            return any(_is_token(part.partition("=")[2].strip()) for part in value.split(";"))
        case _:
            return not FORMS["placeholder"].match(value) and _stands_out(value, doubt, quoted)


def _stands_out(value: str, doubt: Doubt, quoted: bool) -> bool:
    match doubt:
        case Doubt.FILLED_IN:
            return not FORMS["code"].search(value)
        case Doubt.DIGITS:
            return not _DATE.fullmatch(value)
        case Doubt.TOKEN:
            return _is_token(value)
        case Doubt.SHAPED:
            return is_shaped(value)
        case Doubt.CELL:
            return oddity_of(value) >= Oddity.NAMED or _CODE.fullmatch(value) is not None
        case Doubt.PEOPLE:
            return is_made_by_people(value)
        case Doubt.CODE:
            return re.fullmatch(r"(?:19|20)\d\d", value) is None
        case Doubt.LONE:
            return _is_lone(value.rstrip("*_?.,~+-"))
        case Doubt.TURNS:
            return (
                re.search(r"[^\W\d]", value) is not None
                or re.fullmatch(r"\d\d?(?: ?[-–→>] ?\d\d?)+", value) is not None
            )
        case Doubt.SPELLED:
            return len(set(re.findall(r"(?<!\w)\w(?!\w)", value)) - _ONE_LETTER) >= 4
        case Doubt.STRONG:
            return oddity_of(value) >= Oddity.MIXED and len(value) >= 8
    if " " in value:
        return quoted and 4 <= len(value.split()) <= 10 and value.islower()
    return oddity_of(value) >= Oddity.NAMED or (value.isdigit() and len(value) >= 6)


def _is_token(value: str) -> bool:
    return len(value) >= 12 and not UUID.fullmatch(value) and oddity_of(value) >= Oddity.MIXED


def _is_lone(value: str) -> bool:
    """Tells whether a value can only be a password: `Gr8tWhale!42`."""
    inner = value.rstrip("!")
    if len(value) < (8 if re.search(r"[^\w.-]", inner) else 10) or len(value) > 40 or REFERENCE.fullmatch(value):
        return False
    kinds = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    return all(any(map(kind, value)) for kind in kinds) and oddity_of(value) >= Oddity.NAMED


def _is_login(value: str) -> bool:
    try:
        text = base64.b64decode(value, validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    return _PAIR.fullmatch(text) is not None
