"""Refuses what must never enter semantic memory, by line and rule (compactor §Recursive Pollution, decision A16)."""

import re
from functools import cache, lru_cache

import msgspec

from engine.compactor.semantic.entry import SemanticEntry
from engine.text.pattern_file import pattern_file
from engine.text.secrets.detector import find_secrets

LONGEST_FIELD = 600
"""Characters of one field; more is a raw summary, not an insight."""


class Pollution(msgspec.Struct, frozen=True):
    """Line (from 1) and rule by which a text is refused."""

    line: int
    rule: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.rule}"


@cache
def rules() -> dict[str, re.Pattern[str]]:
    """The pattern of each rule: what has no language first, then five languages."""
    tables = [pattern_file(__package__, name)["rules"] for name in ("pollution.toml", "pollution_languages.toml")]
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: re.compile("|".join(one for table in tables for one in table.get(name, ()))) for name in names}


def line_pollution(text: str, line: int) -> tuple[Pollution, ...]:
    """Every rule that one line of text breaks, each once."""
    broken = ("raw summary",) if len(text) > LONGEST_FIELD else _rules_broken(text)
    return tuple(Pollution(line, rule) for rule in broken)


@lru_cache(maxsize=4096)
def _rules_broken(text: str) -> tuple[str, ...]:
    """The rules that a line breaks. A plan asks of the same line as it is extracted, weighed and written."""
    broken = [rule for rule, pattern in rules().items() if pattern.search(text)]
    return (*broken, "secret") if find_secrets(text) else tuple(broken)


def entry_pollution(entry: SemanticEntry) -> tuple[Pollution, ...]:
    """Lists the pollution in an entry's fields; lines are those of its text."""
    found: list[Pollution] = []
    for number, (label, text) in enumerate(entry.fields(), 1):
        found.extend(line_pollution(text, entry.lines.get(label, number)))
    return tuple(found)
