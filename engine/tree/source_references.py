"""Writes and reads references from a node's lines to their source lines. A summary's line has a short reference, `-
03-15:12-18 auth [project]: …`: the lines of that day's raw log, in the year nearest to the node. Above copied lines
stands `<!-- from memory/2026-03-15.md:1-40 -->`."""

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple, overload
from urllib.parse import quote, unquote

from engine.text.document import Document
from engine.text.markdown import code_mask, heading_of
from engine.text.secrets.detector import find_secrets, redact
from engine.tree.levels import node_place
from engine.workspace.dates import parse_day
from engine.workspace.values import LineSpan

_RAW = re.compile(r"memory/([0-9]{4})-([0-9]{2}-[0-9]{2})([^/]*)\.md\Z")
REF = r"(?:(?:[0-9]{4}-)?[0-9]{2}-[0-9]{2}(?:[^\s:/]*)|(?:daily|weekly|monthly)/[0-9A-Z-]+):[0-9]+(?:-[0-9]+)?"
_LINE = re.compile(rf"(\s*[-*] )((?:{REF} )+)")
_PARTS = re.compile(r"(?P<stem>[^:]+):(?P<start>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?\Z")
_SHORT = re.compile(r"(?:([0-9]{4})-)?([0-9]{2}-[0-9]{2})(.*)\Z")
_FROM = re.compile(r"<!-- from (memory/\S+):([0-9]{1,9})-([0-9]{1,9}) -->\Z")
_SAFE = "/-_.~+,@=()"


def raw_day(path: str) -> date | None:
    """Returns the day of a raw log (decision C21); None for another file or an invalid date."""
    found = _RAW.match(path)
    return parse_day(f"{found[1]}-{found[2]}") if found else None


def write_ref(span: LineSpan, *, year: bool = False) -> str:
    """Returns `03-15:12-18` for lines of a raw log, with the year if asked, or `daily/2026-03-15:9` for a node."""
    lines = str(span.start) if span.end <= span.start else f"{span.start}-{span.end}"
    if (found := _RAW.match(span.path)) is None:
        return f"{span.path.removeprefix('memory/').removesuffix('.md')}:{lines}"
    stem = f"{found[2]}{quote(found[3], safe='-_.~')}"
    return f"{found[1]}-{stem}:{lines}" if year else f"{stem}:{lines}"


def read_ref(text: str, near: date) -> LineSpan | None:
    """Returns the lines that a reference names; None if it is none. `near`: a day of the node that contains it."""
    if (parts := _PARTS.match(text)) is None:
        return None
    start = int(parts["start"])
    end = max(start, int(parts["end"] or start))
    stem = parts["stem"]
    if "/" in stem:
        return LineSpan(f"memory/{stem}.md", start, end) if node_place(f"memory/{stem}.md") else None
    short = _SHORT.match(stem)
    day = _nearest(short[1], short[2], near) if short else None
    if short is None or day is None or not start:
        return None
    rest = unquote(short[3])
    return None if "/" in rest or "\0" in rest else LineSpan(f"memory/{day}{rest}.md", start, end)


def near_date(text: str, near: date) -> date | None:
    """Returns the day of `03-15` or `2026-03-15`; without a year the one nearest to `near`."""
    found = _SHORT.match(text)
    return _nearest(found[1], found[2], near) if found and not found[3] else None


def _nearest(year: str | None, month_day: str, near: date) -> date | None:
    years = (int(year),) if year else (near.year, near.year - 1, near.year + 1)
    found = [day for at in years if (day := parse_day(f"{at:04}-{month_day}")) is not None]
    return min(found, key=lambda day: abs((day - near).days), default=None)


def split_refs(line: str, near: date) -> tuple[tuple[LineSpan, ...], str]:
    """Splits a summary's line into the references that it begins with and the rest."""
    if (found := _LINE.match(line)) is None:
        return (), line
    spans = tuple(span for text in found[2].split() if (span := read_ref(text, near)) is not None)
    return spans, found[1] + line[found.end() :]


