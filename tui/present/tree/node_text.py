"""Shows a node's text by lines, with styled headings, frontmatter and references, and the origin of each line."""

import re
from collections.abc import Callable, Sequence

from engine.tree.browse.browser import NodeLine
from engine.tree.source_references import raw_day
from engine.workspace.values import LineSpan
from tui.present.spans import Line, Role, Span
from tui.present.words import safe, tail

_REF = r"(?:(?:\d{4}-)?\d{2}-\d{2}[^\s:/]{0,80}|(?:daily|weekly|monthly)/[\dW-]+):\d+(?:-\d+)?"
_REFS = re.compile(rf"(\s*[-*] )((?:{_REF} )+)")
_FENCE = "---"


class NodeText:
    """The lines of a node or log; `body` is the first below the frontmatter, `hits` are the matching lines."""

    def __init__(
        self, path: str, lines: Sequence[NodeLine], matches: Callable[[str], bool] | None = None, needle: str = ""
    ) -> None:
        self.path, self.lines, self.needle = path, lines, needle
        self.body = _body_start(lines)
        matching = (n for n, line in enumerate(lines) if n >= self.body and matches(line.text)) if matches else ()
        self.hits = tuple(matching)
        self._hit = frozenset(self.hits)
        self._needles = re.compile("|".join(map(re.escape, needle.split())), re.IGNORECASE) if needle.split() else None

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def digits(self) -> int:
        """The cells of the widest line number, at least 3."""
        return max(3, len(str(len(self.lines))))

    def raw(self, index: int) -> str:
        return self.lines[index].text

    def roles(self, index: int) -> Line:
        """Returns a line's text in spans, safe to show."""
        text = self.lines[index].text
        if index < self.body:
            return (Span(safe(text), "muted"),)
        if (match := _REFS.match(text)) is None:
            return self._marked(text, _role(text), index)
        rest = self._marked(text[match.end() :], "text", index)
        return (Span(safe(match[1])), Span(safe(match[2]), "accent"), *rest)

    def _marked(self, text: str, role: Role, index: int) -> Line:
        """Marks the searched words in the text, or the whole line if it matches by other forms of them."""
        if index not in self._hit or self._needles is None:
            return (Span(safe(text), role),)
        spans: list[Span] = []
        at = 0
        for word in self._needles.finditer(text):
            spans += [Span(safe(text[at : word.start()]), role), Span(safe(word[0]), "here")]
            at = word.end()
        return (*spans, Span(safe(text[at:]), role if spans else "strong"))

    def origin(self, index: int) -> str:
        """Returns `→ raw 03-16:14`; empty if the line names its origin itself or has none."""
        line = self.lines[index]
        if not line.text.strip() or _REFS.match(line.text):
            return ""
        span = line.source or line.child
        return "" if span is None else f"→ {span_words(span)}"

    def leads_to(self, index: int) -> LineSpan | None:
        """Returns the lines one step down: in the node it was copied from, else in the raw log; None without any."""
        if not 0 <= index < len(self.lines):
            return None
        line = self.lines[index]
        return line.child if line.child is not None and line.child.path != self.path else line.source

    def raw_lines(self, index: int) -> LineSpan | None:
        """Returns the raw lines that a line was made from; None if they are unknown."""
        if not 0 <= index < len(self.lines):
            return None
        line = self.lines[index]
        raw = line.child if line.child is not None and raw_day(line.child.path) is not None else None
        return line.source or raw

    def next_hit(self, at: int, by: int) -> int | None:
        """Returns the next matching line, wrapping around; None without any."""
        if not self.hits:
            return None
        later = [n for n in self.hits if (n - at) * by > 0]
        return (min(later) if by > 0 else max(later)) if later else self.hits[0 if by > 0 else -1]


def _body_start(lines: Sequence[NodeLine]) -> int:
    """Returns the index of the first line below the frontmatter; 0 without frontmatter."""
    if not lines or lines[0].text.lstrip("\ufeff").rstrip() != _FENCE:
        return 0
    return next((n + 1 for n, line in enumerate(lines[1:400], 1) if line.text.rstrip() == _FENCE), 0)


def _role(text: str) -> Role:
    if text.startswith("#"):
        return "title"
    return "muted" if text.startswith("<!--") or text.strip() == "(none)" else "text"


def span_words(span: LineSpan) -> str:
    """Returns the shortest clear name of some lines: `raw 03-16:14–18`, `2026-W12:9`, `2026-03`."""
    whole = f":{span.start}" if span.end <= span.start else f":{span.start}–{span.end}"
    if (day := raw_day(span.path)) is not None:
        return f"raw {day:%m-%d}{tail(span.path).removesuffix('.md')[10:]}{whole}"
    name = safe(span.path.rpartition("/")[2].removesuffix(".md"))
    return name if (span.start, span.end) == (1, 1) else f"{name}{whole}"
