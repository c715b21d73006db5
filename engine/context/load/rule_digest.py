"""Picks the lines of AGENTS.md that read like rules, as OpenClaw does for a file that is too long."""

import re
from typing import NamedTuple

from engine.context.load.measure import JS_SPACE, utf16_head, utf16_length

LONGEST = 240
"""Units of a line; a longer one is cut."""
_SPACE = f"[{JS_SPACE}]"
_SHAPE = re.compile(rf"(?:#{{1,6}}|{_SPACE}*[-*+]|{_SPACE}*[0-9]+[.)]){_SPACE}+[^{JS_SPACE}]")
_URGENT = r"AGENTS\.md|scoped|required|must|never|do not|before subtree|read scoped|security|secret|credential"
_WORDS = re.compile(rf"\b(?:{_URGENT}|owner|test|validation|command|commit|push|github|pr)\b", re.ASCII | re.IGNORECASE)
_FIRST = re.compile(rf"\b(?:{_URGENT})\b", re.ASCII | re.IGNORECASE)


class RuleDigest(NamedTuple):
    """The lines in the order of the file, and how many more there were no room for."""

    text: str
    left_out: int


def rule_digest(text: str, room: int) -> RuleDigest:
    """The lines that fit into so many units: the urgent ones are chosen first."""
    if room <= 0:
        return RuleDigest("", 0)
    found = [line for raw in re.split(r"\r?\n", text) if (line := _normal(raw)) and _is_rule(line)]
    chosen: set[int] = set()
    used = 0
    urgent = [at for at, line in enumerate(found) if _FIRST.search(line)]
    for at in (*urgent, *(at for at in range(len(found)) if at not in set(urgent))):
        size = utf16_length(found[at]) + (1 if chosen else 0)
        if used + size <= room:
            chosen.add(at)
            used += size
    return RuleDigest("\n".join(found[at] for at in sorted(chosen)), len(found) - len(chosen))


def _is_rule(line: str) -> bool:
    return bool(_SHAPE.match(line) or _WORDS.search(line))


def _normal(raw: str) -> str:
    line = re.sub(f"{_SPACE}+", " ", raw.strip(JS_SPACE))
    return line if utf16_length(line) <= LONGEST else f"{utf16_head(line, LONGEST - 1)}…"
