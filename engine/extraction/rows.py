"""Defines the row of an entry in a file, and its marks (decision D45)."""

import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

from engine.text.secrets.detector import redact
from engine.workspace.layout import MEMORY_MD_PATHS

ROW_ID = re.compile(r"<!-- x:([0-9a-f]{10}) -->")  # the id by which an entry is known again, at the end of its row
_MARK = re.compile(r" \(superseded: ([0-9a-f]{10}) (\d{4}-\d\d-\d\d)\)(?= <!-- x:[0-9a-f]{10} -->\Z)")
_BESIDE = re.compile(r" \(beside: ([0-9a-f]{10}(?: [0-9a-f]{10})*)\)(?= <!-- x:[0-9a-f]{10} -->\Z)")
IN_DOUBT = re.compile(r"\(superseded: | \| Grade: (?:proposed|inferred)$")
"""Matches a row that no longer holds, or a flush's row that nobody agreed to."""
_ROW = re.compile(r"- (\d{4}-\d\d-\d\d): (.*) <!-- x:[0-9a-f]{10} -->")

BOTH = "both"  # the operator's word on two entries that hold side by side


class SupersededBy(msgspec.Struct, frozen=True):
    """The later entry on the same subject, and the day (`YYYY-MM-DD`) since which it holds."""

    by: str
    since: str


class PromotedRow(msgspec.Struct, frozen=True):
    """A row as an applied plan wrote it, with its transcript and the line there, from 1."""

    row: str
    transcript: str
    line: int = 0


class EntryHistory(msgspec.Struct, frozen=True):
    """Rows that applied plans wrote, by id, and refused ids. `accepted`: inferred or proposed ones since accepted."""

    promoted: Mapping[str, PromotedRow]
    refused: frozenset[str] = frozenset()
    accepted: frozenset[str] = frozenset()


class PresentRow(msgspec.Struct, frozen=True):
    """A row in a file with an entry's id. `line` counts from 1."""

    path: str
    line: int
    text: str


class RowParts(msgspec.Struct, frozen=True):
    """A row's day, the words of its entry, what superseded it, and the ids that hold beside it (D61)."""

    day: str
    quote: str
    superseded: SupersededBy | None
    beside: tuple[str, ...] = ()


def entry_row(day: str, quote: str, ident: str, superseded: SupersededBy | None = None) -> str:
    """Returns the bullet of an entry with day and id; the words cannot imitate another id."""
    said = redact(" ".join(quote.split())).replace("<!--", "<! --")
    mark = f" (superseded: {superseded.by} {superseded.since})" if superseded is not None else ""
    return f"- {day}: {said}{mark} <!-- x:{ident} -->"


def marked_row(row: str, superseded: SupersededBy) -> str:
    """Returns the row with this mark in place of an earlier one."""
    plain = unmarked_row(row)
    at = plain.rindex(" <!-- x:")
    return f"{plain[:at]} (superseded: {superseded.by} {superseded.since}){plain[at:]}"


def beside_row(row: str, ident: str) -> str:
    """Returns the row with a mark that it holds beside another, as the operator said."""
    others = dict.fromkeys((*_beside(row), ident))
    plain = unmarked_row(row)
    at = plain.rindex(" <!-- x:")
    return f"{plain[:at]} (beside: {' '.join(others)}){plain[at:]}"


def _beside(row: str) -> tuple[str, ...]:
    mark = _BESIDE.search(row)
    return tuple(mark[1].split()) if mark is not None else ()


def unmarked_row(row: str) -> str:
    """Returns the row without marks of superseding or holding beside another."""
    return _BESIDE.sub("", _MARK.sub("", row))


def row_parts(row: str) -> RowParts | None:
    """Splits a row that extraction writes; None for another text."""
    mark = _MARK.search(row)
    found = _ROW.fullmatch(unmarked_row(row))
    superseded = SupersededBy(mark[1], mark[2]) if mark is not None else None
    return RowParts(found[1], found[2], superseded, _beside(row)) if found is not None else None


def verdict(earlier: RowParts | None, later: RowParts | None, idents: tuple[str, str]) -> str:
    """Returns the operator's decision in the marks of two rows: the kept id, `both`, or nothing."""
    if earlier is None or later is None:
        return ""
    if idents[0] in later.beside or idents[1] in earlier.beside:
        return BOTH
    marks = ((one.superseded, ident) for one, ident in ((earlier, idents[1]), (later, idents[0])))
    return next((ident for mark, ident in marks if mark is not None and mark.by == ident), "")


def present_rows(path: str, text: str) -> dict[str, PresentRow]:
    """Returns the rows of a file by id, the first of each."""
    found: dict[str, PresentRow] = {}
    for number, line in enumerate(text.split("\n"), 1):
        ids = ROW_ID.findall(line)
        if len(ids) == 1:
            found.setdefault(ids[0], PresentRow(path, number, line.removesuffix("\r")))
    return found


def holds_entries(path: str) -> bool:
    """Tells whether a file may contain entries: knowledge, archive, and files at the root (decision D60)."""
    return path.endswith(".md") and (
        "/" not in path or path.startswith(("knowledge/", "archive/")) or path in MEMORY_MD_PATHS
    )


def is_lasting(path: str) -> bool:
    """Tells whether a note may state lasting facts in its own lines."""
    return path.endswith(".md") and (
        path in (*MEMORY_MD_PATHS, "USER.md") or path.startswith(("knowledge/", "memory/semantic/"))
    )


def entry_rows(paths: Iterable[str], text: Callable[[str], str]) -> dict[str, PresentRow]:
    """Returns the rows of all files by id; knowledge wins over the archive."""
    found: dict[str, PresentRow] = {}
    for path in sorted(filter(holds_entries, paths), reverse=True):
        found |= present_rows(path, text(path))
    return found
