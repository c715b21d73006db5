"""Cuts MEMORY.md and other notes into entries: list items with their sub-items, and paragraphs (decision D25)."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

import msgspec

from engine.lifecycle.archive.places import KEPT_FOR_EVER, KEPT_TYPES
from engine.text.document import split_lines
from engine.text.frontmatter import read_frontmatter
from engine.text.markdown import MarkdownHeading, code_mask, heading_of
from engine.workspace.dates import parse_day
from engine.workspace.generated import line_mask

_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=\s)")
_DAY = re.compile(r"(?:[-*+]|\d{1,9}[.)])?\s*(?:\*\*)?\[?(\d{4}-\d{2}-\d{2})(?!\d)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"\[([A-Za-z_]+)\]")
_OWN = re.compile(r"<!-- memdeck:root:(start|end)")
_KEPT_SECTIONS = KEPT_TYPES - {"memory"} | {"pinned", "preferences", "user preferences", "about the user"}
_KEPT_TAGS = frozenset({"user", "feedback", "pinned", "identity"})


class MemoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Lines `start` to `end` of a note, from 1, both included. `kept`: the reason why no plan removes it."""

    path: str
    start: int
    end: int
    section: str
    text: str
    day: date | None = None
    kept: str = ""


def memory_entries(path: str, text: str) -> tuple[MemoryEntry, ...]:
    """Gives the entries below the frontmatter, in order, without headings, comments and blank lines."""
    return tuple(_Reader(path, text).entries())


def is_item(line: str) -> bool:
    """Tells whether a line begins a list item at the top level."""
    return bool(_ITEM.match(line))


class _Reader:
    """Reads the lines once, and knows the headings above the present line."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._lines = split_lines(text)
        self._code = list(code_mask(self._lines))
        self._made = line_mask(text) | _mirrored(self._lines)
        self._first = read_frontmatter(text.encode("utf-8", "surrogatepass")).body_line
        self._above: list[MarkdownHeading] = []

    def entries(self) -> Iterator[MemoryEntry]:
        at = self._first - 1
        while at < len(self._lines):
            heading = None if self._code[at] else heading_of(self._lines[at])
            if heading is not None:
                self._above = [*(one for one in self._above if one.level < heading.level), heading]
            if heading is not None or not _COMMENT.sub("", self._lines[at]).strip():
                at += 1
                continue
            end = self._end(at)
            yield self._entry(at, end)
            at = end

    def _entry(self, start: int, end: int) -> MemoryEntry:
        text = "\n".join(self._lines[start:end])
        found = _DAY.match(text)
        return MemoryEntry(
            path=self._path,
            start=start + 1,
            end=end,
            section=self._above[-1].text if self._above else "",
            text=text,
            day=parse_day(found[1]) if found else None,
            kept=self._kept(start, end, text),
        )

    def _end(self, start: int) -> int:
        in_list = is_item(self._lines[start])
        end = start + 1
        for at in range(start + 1, len(self._lines)):
            line = self._lines[at]
            inside = self._code[at] and self._code[at - 1]
            if not line.strip() and not inside:
                if not in_list:
                    break
                continue
            if not inside and self._begins(at, after_blank=at > end, in_list=in_list):
                break
            end = at + 1
        return end

    def _begins(self, at: int, *, after_blank: bool, in_list: bool) -> bool:
        line = self._lines[at]
        if not self._code[at] and (heading_of(line) is not None or line.startswith("<!--")):
            return True
        return is_item(line) or (in_list and after_blank and line[:1] not in (" ", "\t"))

    def _kept(self, start: int, end: int, text: str) -> str:
        # Lines of a generated block come back at its next run, whatever a prune takes away (decision G16).
        if any(number in self._made for number in range(start + 1, end + 1)):
            return "another part writes it"
        if KEPT_FOR_EVER.search(text):
            return "marked as kept for ever"
        if tags := {tag.casefold() for tag in _TAG.findall(text)} & _KEPT_TAGS:
            return f"tagged {min(tags)}"
        return next((why for heading in self._above if (why := _kept_section(heading))), "")


def _kept_section(heading: MarkdownHeading) -> str:
    """Gives the reason why a whole section stays (decisions C18, D7); empty if there is none."""
    title = _TAG.sub("", heading.text).strip().casefold()
    tags = {tag.casefold() for tag in _TAG.findall(heading.text)} & _KEPT_TAGS
    if KEPT_FOR_EVER.search(heading.text):
        return "its section is marked as kept for ever"
    if tags or title in _KEPT_SECTIONS:
        return f"its section is {min(tags) if tags else title}"
    return "its section is frozen" if heading.level > 1 and title.startswith("core") else ""


def _mirrored(lines: Sequence[str]) -> frozenset[int]:
    """Gives the lines of the section in which the tree mirrors ROOT."""
    marks = [(number, found[1]) for number, line in enumerate(lines, 1) if (found := _OWN.match(line))]
    if not marks:
        return frozenset()
    last = max((number for number, kind in marks if kind == "end"), default=len(lines))
    return frozenset(range(marks[0][0], last + 1))
