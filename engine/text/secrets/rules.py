"""Reads the patterns of secrets from `rules.toml` on first use."""

import re
from enum import Enum
from functools import cache, lru_cache
from typing import Annotated

import msgspec

from engine.text.pattern_file import converted, fault, pattern_file, toml_file
from engine.text.secrets.disguise import wrapped_pattern

_PART = re.compile(r"%\{([a-z]+)\}")
RULES_FILE = "engine/text/secrets/rules.toml"
_DEEPEST = 5  # the depth to which parts may stand within parts


class Doubt(Enum):
    """The proof that a match still needs: loose patterns also match prose."""

    NONE = "none"
    TOKEN = "token"  # noqa: S105 - the name of a doubt
    """At least 12 mixed letters and digits, and no placeholder."""
    PASSWORD = "password"  # noqa: S105 - the name of a doubt
    """A mix of letters with digits or signs, and no placeholder."""
    STRONG = "strong"  # at least 8 characters of three kinds: small and capital letters, digits, signs
    LONE = "lone"  # a password as people make them, which no name need announce: small, capital, digit and sign
    TURNS = "turns"  # the numbers of a dial: with the way it is turned, or with dashes between them
    SPELLED = "spelled"  # four letters or digits that stand alone and are no words of one letter
    FILLED_IN = "filled-in"  # anything but a placeholder such as `<password>` or `****`
    DIGITS = "digits"  # a digit at least, and no date
    CARD = "card"  # a known beginning, length and check digit, and no account number around it
    SEED = "seed"  # twelve words or more of the list that wallets use
    BASE58 = "base58"  # base58 with its check sum
    LOGIN = "login"  # base64 of a name, a colon and a password
    COOKIE = "cookie"  # a value of it at least is a token
    COLUMN = "column"  # a table: the cells below a heading that names passwords
    SPLIT = "split"  # a secret by another rule where the line break is taken out
    ENCODED = "encoded"  # a secret by another rule where base64 or hex is undone
    NAME = "name"  # what follows the name is a value by the grammar of `announced`
    WORD = "word"  # the same behind a word of prose, which may have an ending
    CELL = "cell"  # a cell below a heading: a password, or the digits of a code
    CODE = "code"  # digits that are no year
    PEOPLE = "people"  # a password as people make them: words with two digits, or what no word looks like
    SHAPED = "shaped"  # a beginning as vendors make them, and letters at random


_Filled = Annotated[str, msgspec.Meta(pattern=r"\S")]


class SecretRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of secret: its name on screen, RE2 pattern, doubt, and two templates (`{alnum 36}`): `sample` matches,
    `counter` looks similar and is harmless."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z]+(-[a-z]+)*$", max_length=30)]
    pattern: _Filled
    sample: _Filled
    counter: _Filled
    doubt: Doubt = Doubt.NONE
    by_word: bool = False  # it is looked for only near one of the words in the part `words`
    by_place: bool = False  # the same with the part `places`


class Rules(msgspec.Struct, frozen=True):
    """Every rule, the most specific first, and the patterns of words near those `by_word` and of column headings."""

    all: tuple[SecretRule, ...]
    words: str
    places: str
    heading: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    heads: Annotated[tuple[_Filled, ...], msgspec.Meta(min_length=1)]
    parts: dict[str, _Filled]
    rules: Annotated[tuple[SecretRule, ...], msgspec.Meta(min_length=1)]


@lru_cache(maxsize=1)
def rules() -> Rules:
    """Reads all rules with parts filled in, the most specific first; raises `Damaged` with the place of a fault."""
    file = converted(toml_file(__package__, "rules.toml"), _File, RULES_FILE)
    parts = {**file.parts, **_names(), "wrapped": wrapped_pattern(file.heads)}
    filled = tuple(msgspec.structs.replace(rule, pattern=_filled(rule.pattern, parts)) for rule in file.rules)
    return Rules(filled, *(_filled(f"%{{{part}}}", parts) for part in ("words", "places", "heading")))


@cache
def _names() -> dict[str, str]:
    """Returns the names of secrets as parts, such as `pinname` and `pinword`."""
    table = pattern_file(__package__, "names.toml")
    return {
        kind + part: f"(?:{'|'.join(patterns)})"
        for part, section in (("name", "names"), ("word", "words"), ("", "phrases"))
        for kind, patterns in table[section].items()
    }


def _filled(pattern: str, parts: dict[str, str]) -> str:
    for _ in range(_DEEPEST):
        unknown = next((name for name in _PART.findall(pattern) if name not in parts), None)
        if unknown is not None:
            raise fault(RULES_FILE, "parts", f"no part is called {unknown}")
        pattern = _PART.sub(lambda part: parts[part[1]], pattern)
    return pattern
