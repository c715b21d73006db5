"""Finds the line of a chunk that answers best, and cuts a snippet that is safe to show (decision G13)."""

import re
from collections.abc import Sequence
from math import sqrt

import msgspec

from engine.search.query import Query
from engine.text.safe_text import clip, visible_line
from engine.text.secrets.detector import redact
from engine.text.words import normal

WIDTH = 200  # characters of a snippet
LEAD = 28  # characters before what was found: a narrow list still shows it
_SHOWN, _BEFORE = 4, 20  # lines that a snippet is made of, and lines before them that may say that a secret follows
_BLANKS = re.compile(r"\s+")
_MARKUP = re.compile(r"^\s*(?:#{1,6}\s+|[-*+>]\s+|\|\s*|```\w*\s*$)+")
"""Markup at the beginning of a line, without content."""


class SnippetLine(msgspec.Struct, frozen=True):
    """A line of the file, from 1, and its text."""

    line: int
    snippet: str
    value: float = 0.0  # the share of the query that stands on the line; 0: nothing as it was typed


def place(lines: Sequence[str], start: int, asked: Query) -> SnippetLine:
    """The best of `lines`, whose first is line `start`. A short line is continued with the next of the chunk."""
    wanted = literals(asked)
    values = [_value(line, wanted) for line in lines]
    best = max(range(len(lines)), key=lambda at: (values[at], -at), default=0)
    if not lines:
        return SnippetLine(start, "")
    if not values[best]:
        best = next((at for at, line in enumerate(lines) if _says(line)), 0)
    return SnippetLine(start + best, _snippet(lines, best, wanted), values[best])


def literals(asked: Query) -> tuple[str, ...]:
    """The strings to look for in plain lower-case text: words as typed, longest first."""
    found = (term.literal.lower() for term in asked.all_terms)
    return tuple(sorted(set(found), key=lambda word: (-len(word), word)))


def _value(line: str, wanted: Sequence[str]) -> float:
    text = normal(line).lower()
    value = sum(sqrt(len(word)) for word in wanted if word in text)
    value += sum(0.5 * sqrt(len(word)) for word in wanted if len(word) > 5 and word not in text and word[:-2] in text)
    return value * 0.8 if line.startswith("#") else value


def _says(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(("#", "---", "```"))


def _snippet(lines: Sequence[str], best: int, wanted: Sequence[str]) -> str:
    first = max(0, best - _BEFORE)
    whole = redact("\n".join(lines[first : best + 2 * _SHOWN]), keep_lines=True).split("\n")
    shown = whole[best - first :][:_SHOWN]
    parts = (_BLANKS.sub(" ", _MARKUP.sub("", line)).strip() for line in shown)
    text = " · ".join(part for part in parts if part)
    lowered = text.lower()
    at = min((found for word in wanted if (found := lowered.find(word)) >= 0), default=0)
    if at > LEAD:
        cut_at = text.rfind(" ", 0, at - LEAD // 2) + 1
        text = "…" + text[cut_at if cut_at > at - 2 * LEAD else at - LEAD :]
    return clip(visible_line(text), WIDTH)
