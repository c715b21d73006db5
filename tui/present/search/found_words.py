"""Sets apart in a text the words that were looked for."""

import re
from collections.abc import Iterator
from functools import lru_cache

from tui.present.spans import Line, Role, Span

_MOST_MARKED = 40
"""Words of a question that are marked in the hits: each is an alternative of one pattern."""
_STEM_FROM = 6
"""Letters from which a word is marked in its other forms too."""


@lru_cache(maxsize=8)
def pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """Finds the words in a text, longer ones also with other endings; None where there are none."""
    parts = [_form(word) for word in words[:_MOST_MARKED] if word.strip()]
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _form(word: str) -> str:
    if len(word) >= _STEM_FROM and word.isascii() and word.isalpha():
        return rf"(?<![A-Za-z]){re.escape(word[:-2])}[a-z]{{0,6}}"
    if word.isascii() and word.isalnum():
        return rf"(?<![A-Za-z0-9]){re.escape(word)}" + (r"(?![A-Za-z0-9])" if len(word) < 4 else "")
    return re.escape(word)


def marked(text: str, words: re.Pattern[str] | None, role: Role = "text") -> Line:
    """Text with what was looked for set apart."""
    if words is None:
        return (Span(text, role),)
    return tuple(_marked(text, words, role))


def _marked(text: str, words: re.Pattern[str], role: Role) -> Iterator[Span]:
    at = 0
    for match in words.finditer(text):
        if match.end() > at:
            if match.start() > at:
                yield Span(text[at : match.start()], role)
            yield Span(match[0], "accent")
            at = match.end()
    if at < len(text) or not text:
        yield Span(text[at:], role)
