"""Refuses what must never enter semantic memory, by line and rule (compactor §Recursive Pollution, decision A16)."""

import re
from collections.abc import Iterable

import msgspec

from engine.compactor.semantic.entry import SemanticEntry
from engine.compactor.semantic.pollution_languages import BY_LANGUAGE
from engine.compactor.semantic.pollution_rules import RULES
from engine.text.secrets.detector import find_secrets

LONGEST_FIELD = 600
"""Characters of one field; more is a raw summary, not an insight."""


class Pollution(msgspec.Struct, frozen=True):
    """Line (from 1) and rule by which a text is refused."""

    line: int
    rule: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.rule}"


_PATTERNS: dict[str, re.Pattern[str]] = {
    rule: re.compile("|".join((*RULES.get(rule, ()), *BY_LANGUAGE.get(rule, ())))) for rule in {**RULES, **BY_LANGUAGE}
}


def line_pollution(text: str, line: int) -> tuple[Pollution, ...]:
    """Every rule that one line of text breaks, each once."""
    if len(text) > LONGEST_FIELD:
        return (Pollution(line, "raw summary"),)
    rules = [rule for rule, pattern in _PATTERNS.items() if pattern.search(text)]
    if find_secrets(text):
        rules.append("secret")
    return tuple(Pollution(line, rule) for rule in rules)


def entry_pollution(entry: SemanticEntry) -> tuple[Pollution, ...]:
    """Lists the pollution in an entry's fields; lines are those of its text."""
    found: list[Pollution] = []
    for number, (label, text) in enumerate(entry.fields(), 1):
        found.extend(line_pollution(text, entry.lines.get(label, number)))
    return tuple(found)


def text_pollution(lines: Iterable[str]) -> tuple[Pollution, ...]:
    """Lists the pollution in lines as they stand, counted from 1."""
    return tuple(problem for number, line in enumerate(lines, 1) for problem in line_pollution(line, number))
