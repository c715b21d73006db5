"""Finds marks in a text, and the lines that each mark covers: section, bullet or paragraph (B3, B4)."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import pairwise

import msgspec

from engine.text.markdown import code_mask, fence_after, heading_of

_MARK = re.compile(r"\[(CURATE|TEMPORARY|REFERENCE|NEVER_PRUNE)\]")
_BULLET = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])(?=\s|$)")
_TAB = 4  # columns to the next tab stop, as in CommonMark: by them a bullet is nested or not (decision B3)


class Mark(StrEnum):
    """A mark that a person or an agent sets; `CURATE` wins over `TEMPORARY` (decision B4)."""

    CURATE = "CURATE"
    TEMPORARY = "TEMPORARY"
    REFERENCE = "REFERENCE"
    NEVER_PRUNE = "NEVER_PRUNE"


class MarkedSpan(msgspec.Struct, frozen=True, order=True, gc=False):
    """The lines `start` to `end` (from 0, `end` excluded) that the marks on line `at` cover."""

    start: int
    end: int
    at: int
    marks: frozenset[Mark]


Reach = Callable[[Sequence[str], Sequence[int]], list[tuple[int, int]]]
"""Finds, for each marked line, the lines that its mark covers."""


def marks_of(line: str) -> frozenset[Mark]:
    return frozenset(Mark(name) for name in _MARK.findall(line))


def without_marks(line: str, *marks: Mark) -> str:
    """Removes these marks from a line, or all marks."""
    wanted = frozenset(marks) or frozenset(Mark)
    return re.sub(
        r"[ \t]{2,}(?=\S)|[ \t]+$", _one_blank, _MARK.sub(lambda m: "" if Mark(m[1]) in wanted else m[0], line)
    )


def _one_blank(found: re.Match[str]) -> str:
    return found[0] if found.start() == 0 else "" if found.end() == len(found.string) else " "


def marked_lines(lines: Sequence[str]) -> list[int]:
    """Returns the numbers of lines with a mark outside code (decision B3), even if code is inside a bullet."""
    found, fence = [], ""
    for number, line in enumerate(lines):
        above, fence = fence, fence_after(fence, line.lstrip(" \t>"))
        # A mark in a code block is an example of one (decision B3).
        if not above and not fence and _MARK.search(line):
            found.append(number)
    return found


def marked_spans(lines: Sequence[str], reaches: Sequence[Reach] = ()) -> tuple[list[MarkedSpan], list[int]]:
    """Returns each mark's lines, and marked lines left over. A later reach only fills in for earlier ones (B20)."""
    left = marked_lines(lines)
    spans: list[MarkedSpan] = []
    for reach in reaches or REACHES:
        if not left:
            break
        spans += [
            MarkedSpan(start, end, at, marks_of(lines[at]))
            for at, (start, end) in zip(left, reach(lines, left), strict=True)
            if start <= at < end
        ]
        taken = {span.at for span in spans}
        left = [at for at in left if at not in taken]
    return sorted(spans), left


# ── by lines ───────────────────────────────────────────────────────────────────────────────────────────────────────


def by_lines(lines: Sequence[str], marked: Sequence[int]) -> list[tuple[int, int]]:
    """Finds the covered lines by headings, bullets and blank lines."""
    # `#` in a shell script is no heading that would end a section.
    code = list(code_mask(line.lstrip(" \t>") for line in lines))
    return [_reach(lines, code, at) for at in marked]


def _reach(lines: Sequence[str], code: Sequence[bool], at: int) -> tuple[int, int]:
    if (heading := heading_of(lines[at])) is not None:
        below = range(at + 1, len(lines))
        ends = (
            n for n in below if not code[n] and (h := heading_of(lines[n])) is not None and h.level <= heading.level
        )
        return at, _trimmed(lines, at, next(ends, len(lines)))
    if (bullet := _bullet_above(lines, code, at)) is not None:
        return bullet, _bullet_end(lines, code, bullet)
    start, end = _paragraph(lines, code, at)
    after = next((n for n in range(end, len(lines)) if lines[n].strip()), len(lines))
    if any(without_marks(line).strip(" *_`>:") for line in lines[start:end]) or after == len(lines) or code[after]:
        return start, end
    # A mark alone reaches the section, the list or the paragraph that follows.
    if not _BULLET.match(lines[after]):
        return start, _reach(lines, code, after)[1]
    while after < len(lines) and _BULLET.match(lines[after]):
        after = _bullet_end(lines, code, after)
    return start, after


def _bullet_above(lines: Sequence[str], code: Sequence[bool], at: int) -> int | None:
    """Returns the line of the bullet that a line belongs to, without a blank line between; else None."""
    for number in range(at, -1, -1):
        if not lines[number].strip() or code[number] or heading_of(lines[number]) is not None:
            return None
        if _BULLET.match(lines[number]):
            return number if number == at or indent_of(lines[at]) > indent_of(lines[number]) else None
    return None


def _bullet_end(lines: Sequence[str], code: Sequence[bool], bullet: int) -> int:
    own = indent_of(lines[bullet])
    for number in range(bullet + 1, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        if code[number] and code[number - 1]:
            continue
        starts = _BULLET.match(line) or code[number] or heading_of(line) is not None
        goes_on = indent_of(line) > own or (bool(lines[number - 1].strip()) and not starts)
        if not goes_on:
            return _trimmed(lines, bullet, number)
    return _trimmed(lines, bullet, len(lines))


def _paragraph(lines: Sequence[str], code: Sequence[bool], at: int) -> tuple[int, int]:
    def ends(number: int) -> bool:
        line = lines[number]
        return not line.strip() or code[number] or heading_of(line) is not None or bool(_BULLET.match(line))

    start = at
    while start > 0 and not ends(start - 1):
        start -= 1
    end = at + 1
    while end < len(lines) and not ends(end):
        end += 1
    return start, end


def indent_of(line: str) -> int:
    """Returns the column of a line's first character."""
    shown = line.expandtabs(_TAB)
    return len(shown) - len(shown.lstrip(" "))


def _trimmed(lines: Sequence[str], start: int, end: int) -> int:
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end


# ── by CommonMark, and word for word ───────────────────────────────────────────────────────────────────────────────


def by_commonmark(lines: Sequence[str], marked: Sequence[int]) -> list[tuple[int, int]]:
    """Finds the covered lines by the headings, list items, tables and paragraphs of `markdown-it-py`."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").enable("table").parse("\n".join(lines))
    blocks = [(token.type, token.map[0], token.map[1], token.tag) for token in tokens if token.map]
    headings = [(start, int(tag[1])) for kind, start, _, tag in blocks if kind == "heading_open"]
    found = []
    for at in marked:
        if level := next((level for start, level in headings if start == at), 0):
            found.append((at, next((start for start, other in headings if start > at and other <= level), len(lines))))
            continue
        around = [(start, end) for kind, start, end, _ in blocks if kind in _KINDS and start <= at < end]
        found.append(min(around, key=lambda span: span[1] - span[0], default=(at, at)))
    return found


_KINDS = frozenset({"list_item_open", "table_open", "paragraph_open", "html_block"})


def word_for_word(lines: Sequence[str], marked: Sequence[int]) -> list[tuple[int, int]]:
    """Returns the lines between the blank lines around each mark."""
    blank = [-1, *(n for n, line in enumerate(lines) if not line.strip()), len(lines)]
    return [next((a + 1, b) for a, b in pairwise(blank) if a < at < b) for at in marked]


REACHES: tuple[Reach, ...] = (by_lines, by_commonmark, word_for_word)
"""The ways to find covered lines, in the order of use (decision B20)."""
