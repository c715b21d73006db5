"""Makers of random secrets, put together at run time, so that no file here holds one."""

import base64
import hashlib
import random
import re
import string
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from engine.text import secrets

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGITS
URL64 = ALNUM + "-_"
B64 = ALNUM + "+/"
HEX = DIGITS + "abcdef"
SIGNS = "!#%*+-?^_~"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

Make = Callable[[random.Random], str]


def run(alphabet: str, length: int) -> Make:
    """A maker of random runs."""
    return lambda rnd: "".join(rnd.choice(alphabet) for _ in range(length))


def join(*parts: str | Make) -> Make:
    return lambda rnd: "".join(part if isinstance(part, str) else part(rnd) for part in parts)


def either(*makes: Make) -> Make:
    return lambda rnd: rnd.choice(makes)(rnd)


def password(rnd: random.Random) -> str:
    """Eight to sixteen characters with letters, digits and a sign, as password managers make them."""
    chars = [rnd.choice(LOWER), rnd.choice(UPPER), rnd.choice(DIGITS), rnd.choice(SIGNS)]
    chars += [rnd.choice(ALNUM + SIGNS) for _ in range(rnd.randint(4, 12))]
    rnd.shuffle(chars)
    return rnd.choice(LOWER) + "".join(chars)


def armour(kind: str, *, lines: int = 4, newline: str = "\n", header: str = "") -> Make:
    def make(rnd: random.Random) -> str:
        body = [run(B64, 64)(rnd) for _ in range(lines)] + [run(B64, 30)(rnd) + "=="]
        fences = [f"-----{word} {kind}-----" for word in ("BEGIN", "END")]
        return newline.join([fences[0], *([header, ""] if header else []), *body, fences[1]])

    return make


def encoded(make: Make) -> Make:
    """Base64 of a secret."""
    return lambda rnd: base64.b64encode(make(rnd).encode()).decode()


def hexed(make: Make) -> Make:
    return lambda rnd: make(rnd).encode().hex()


def full_width(make: Make) -> Make:
    """Letters, digits and signs as wide as Chinese ones."""
    return lambda rnd: "".join(chr(ord(char) + 0xFEE0) for char in make(rnd))


def broken(make: Make, by: str, *, least: int = 8) -> Make:
    """A secret with something in its middle: a line break, or characters that nobody sees."""

    def made(rnd: random.Random) -> str:
        text = make(rnd)
        at = rnd.randint(least, len(text) - least)
        return text[:at] + by + text[at:]

    return made


def base58_checked(head: bytes, length: int, tail: bytes = b"") -> Make:
    """Base58 with its check sum, as wallets write keys."""

    def made(rnd: random.Random) -> str:
        body = head + rnd.randbytes(length) + tail
        body += hashlib.sha256(hashlib.sha256(body).digest()).digest()[:4]
        number, text = int.from_bytes(body, "big"), ""
        while number:
            number, digit = divmod(number, 58)
            text = BASE58[digit] + text
        return text

    return made


@lru_cache(maxsize=1)
def seed_words() -> Sequence[str]:
    return (Path(secrets.__file__).parent / "seed_words" / "english.txt").read_text().split()


def seed(count: int, by: str = " ") -> Make:
    return lambda rnd: by.join(rnd.choice(seed_words()) for _ in range(count))


def numbered_seed(rnd: random.Random) -> str:
    return " ".join(f"{number}. {rnd.choice(seed_words())}" for number in range(1, 13))


def card(heads: Sequence[str], length: int, groups: Sequence[int] = ()) -> Make:
    """A card's number with its check digit, in groups by blanks or dashes, or in one."""

    def made(rnd: random.Random) -> str:
        head = rnd.choice(heads)
        digits = head + "".join(rnd.choice(DIGITS) for _ in range(length - len(head) - 1))
        doubled = [int(digit) * (2 if at % 2 == 0 else 1) for at, digit in enumerate(reversed(digits))]
        digits += str(-sum(value - 9 if value > 9 else value for value in doubled) % 10)
        cuts = [sum(groups[:at]) for at in range(len(groups) + 1)]
        return rnd.choice(" -").join(digits[a:b] for a, b in pairwise(cuts)) if groups else digits

    return made


_TEMPLATE = re.compile(r"\{([a-z0-9]+)(?: ([0-9a-f]+))?(?: (\d+))?\}")
_ALPHABETS = {
    "alnum": ALNUM,
    "alnumlow": LOWER + DIGITS,
    "hex": HEX,
    "url": URL64,
    "b64": B64,
    "digits": "123456789",
    "upper": UPPER,
    "lower": LOWER,
    "base32": UPPER + "234567",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}


def filled(template: str, rnd: random.Random) -> str:
    """A sample of `rules.toml` with random characters in place of `{alnum 36}` and the like."""

    def one(found: re.Match[str]) -> str:
        name, number, more = found.groups()
        match name:
            case "password":
                return password(rnd)
            case "seed":
                return seed(int(number))(rnd)
            case "card":
                return card(["4", "53"], 16, [4, 4, 4, 4])(rnd)
            case "cardrun":
                return card(["4", "53"], 16)(rnd)
            case "base58check":
                return base58_checked(bytes.fromhex(number), int(more))(rnd)
            case "b64login":
                return encoded(join("ana:", run(ALNUM, 20)))(rnd)
            case "wrapped":
                return encoded(join("gh", "p_", run(ALNUM, 36)))(rnd)
            case _ if name in _ALPHABETS and number:
                return run(_ALPHABETS[name], int(number))(rnd)
        return found[0]

    return _TEMPLATE.sub(one, template)
