"""Searches a text in lines as they are shown, even across hidden characters."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice, pairwise

from tui.present.spans import Line, Span, plain
from tui.present.words import HIDDEN_SHOWN, count, noun, safe

_MOST_MARKS = 400  # marks of one line: more of them nobody tells apart
_GAP = f"(?:{HIDDEN_SHOWN}){{0,32}}"
"""Matches hidden characters between two letters; at most 32, so that a line of only those takes no quadratic time."""


class SoughtText:
    """A text to search without regard to case. Both texts have tokens in place of hidden characters; a token between
    two letters (`ban⟨U+200B⟩ana`) hides no match and can be searched itself."""

    def __init__(self, text: str) -> None:
        self.text = safe(text)
        letters = [re.escape(letter) for letter in self.text]
        self._plain = re.compile("".join(letters), re.IGNORECASE)
        self._gapped = re.compile(_GAP.join(letters), re.IGNORECASE)

    def __bool__(self) -> bool:
        return bool(self.text)

    def holds(self, line: str) -> bool:
        return bool(self.text) and self._pattern(line).search(line) is not None

    def marked(self, line: Line) -> Line:
        """Gives every match in a line the role `match`; tokens keep their role."""
        edges = list(self._edges(plain(line))) if self.text else []
        return tuple(self._cut(line, edges)) if edges else line

    def _pattern(self, line: str) -> re.Pattern[str]:
        return self._plain if line.isascii() else self._gapped

    def _edges(self, line: str) -> Iterator[int]:
        for match in islice(self._pattern(line).finditer(line), _MOST_MARKS):
            yield from match.span()

    @staticmethod
    def _cut(line: Line, edges: list[int]) -> Iterator[Span]:
        at = 0
        for span in line:
            end = at + len(span.text)
            inner = edges[bisect_right(edges, at) : bisect_right(edges, end - 1)]
            for first, last in pairwise((at, *inner, end)):
                inside = bisect_right(edges, first) % 2 == 1 and span.role != "hidden"
                text = span.text[first - at : last - at]
                yield Span(text, "match") if inside else span._replace(text=text)
            at = end


def tally(wanted: SoughtText, hits: int, at: int | None, looked_at: int, lines: int) -> Line:
    """Returns ` /text 3 of 12 lines `: the number of matching lines, and the current one, `at` (from 0)."""
    name: Line = (Span(f"/{wanted.text[:30]}", "warn"),)
    of = f"{count(at + 1)} of {noun(hits, 'line')}" if at is not None and hits else noun(hits, "line")
    words = of if hits else "not here"
    part = f" among the first {count(looked_at)}" if looked_at < lines else ""
    return (*name, Span(f"  {words}{part}", "text" if hits else "warn"))
