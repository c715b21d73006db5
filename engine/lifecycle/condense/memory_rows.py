"""Adds rows to MEMORY.md: what stands already is not told twice, and the file never grows past its cap (D23, D25)."""

import re
from collections.abc import Collection, Sequence

import msgspec

from engine.lifecycle.condense.week_points import DECISIONS, LESSONS, WeekPoint
from engine.lifecycle.extract.sections import SectionRow, with_rows
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.lifecycle.prune.memory_file import line_total, with_line_count
from engine.lifecycle.prune.memory_reasons import is_held, said_words
from engine.plans.plan import LineOrigin
from engine.workspace.layout import MEMORY_MD_CAP

_ID = re.compile(r"<!-- c:([0-9a-f]{10}) -->")
_ORDER = (DECISIONS, LESSONS)
_TAKEN_OUT = "it stood in MEMORY.md, and a person took it out"


class MemoryEdit(msgspec.Struct, frozen=True, kw_only=True):
    """MEMORY.md as it will be. `before` are the names of its entries, `stands` of those that it still has.

    `origins` are the lines of the added rows, each with its source; `merged` tells of each point what says the same.
    """

    text: str
    origins: tuple[LineOrigin, ...]
    points: tuple[WeekPoint, ...]
    added: tuple[WeekPoint, ...]
    merged: tuple[tuple[WeekPoint, str], ...]
    left_out: tuple[WeekPoint, ...]
    before: frozenset[str]
    stands: frozenset[str]


def memory_edit(path: str, text: str, points: Sequence[WeekPoint], known: Collection[str]) -> MemoryEdit:
    """The text with the points that are new, each at the end of its section; every other line stays as it is."""
    said = [(said_words(one.text), f"stands in {path}:{one.start}") for one in memory_entries(path, text)]
    there = frozenset(_ID.findall(text))
    added, merged, left_out = list[WeekPoint](), list[tuple[WeekPoint, str]](), list[WeekPoint]()
    for point in points:
        words = said_words(point.text)
        where = next((at for other, at in said if other == words or is_held(words, other)), "")
        where = where or (f"its id stands in {path}" if point.id in there else "")
        where = where or (_TAKEN_OUT if point.id in known else "")
        if where:
            merged.append((point, where))
        elif line_total(_with_rows(text, [*added, point])[0]) > MEMORY_MD_CAP:
            left_out.append(point)
        else:
            added.append(point)
            said.append((words, f"said also on {point.day}"))
    new, origins = _with_rows(text, added)
    new = with_line_count(new) if added else text
    return MemoryEdit(
        text=new,
        origins=origins,
        points=tuple(points),
        added=tuple(added),
        merged=tuple(merged),
        left_out=tuple(left_out),
        before=frozenset(_names(path, text)),
        stands=frozenset(_names(path, text)) & frozenset(_names(path, new)),
    )


def _with_rows(text: str, points: Sequence[WeekPoint]) -> tuple[str, tuple[LineOrigin, ...]]:
    rows = [SectionRow(one.section, one.row, one.source) for one in points]
    return with_rows(text, sorted(rows, key=lambda row: _ORDER.index(row.section)))


def _names(path: str, text: str) -> list[str]:
    """The entries by their words: one that was there is there still, on whichever line."""
    return [f"{path}: {one.text}" for one in memory_entries(path, text)]
