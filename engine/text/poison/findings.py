"""Defines a finding of poison, apart from the classifier."""

import msgspec

from engine.text.pattern_file import pattern_file

RULE_WORDS: dict[str, str] = pattern_file(__package__, "rule_words.toml")


class PoisonFinding(msgspec.Struct, frozen=True, order=True):
    """A rule that matched on `line` (from 1), at characters `start` to `end`. `words`: the heaviest, if weighed."""

    line: int
    rule: str
    start: int
    end: int
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        weighed = f" ({', '.join(self.words)})" if self.words else ""
        return f"{RULE_WORDS[self.rule]} on line {self.line}{weighed}"


def located(text: str, spans: list[tuple[str, int, int]]) -> tuple[PoisonFinding, ...]:
    """Returns rules and offsets as findings with lines, each rule once a line."""
    found: dict[tuple[int, str], PoisonFinding] = {}
    line, at = 1, 0
    for rule, start, end in sorted(spans, key=lambda span: span[1:]):
        line += text.count("\n", at, start)
        at = start
        found.setdefault((line, rule), PoisonFinding(line, rule, start, end))
    return tuple(sorted(found.values()))