def write_from(span: LineSpan) -> str:
    """Returns the comment above copied lines."""
    return f"<!-- from {quote(span.path, safe=_SAFE)}:{span.start}-{span.end} -->"


class Traced(NamedTuple):
    """A line of a node, its text without references, and its source lines. `stated`: the line itself has them."""

    line: int
    text: str
    spans: tuple[LineSpan, ...]
    stated: bool = False
    copied: tuple[LineSpan, ...] = ()  # the lines it was copied from, the nearest node first
    opens: LineSpan | None = None  # of a comment above copied lines: the lines that it names

    @property
    def source(self) -> LineSpan | None:
        return self.spans[-1] if self.spans else None


class RawLines(Sequence[Traced]):
    """The lines of a raw log, each its own source, made on demand: a log may have a million lines."""

    def __init__(self, path: str, texts: Sequence[str], first_line: int) -> None:
        self.path, self.texts, self.first_line = path, texts, first_line

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, index: int) -> Traced: ...
    @overload
    def __getitem__(self, index: slice) -> "RawLines": ...
    def __getitem__(self, index: int | slice) -> "Traced | RawLines":
        if isinstance(index, slice):
            return RawLines(self.path, self.texts[index], self.first_line + index.indices(len(self))[0])
        text = self.texts[index]
        number = self.first_line + (index if index >= 0 else len(self) + index)
        return Traced(number, text, (LineSpan(self.path, number, number),))


def trace(lines: Sequence[str], first_line: int, near: date) -> list[Traced]:
    """Returns every line of a node's body with its source lines. Comments inside a copied raw log are text."""
    found: list[Traced] = []
    regions: list[LineSpan] = []  # the lines being copied, outermost first; `start` moves on with every line
    for number, line in enumerate(lines, first_line):
        here = tuple(LineSpan(region.path, region.start, region.start) for region in regions)
        in_raw = bool(here) and raw_day(here[-1].path) is not None
        opened = None if in_raw else _opens(line)
        regions = [
            LineSpan(region.path, region.start + 1, region.end) for region in regions if region.start < region.end
        ]
        if opened is not None:
            regions.append(opened)
            found.append(Traced(number, "", (), copied=here, opens=opened))
        elif in_raw:
            found.append(Traced(number, line, here, copied=here))
        else:
            refs, text = split_refs(line, near)
            found.append(Traced(number, text, refs or here, bool(refs), here))
    return found


def _opens(line: str) -> LineSpan | None:
    """Returns the lines that a comment says are copied below; None unless they are of a raw log or node."""
    found = _FROM.match(line) if line.startswith("<!-- from ") else None
    if found is None:
        return None
    path, start, end = unquote(found[1]), int(found[2]), int(found[3])
    is_ours = raw_day(path) is not None or node_place(path) is not None
    return LineSpan(path, start, end) if is_ours and end >= start else None


def demoted(lines: Sequence[str]) -> list[str]:
    """Returns the lines with every heading outside code one level deeper, at most the sixth."""
    headings = (None if inside else heading_of(line) for line, inside in zip(lines, code_mask(lines), strict=True))
    levels = (heading.level if heading is not None else 6 for heading in headings)
    return [line.replace("#", "##", 1) if n < 6 else line for line, n in zip(lines, levels, strict=True)]


def stretch(path: str, document: Document, first: int, *, demote: bool) -> tuple[list[str], tuple[str, ...]]:
    """Returns a document's lines from `first` on, secrets masked, below their comment; and these secrets' rules."""
    lines = list(document.lines[first - 1 :])
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return [], ()
    text = "\n".join(lines)
    rules = tuple(secret.rule for secret in find_secrets(text))
    copied = redact(text, keep_lines=True).split("\n") if rules else lines
    head = write_from(LineSpan(path, first, first + len(lines) - 1))
    return [head, *(demoted(copied) if demote else copied)], rules
