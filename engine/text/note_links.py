"""Finds links to other notes: wikilinks `[[name#heading|label]]`, `[text](path)`, `[id]: path`. Ignores fenced and
inline code, and unquoted wikilinks in metadata, where `[[name]]` is a list. All patterns are bounded, so that the time
grows only with the length of the text."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.text.frontmatter import MAX_BYTES
from engine.text.markdown import fence_after, heading_of

LONGEST = 400  # characters of a name, of a heading and of a label
_HIDDEN = "\0"  # stands for each character of inline code while links are looked for
_LINK = re.compile(
    rf"(?<!\\)\[\[([^\[\]|#\n\0]{{0,{LONGEST}}})(?:#([^\[\]|\n\0]{{1,{LONGEST}}}))?(\|[^\[\]\n]{{0,{LONGEST}}})?\]\]"
    rf"|(?:(?<!\\)\]\([ \t]?|^[ ]{{0,3}}\[[^\[\]\n\0]{{1,{LONGEST}}}\]:[ \t]{{0,9}})"
    rf"(?:<([^<>\n\0]{{1,{LONGEST}}})>|((?:[^\s()<>\0]|\([^\s()<>\0]{{0,100}}\)){{1,{LONGEST}}}+)(?=[\s)]|\Z))",
    re.MULTILINE,
)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_TICKS = re.compile(r"`+")
_HEAD_OPEN = re.compile(r"\ufeff?---[ \t]*\r?\n")
_HEAD_CLOSE = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)


class TextLink(NamedTuple):
    """One link. `start`, `end`: the target's span; `line`: from 1. `wiki`: in double brackets. `target`: empty for a
    heading of this note. `label_at`: where a label would begin; `label`: or None. `angled`: in angle brackets."""

    wiki: bool
    target: str
    heading: str
    label: str | None
    start: int
    end: int
    label_at: int
    line: int
    angled: bool = False


def note_links(text: str) -> Iterator[TextLink]:
    """Yields the links to notes in order; web addresses do not count."""
    if "[[" not in text and "](" not in text and "]:" not in text:
        return
    body = body_start(text)
    line = 1
    if body:
        yield from _in_head(text[:body])
        line += text.count("\n", 0, body)
    for start, end, first in _paragraphs(text, body, line):
        yield from _in_paragraph(text[start:end], start, first)


def body_start(text: str) -> int:
    """Returns the offset after the metadata at the top of a text; 0 if there is none."""
    opening = _HEAD_OPEN.match(text)
    closing = _HEAD_CLOSE.search(text, opening.end(), opening.end() + MAX_BYTES) if opening else None
    return closing.end() if closing else 0


def _in_head(head: str) -> Iterator[TextLink]:
    for link in _in_paragraph(head, 0, 1, code=False):
        before, after = link.start - 3, head.find("]]", link.start) + 2
        if link.wiki and head[before : before + 1] in ('"', "'") and head[after : after + 1] == head[before]:
            yield link


def _paragraphs(text: str, start: int, line: int) -> Iterator[tuple[int, int, int]]:
    """Yields the spans outside fenced code, cut where no code span can continue, each with its first line."""
    fence, begun, first, at = "", start, line, start
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        row = text[at:end]
        above = fence
        if "``" in row or "~~" in row:
            fence = fence_after(fence, row)
        inside = bool(above or fence)
        if inside or row.isspace() or ("#" in row[:4] and heading_of(row) is not None):
            if begun < at:
                yield begun, at, first
            if not inside:
                yield at, end, line
            begun, first = end, line + 1
        at, line = end, line + 1
    if begun < len(text):
        yield begun, len(text), first


def _in_paragraph(part: str, offset: int, line: int, *, code: bool = True) -> Iterator[TextLink]:
    if "[[" not in part and "](" not in part and "]:" not in part:
        return
    hidden = code and "`" in part and _LINK.search(part) is not None
    seen, counted = _without_code(part) if hidden else part, 0
    for found in _LINK.finditer(seen):
        line += part.count("\n", counted, found.start())
        counted = found.start()
        link = _wiki(found, part, offset, line) if found[0].startswith("[[") else _path(found, offset, line)
        if link is not None:
            yield link


def _wiki(found: re.Match[str], part: str, offset: int, line: int) -> TextLink | None:
    target, heading, label = found[1], found[2] or "", found[3]
    if label is not None and (heading or target).endswith("\\"):  # `\|` in a table
        target, heading = (target, heading[:-1]) if heading else (target[:-1], "")
    name = target.strip()
    if not name and not heading:
        return None
    start = offset + found.start(1) + len(target) - len(target.lstrip())
    said = part[found.start(3) + 1 : found.end(3)] if label is not None else None
    place = offset + found.end() - 2 if label is None else offset + found.start(3)
    return TextLink(True, name, heading.strip(), said, start, start + len(name), place, line)


def _path(found: re.Match[str], offset: int, line: int) -> TextLink | None:
    group = 4 if found[4] is not None else 5
    written = found[group]
    target, _, heading = written.partition("#")
    if _ELSEWHERE.match(written) or not target:
        return None
    start = offset + found.start(group)
    return TextLink(False, target, heading, None, start, start + len(target), start, line, group == 4)


def _without_code(part: str) -> str:
    """Replaces every inline code span by hidden characters, keeping offsets."""
    runs = [found.span() for found in _TICKS.finditer(part)]
    following: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[index][1] - runs[index][0], []).append(index)
    pieces, kept, index = list[str](), 0, 0
    while index < len(runs):
        start, end = runs[index]
        start += _is_escaped(part, start)
        same = following.get(end - start, [])
        while same and same[-1] <= index:
            same.pop()
        if not same:
            index += 1
            continue
        close = runs[same[-1]][1]
        pieces += [part[kept:start], _HIDDEN * (close - start)]
        kept, index = close, same[-1] + 1
    return "".join((*pieces, part[kept:]))


def _is_escaped(part: str, at: int) -> bool:
    before = at
    while before and part[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1
