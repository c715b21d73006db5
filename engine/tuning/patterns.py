"""Finds a pattern's alternatives, and the words that would have matched missed messages."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

MOST_ALTERNATIVES = 24  # alternatives of a pattern from which no single one is tried without
LEAST_TOGETHER = 2  # missed messages in which a word stands before it is worth a trigger
_WORD = re.compile(r"[^\W\d_]{3,24}")


def without_one(pattern: str) -> Iterator[tuple[str, str]]:
    """Yields the pattern without each of its outermost alternatives, and that alternative."""
    start, end, bars = _alternation(pattern)
    if not bars or len(bars) >= MOST_ALTERNATIVES:
        return
    parts = [pattern[a + 1 : b] for a, b in pairwise([start - 1, *bars, end])]
    for at, part in enumerate(parts):
        yield pattern[:start] + "|".join((*parts[:at], *parts[at + 1 :])) + pattern[end:], part


def _alternation(pattern: str) -> tuple[int, int, list[int]]:
    """Finds the outermost alternatives: start, end, and the positions of the bars."""
    depth, in_class, at = 0, False, 0
    bars: dict[int, list[int]] = {}
    opened: list[int] = []
    spans: dict[int, tuple[int, int]] = {}
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]" or pattern[at - 1] == "["
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
            opened.append(at)
        elif char == ")" and opened:
            start = opened.pop()  # its contents begin behind `(` or `(?:`
            spans.setdefault(depth, (start + (3 if pattern.startswith("(?:", start) else 1), at))
            depth -= 1
        elif char == "|":
            bars.setdefault(depth, []).append(at)
        at += 1
    if 0 in bars:
        return 0, len(pattern), bars[0]
    start, end = spans.get(1, (0, 0))
    return start, end, [bar for bar in bars.get(1, []) if start <= bar < end]


def missing_words(
    missed: Sequence[str], refused: Iterable[str], everyday: Iterable[str], most: int = 3
) -> tuple[str, ...]:
    """Gives words of the missed messages that no refused message and few others have: the fewest that match most."""
    taken = {word for text in refused for word in _words(text)}
    usual = Counter(word for text in everyday for word in _words(text))
    common = max(2, len(missed))
    left = [words for text in missed if (words := _words(text) - taken)]
    chosen: list[str] = []
    while left and len(chosen) < most:
        counts = Counter(word for words in left for word in words if usual[word] <= common)
        if not counts:
            break
        word, count = min(counts.items(), key=lambda item: (-item[1], usual[item[0]], item[0]))
        if count < LEAST_TOGETHER:
            break
        chosen.append(word)
        left = [words for words in left if word not in words]
    return tuple(chosen)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
