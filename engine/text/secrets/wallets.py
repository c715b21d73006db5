"""Keys of wallets and numbers of cards: told from look-alikes by word list, check sum and check digit."""

import re
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

LEAST_WORDS = 12  # words of the shortest seed phrase that BIP 39 knows
_WORD = re.compile("[a-z]+")
_BASE58 = {char: at for at, char in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}
_GROUPED = re.compile(r"\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5}|\d{13,19}")
# Visa, Mastercard, American Express, Discover, JCB, Diners, UnionPay: beginnings and lengths (ISO/IEC 7812).
_ISSUER = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12,14}|3[47]\d{13}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)


@lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    return frozenset(files(__package__).joinpath("seed_words.txt").read_text("ascii").split())


def is_seed_phrase(value: str) -> bool:
    """Tells whether twelve words of the list stand in a row, most of them different and not in the list's own order."""
    known, words = _words(), _WORD.findall(value)
    if len(known.intersection(words)) <= LEAST_WORDS // 2:
        return False
    run: list[str] = []
    for word in words:
        if word not in known:
            run = []
            continue
        run.append(word)
        last = run[-LEAST_WORDS:]
        if len(last) == LEAST_WORDS and len(set(last)) > LEAST_WORDS // 2 and last != sorted(last):
            return True
    return False


def is_base58_checked(value: str) -> bool:
    """Tells whether the last four bytes are the check sum of those before."""
    number = 0
    for char in value:
        digit = _BASE58.get(char)
        if digit is None:
            return False
        number = number * 58 + digit
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(data) > 4 and sha256(sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def is_card_number(value: str) -> bool:
    """Tells whether digits, in one or in the groups of a card, have an issuer's beginning and the right check digit."""
    if not _GROUPED.fullmatch(value):
        return False
    digits = re.sub(r"\D", "", value)
    if not _ISSUER.fullmatch(digits) or len(set(digits)) < 3:
        return False
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits))]
    return sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0
