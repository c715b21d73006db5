"""Shows the note of a hit: its lines with the query's words marked, a title, a foot, and its copies."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from engine.search.values import SearchCopy, SearchHit
from engine.text.safe_text import cell_width
from tui.present import markdown
from tui.present.search.query_filters import category_words
from tui.present.spans import Line, Role, Span
from tui.present.words import noun, safe

LONGEST_LINE = 4_000  # characters of one line that are shown; the rest is counted


class NoteLines:
    """The lines of a note with the chunk that was hit, and the query's words marked."""

    def __init__(self, lines: Sequence[str], hit: SearchHit | None = None, words: tuple[str, ...] = ()) -> None:
        self._lines = tuple(line if len(line) <= LONGEST_LINE else _cut(line) for line in lines)
        self._inside = markdown.insides(self._lines)
        self.body = markdown.body_start(self._lines)  # the index of the first line below the frontmatter
        self._words = pattern(words)
        self._first, self._last = (hit.line - 1, hit.end_line - 1) if hit is not None else (-1, -1)

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def digits(self) -> int:
        return len(str(max(1, len(self._lines))))

    def raw(self, index: int) -> str:
        return self._lines[index]

    def roles(self, index: int) -> Line:
        line = self._lines[index]
        if not line.isprintable():
            return marked(safe(line), self._words)
        spans: list[Span] = []
        at = 0
        for part in markdown.parts(line, self._inside[index]):
            spans += [
                *marked(line[at : part.start], self._words),
                *marked(line[part.start : part.end], self._words, part.role),
            ]
            at = part.end
        spans += marked(line[at:], self._words)
        return tuple(span for span in spans if span.text)

    def origin(self, index: int) -> str:
        return " ← found" if index == self._first else ""

    def matches(self) -> tuple[int, ...]:
        """Returns the indices of the lines that contain a word of the query."""
        words = self._words
        return tuple(n for n, line in enumerate(self._lines) if words.search(line)) if words is not None else ()


def _cut(line: str) -> str:
    return f"{line[:LONGEST_LINE]} … and {len(line) - LONGEST_LINE:,} more characters on this line"


def preview_title(hit: SearchHit, width: int) -> Line:
    """Returns `memory/working/deploy.md:14` in at most `width` cells; the name and the line are kept longest."""
    line = f":{hit.line}"
    return (Span(path_within(hit.label, width - len(line)), "title"), Span(line, "accent"))


def path_within(path: str, width: int) -> str:
    """Omits as many leading folders of a path as necessary to fit `width` cells."""
    shown = safe(path)
    parts = path.split("/")
    while cell_width(shown) > width and len(parts) > 1:
        del parts[0]
        shown = safe(f"…/{'/'.join(parts)}")
    return shown


def at_copy(hit: SearchHit, number: int) -> SearchHit:
    """Moves the hit to the place of its copy `number`, counted from 1; 0 is the hit itself."""
    if not 0 < number <= len(hit.copies):
        return hit
    copy = hit.copies[number - 1]
    return msgspec.structs.replace(hit, path=copy.path, line=copy.line, end_line=copy.line)


def preview_foot(hit: SearchHit, lines: int, matches: int, number: int = 0) -> Line:
    """Returns `memory tier · 2026-03-02 · 88 lines · 3 matches`; for copy `number`: `copy 1 of 2, day · 88 lines`."""
    words = f"{'archived · ' if hit.archived else ''}{category_words(hit.category)} · {hit.day} · {noun(lines, 'line')}"
    if 0 < number <= len(hit.copies):
        words = f"copy {number} of {len(hit.copies)}, {hit.copies[number - 1].level.value} · {noun(lines, 'line')}"
    words += f" · {noun(matches, 'match', 'matches')}" if matches else ""
    also = " · ".join(copy_words(copy) for copy in hit.copies)
    return (Span(words, "muted"), *((Span(f" · also in {also}", "info"),) if also else ()))


def copy_words(copy: SearchCopy) -> str:
    """Returns `week memory/weekly/2026-W10.md:12`."""
    return f"{copy.level.value} {safe(copy.label)}:{copy.line}"


_MOST_MARKED = 40  # words of a question that are marked in the hits: each is an alternative of one pattern
_STEM_FROM = 6  # letters from which a word is marked in its other forms too


@lru_cache(maxsize=8)
def pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """Makes a pattern that finds the words, longer ones also with other endings; None without words."""
    parts = [_form(word) for word in words[:_MOST_MARKED] if word.strip()]
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _form(word: str) -> str:
    if len(word) >= _STEM_FROM and word.isascii() and word.isalpha():
        return rf"(?<![A-Za-z]){re.escape(word[:-2])}[a-z]{{0,6}}"
    if word.isascii() and word.isalnum():
        return rf"(?<![A-Za-z0-9]){re.escape(word)}" + (r"(?![A-Za-z0-9])" if len(word) < 4 else "")
    return re.escape(word)


def marked(text: str, words: re.Pattern[str] | None, role: Role = "text") -> Line:
    """Splits text into spans with the query's words set apart."""
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
