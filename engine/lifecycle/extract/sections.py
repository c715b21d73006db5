"""Adds entries to a section of a note: every byte that was there stays, and each entry knows its line."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.plans.plan import LineOrigin
from engine.text.markdown import code_mask, heading_of
from engine.workspace.values import LineSpan

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class SectionRow(NamedTuple):
    """A row of a file, the heading that it belongs below, and the lines of another file that say it."""

    section: str
    text: str
    source: LineSpan


def with_rows(text: str, rows: Sequence[SectionRow]) -> tuple[str, tuple[LineOrigin, ...]]:
    """The text with each row at the end of its section, in their order, and the origin of each row's line. A last line
    without an end gets one; without a row nothing changes."""
    new, origins = f"{text}\n" if rows and text and not text.endswith("\n") else text, list[LineOrigin]()
    for section in dict.fromkeys(row.section for row in rows):
        group = [row for row in rows if row.section == section]
        new, at = with_entries(new, section, [row.text for row in group])
        origins = [LineOrigin(one.line + (len(group) if one.line >= at else 0), one.source) for one in origins]
        origins += [LineOrigin(at + number, row.source) for number, row in enumerate(group)]
    return new, tuple(sorted(origins, key=lambda one: one.line))


def with_entries(text: str, section: str, rows: Sequence[str]) -> tuple[str, int]:
    """The text with rows at the end of a section, made at the end of the text where it is not there. Gives the number
    of the first row's line, from 1. `text` ends with a newline or is empty."""
    lines, end_of_line = _LINE.findall(text), "\r\n" if "\r\n" in text else "\n"
    end = _end_of(lines, section)
    if end is None:
        lines += [*([end_of_line] if lines and lines[-1].strip() else []), f"{section}{end_of_line}"]
        end = len(lines)
    return "".join((*lines[:end], *(f"{row}{end_of_line}" for row in rows), *lines[end:])), end + 1


def _end_of(lines: Sequence[str], section: str) -> int | None:
    """The index behind the last line of a section that is not blank; None where there is no such section."""
    level = section.index(" ")
    start = next((at for at, line in enumerate(lines) if line.rstrip() == section), None)
    if start is None:
        return None
    stop = next((at for at in _headings(lines, level) if at > start), len(lines))
    while stop > start + 1 and not lines[stop - 1].strip():
        stop -= 1
    return stop


def _headings(lines: Sequence[str], level: int) -> Iterator[int]:
    """The indexes of the headings of a level or above, outside code."""
    for at, (line, is_code) in enumerate(zip(lines, code_mask(lines), strict=True)):
        heading = None if is_code else heading_of(line)
        if heading is not None and heading.level <= level:
            yield at
