"""Recognises wallet keys and card numbers by word lists, check sums and check digits."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import groupby

from engine.text.pattern_file import folder_of

LEAST_WORDS = 12  # words of the shortest seed phrase that BIP 39 knows
_WORD = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f\u3099\u309a])+")
_NUMBER = re.compile(r"\d{1,2}[.):]?[ \t]*$")
_BASE58 = {char: at for at, char in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}
_GROUPED = re.compile(r"\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5}|\d{13,19}")
# Visa, Mastercard, American Express, Discover, JCB, Diners, UnionPay: beginnings and lengths (ISO/IEC 7812).
_ISSUER = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12,14}|3[47]\d{13}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)


@lru_cache(maxsize=1)
def _lists() -> tuple[frozenset[str], ...]:
    """Returns the word list of each language, with decomposed letters."""
    folder = folder_of(__package__) / "seed_words"
    texts = (file.read_text("utf-8") for file in sorted(folder.iterdir(), key=lambda file: file.name))
    return tuple(frozenset(unicodedata.normalize("NFKD", text).split()) for text in texts)


@lru_cache(maxsize=1)
def _all_words() -> frozenset[str]:
    return frozenset().union(*_lists())


def seed_phrase(value: str) -> tuple[int, int] | None:
    """Returns the range of twelve or more adjacent words of one list, mostly different and unsorted; else None."""
    plain = value if value.isascii() else unicodedata.normalize("NFKD", value)
    # Of most sentences a few words stand on a list: this is said in no time.
    if len(_all_words().intersection(plain.replace(",", " ").replace(";", " ").split())) <= LEAST_WORDS // 4 * 3:
        return None
    found = list(_WORD.finditer(value))
    words = [unicodedata.normalize("NFKD", word[0]) for word in found]
    run = next((run for known in _lists() if (run := _run(words, known))), None)
    if run is None:
        return None
    number = _NUMBER.search(value, 0, found[run[0]].start())
    return (number or found[run[0]]).start(), found[run[1] - 1].end()


def _run(words: Sequence[str], known: frozenset[str]) -> tuple[int, int] | None:
    at = 0
    for is_known, group in groupby(words, known.__contains__):
        run = list(group)
        if is_known and len(run) >= LEAST_WORDS and len(set(run)) > len(run) // 2 and run != sorted(run):
            return at, at + len(run)
        at += len(run)
    return None


def is_base58_checked(value: str) -> bool:
    """Tells whether the last four bytes are the check sum of the others."""
    number = 0
    for char in value:
        if (digit := _BASE58.get(char)) is None:
            return False
        number = number * 58 + digit
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return len(data) > 4 and sha256(sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def is_card_number(value: str) -> bool:
    """Tells whether digits, grouped like a card's or not, have an issuer's prefix and a valid check digit."""
    if not _GROUPED.fullmatch(value):
        return False
    digits = re.sub(r"\D", "", value)
    if not _ISSUER.fullmatch(digits) or len(set(digits)) < 3:
        return False
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits))]
    return sum(digit - 9 if digit > 9 else digit for digit in doubled) % 10 == 0
