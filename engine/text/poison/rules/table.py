"""Reads the rules of poison from `*.toml`: those without a language first, then one file a language."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from engine.text.pattern_file import converted, pattern_file
from engine.text.poison.folded_text import fold

FILES = ("shapes", "commands", "speakers", "english", "german", "chinese", "spanish", "french", "approvals")
"""The files in the order of rule numbers."""
BLANK = r"[\s*_>\"'`,]"
BLANKS, NO_BLANKS = f"{BLANK}{{1,8}}", f"{BLANK}{{0,8}}"
SAME_SENTENCE = r"(?:[^\n.!?。！？；]|[.!?][^\s.!?。！？]){0,60}?"


class PoisonRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of one rule; `unless` in the sentence excuses a match. A blank means any blanks and markup, ` ?` the
    same or none, `…` up to 60 characters. Case and accents are ignored: text and patterns are folded."""

    name: str
    patterns: tuple[str, ...]
    unless: str = ""

    def expanded(self) -> tuple[str, ...]:
        """Returns the patterns in RE2 syntax."""
        spaced = (pattern.replace(" ?", NO_BLANKS).replace(" ", BLANKS) for pattern in self.patterns)
        return tuple(pattern.replace("…", SAME_SENTENCE) for pattern in spaced)


class _RuleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: tuple[PoisonRule, ...]


def _rules(name: str) -> Iterator[PoisonRule]:
    where = f"engine/text/poison/rules/{name}.toml"
    for rule in converted(pattern_file(__package__, f"{name}.toml"), _RuleFile, where).rules:
        yield replace(rule, patterns=tuple(fold(one).text for one in rule.patterns), unless=fold(rule.unless).text)


RULES: tuple[PoisonRule, ...] = tuple(rule for name in FILES for rule in _rules(name))
