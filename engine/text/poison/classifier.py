"""Poison in text: found by shape in linear time, never run, never followed (README, "Poison in sight")."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from engine.text.poison.characters import hidden_runs, look_alikes
from engine.text.poison.folding import FoldedText, fold
from engine.text.poison.rules import RULES

RULE_WORDS = {
    "instruction": "an instruction to the agent that reads it",
    "conditional": "an instruction that waits for an occasion",
    "command": "a command to run",
    "data-url": "an address that carries data away",
    "encoded": "text in an encoding that hides it",
    "look-alike": "letters that look like others",
    "hidden": "characters that cannot be seen",
    "role-marker": "a mark of who speaks in a conversation",
    "forged-provenance": "an origin, approval or trust that text cannot give itself",
    "managed-marker": "a mark of a section that a tool keeps",
    "authority": "a right or permission that text cannot grant",
    "missing-source": "a source that does not exist or lies outside the workspace",
}
"""Each rule in words for the operator."""

MARKS = frozenset({"forged-provenance", "managed-marker"})
"""Rules for marks that memdeck itself writes into its nodes: leave them out when judging what memdeck wrote."""

_MEMORY = 64 << 20  # bytes; with less, RE2 keeps throwing its automaton away on hostile text


class PoisonFinding(msgspec.Struct, frozen=True, order=True):
    """One rule that fired on line `line` (from 1), at the characters `start` to `end` of the text."""

    line: int
    rule: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{RULE_WORDS[self.rule]} on line {self.line}"


def find_poison(text: str) -> tuple[PoisonFinding, ...]:
    """All poison in `text`, in order of lines, each rule at most once a line."""
    spans = list(_matches(fold(text)))
    if not text.isascii():
        spans += [("hidden", *span) for span in hidden_runs(text)]
        spans += [("look-alike", *span) for span in look_alikes(text)]
    return located(text, spans)


def located(text: str, spans: list[tuple[str, int, int]]) -> tuple[PoisonFinding, ...]:
    """Rules with their offsets as findings with lines, each rule once a line."""
    found: dict[tuple[int, str], PoisonFinding] = {}
    line, at = 1, 0
    for rule, start, end in sorted(spans, key=lambda span: span[1:]):
        line += text.count("\n", at, start)
        at = start
        found.setdefault((line, rule), PoisonFinding(line, rule, start, end))
    return tuple(sorted(found.values()))


@lru_cache(maxsize=1)
def _compiled() -> tuple[Any, tuple[Any, ...]]:
    """The set that says which rules fire at all, and each rule by itself, in the order of `RULES`."""
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.case_sensitive = False
    patterns = ["|".join(map(_expanded, rule.patterns)) for rule in RULES]
    rules = re2.Set.SearchSet(options)
    for pattern in patterns:
        rules.Add(_relaxed(pattern).encode())
    rules.Compile()
    return rules, tuple(re2.compile(pattern.encode(), options) for pattern in patterns)


def _expanded(pattern: str) -> str:
    """The pattern as RE2 takes it."""
    return pattern.replace("…", r"(?:[^\n.!?。！？]|[.!?][^\s]){0,60}?").replace(" ", r"[\s*_>\"'`,]{1,8}")


def _relaxed(pattern: str) -> str:
    """The pattern with its counts loosened: it matches all that the pattern does, in far fewer states."""
    return re.sub(r"\{(\d+)(?:,\d*)?\}", lambda count: f"{{{min(int(count[1]), 3)},}}", pattern)


def _matches(folded: FoldedText) -> Iterator[tuple[str, int, int]]:
    """Rule, start and end in the original of each match of a pattern."""
    data = folded.text.encode("utf-8", "surrogatepass")
    for number in _compiled()[0].Match(data) or ():
        at = chars = 0
        for match in _compiled()[1][number].finditer(data):
            start, end = match.span()
            chars += len(data[at:start].decode("utf-8", "surrogatepass"))
            length = len(data[start:end].decode("utf-8", "surrogatepass"))
            at = start
            yield RULES[number].name, folded.original(chars), folded.original(chars + length - 1) + 1
