"""Reads the rules of poison from their files (`*.toml`): what has no language first, then a file a language."""

from collections.abc import Iterator

import msgspec

from engine.errors import Damaged
from engine.text.pattern_file import pattern_file
from engine.text.poison.rules.rule import PoisonRule

FILES = ("shapes", "commands", "speakers", "english", "german", "chinese", "spanish", "french")
"""The files in the order in which rules are numbered."""


def _rules(name: str) -> Iterator[PoisonRule]:
    where = f"{name}.toml"
    try:
        yield from msgspec.convert(pattern_file(__package__, where)["rules"], tuple[PoisonRule, ...])
    except (KeyError, msgspec.ValidationError) as error:
        raise Damaged(str(error), where=where, hint="each rule has a name and patterns") from error


RULES: tuple[PoisonRule, ...] = tuple(rule for name in FILES for rule in _rules(name))
