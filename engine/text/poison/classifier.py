"""Poison in text: found by shape in linear time, never run, never followed (README, "Poison in sight")."""

import re
from collections.abc import Iterator

import msgspec

from engine.text.poison.blobs import hidden_prose
from engine.text.poison.characters import hidden_runs, look_alikes
from engine.text.poison.folded_text import FoldedText, fold
from engine.text.poison.matching import Match, matches
from engine.text.poison.rules.table import RULES

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


_LOOK_BACK = 240  # bytes before a match that may belong to its sentence
_SENTENCE_END = re.compile(r"[.!?]\s|[\n。！？]")


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
    spans += [("encoded", start, end) for start, end, _ in hidden_prose(text)]
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


def _matches(folded: FoldedText) -> Iterator[tuple[str, int, int]]:
    """PoisonRule, start and end in the original of each match of a pattern."""
    data = folded.text.encode("utf-8", "surrogatepass")
    at = chars = 0
    for match in sorted(set(matches(data))):
        if _excused(match, data):
            continue
        chars += _length(data[at : match.start])
        at = match.start
        end = chars + _length(data[at : match.end])
        yield RULES[match.rule].name, folded.original(chars), folded.original(end - 1) + 1


def _length(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))


def _excused(match: Match, data: bytes) -> bool:
    """True if the sentence of a match says, up to the end of the match, that it is no order."""
    unless = RULES[match.rule].unless
    if not unless:
        return False
    before = data[max(0, match.start - _LOOK_BACK) : match.start].decode("utf-8", "ignore")
    sentence = _SENTENCE_END.split(before)[-1] + data[match.start : match.end].decode("utf-8", "replace")
    return re.search(unless, sentence) is not None
