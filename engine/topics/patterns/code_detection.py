"""Detects program code and its languages in a message: by fences, then by lines unlike prose (D31)."""

import re
from collections.abc import Iterable
from functools import cache
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from engine.text.markdown import FencedBlock, fenced_blocks
from engine.text.pattern_file import pattern_file
from engine.topics.patterns.regex import pattern_set

ENOUGH = 2  # so many different signs of one language make code without a fence

_PROSE = frozenset({"", "text", "txt", "plain", "plaintext", "md", "markdown", "none", "output", "log", "quote"})

_STATEMENT = re.compile(
    r"""(?x)
    .*[;{}]\s*$                                   # the end of a statement or of a block
  | \s*[\w.$@>\[\]"'-]+\s*(?:[-+*/%|&^:?]?=|<-)\s*\S   # an assignment
  | \s*[\w.$>:!-]+\(.*\)[:,]?\s*$                # a call
  | \s*(?:<[/!a-zA-Z].*>\s*$|\#include\b|\#!|//|/\*|\$\ )
    """
)
"""Matches a line of code in any language."""
_LANGUAGE = re.compile(r"[\w+#.-]*")


class Code(NamedTuple):
    """Code in a text: its language, empty if unknown, and its place."""

    language: str
    start: int
    end: int


def canonical(language: str) -> str:
    """Returns our name of a language."""
    lowered = language.lower()
    name: str = _table()["names"].get(lowered, lowered)
    return name


def find_code(text: str) -> tuple[Code, ...]:
    """Returns the code in a text, each language once."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    shown = [*_fenced(text, lines, starts), *_indented(lines, starts)]
    # Reversed, so that of a language the first place stays.
    found = {code.language: code for code in reversed(shown)}
    for language in _unfenced(text):
        found.setdefault(language, Code(language, 0, 0))
    return tuple(found.values())


def _fenced(text: str, lines: list[str], starts: list[int]) -> list[Code]:
    """Returns fenced blocks; one without a language only if its lines look like code."""
    found: list[Code] = []
    for block in _blocks(text, lines):
        if block.closed:
            inside = "\n".join(lines[block.start + 1 : block.end])
            found += _code(block.info, inside, starts[block.start], starts[block.end + 1] - 1)
    return found


def _blocks(text: str, lines: list[str]) -> Iterable[FencedBlock]:
    return fenced_blocks(lines) if "```" in text or "~~~" in text else ()


def _code(info: str, inside: str, start: int, end: int) -> list[Code]:
    language = _LANGUAGE.match(info)
    named = canonical(language[0]) if language else ""
    if named and named not in _PROSE:
        return [Code(named, start, end)]
    return _unnamed(inside, start, end)


def _unnamed(inside: str, start: int, end: int) -> list[Code]:
    """Returns code without a stated language: by signs, or unnamed if half of its lines are statements."""
    lines = [line for line in inside.split("\n") if line.strip()]
    found = [Code(language, start, end) for language in _signs(inside, 1)] if lines else []
    statements = sum(_STATEMENT.match(line) is not None for line in lines)
    return found or ([Code("", start, end)] if lines and 2 * statements >= len(lines) else [])


def _indented(lines: list[str], starts: list[int]) -> list[Code]:
    """Returns blocks of two or more indented lines that are all statements, unlike lists and letters."""
    found: list[Code] = []
    for statements, block in groupby(range(len(lines)), lambda at: _is_indented_statement(lines[at])):
        numbers = list(block)
        if statements and len(numbers) >= ENOUGH:
            found += _unnamed("\n".join(lines[at] for at in numbers), starts[numbers[0]], starts[numbers[-1] + 1] - 1)
    return found


def _is_indented_statement(line: str) -> bool:
    return line.startswith(("    ", "\t")) and _STATEMENT.match(line) is not None


def _unfenced(text: str) -> list[str]:
    lines = text.split("\n")
    # From the end, so that the earlier blocks keep their lines.
    for block in reversed([*_blocks(text, lines)]):
        del lines[block.start : block.end + 1]
    outside = "\n".join(lines)
    return _signs(outside, ENOUGH) if outside.strip() else []


def _signs(text: str, enough: int) -> list[str]:
    """Returns the language with most signs, or both of a tie; none below `enough` signs."""
    counts: dict[str, int] = {}
    for at in _set().Match(text.encode("utf-8", "replace")) or ():
        language = _named()[at][0]
        counts[language] = counts.get(language, 0) + 1
    most = max(counts.values(), default=0)
    return [language for language, count in counts.items() if count == most] if most >= enough else []


@cache
def _table() -> dict[str, Any]:
    """Reads the signs of each language, and the names of languages in fences and topic files."""
    return pattern_file(__package__, "code_signs.toml")


@cache
def _named() -> list[tuple[str, str]]:
    return [(language, sign) for language, signs in _table()["signs"].items() for sign in signs]


@cache
def _set() -> Any:
    return pattern_set([sign for _, sign in _named()], fold=False)
