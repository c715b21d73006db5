"""A file's diff as numbered lines: long equal stretches folded, each line with its sign and where it came from."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.flag_words import flags_in_file, rule_words
from engine.plans.plan import Append, Change, Create, Move, Replace
from engine.workspace.values import LineSpan
from tui.present.spans import Line, Role, Span
from tui.present.words import count, noun, safe, tail

LABEL = 10
"""Cells of the names before a fact, such as `why`."""
CONTEXT = 3
"""Equal lines kept around a change before a fold begins."""
_LEAST_FOLD = 3
"""A shorter stretch takes no more room than its fold line."""

KIND_ROLES: dict[RowKind, Role] = {RowKind.SAME: "same", RowKind.REMOVED: "removed", RowKind.ADDED: "added"}
SIGNS: dict[RowKind, str] = {RowKind.SAME: " ", RowKind.REMOVED: "−", RowKind.ADDED: "+"}


class Fold(NamedTuple):
    """Rows `start` to `end` (not included) of a diff, shown as one line until opened."""

    start: int
    end: int

    @property
    def line(self) -> Line:
        return (Span(f"··· {noun(self.end - self.start, 'equal line')}", "fold"), Span("   enter: show", "muted"))


class DiffPart(NamedTuple):
    """One diff to be shown, and what stands above and beside its lines."""

    diff: FileDiff
    preface: tuple[Line, ...]
    origins: Mapping[int, LineSpan] = {}
    """For line numbers of the new file: the lines of another file they came from."""
    flags: Mapping[int, str] = {}
    """For line numbers of the new file: why a line is flagged."""
    heading: Line = ()
    """The line above it, where several parts make one text."""


class SplitRow(NamedTuple):
    """A row of the old side and the row of the new one beside it; None where a side has no such line."""

    left: int | None
    right: int | None


def items(rows: tuple[DiffRow, ...], context: int, opened: frozenset[int]) -> tuple[int | Fold, ...]:
    """Row indices and folds in order. `opened` holds a row of each stretch whose fold the operator opened."""
    shown: list[int | Fold] = []
    for start, end, equal in _stretches(rows):
        first = start + (context if start else 0)
        last = end - (context if end < len(rows) else 0)
        if not equal or last - first < _LEAST_FOLD or any(start <= row < end for row in opened):
            shown.extend(range(start, end))
            continue
        shown.extend(range(start, first))
        shown.append(Fold(first, last))
        shown.extend(range(last, end))
    return tuple(shown)


def _stretches(rows: tuple[DiffRow, ...]) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for equal, stretch in groupby([row.kind is RowKind.SAME for row in rows]):
        end = start + len(list(stretch))
        yield start, end, equal
        start = end


def run_number(rows: tuple[DiffRow, ...], row: int) -> int:
    """Gives the number, from 1, of the run of changed rows that a row belongs to; 0 for a row that is the same."""
    number = 0
    for start, end, equal in _stretches(rows):
        number += not equal
        if start <= row < end:
            return 0 if equal else number
    return 0


def digits(rows: tuple[DiffRow, ...]) -> int:
    """Counts the cells of the widest line number."""
    highest = max((row.right_no or row.left_no or 0 for row in rows[-1:]), default=0)
    highest = max(highest, max((row.left_no or 0 for row in rows[-1:]), default=0))
    return max(3, len(str(highest)))


def origins(change: Change, diff: FileDiff) -> Mapping[int, LineSpan]:
    """For line numbers of the new file: the lines of another file they came from."""
    if not change.origins:
        return {}
    before = 0
    if isinstance(change, Append):
        before = next((row.right_no - 1 for row in diff.rows if row.kind is RowKind.ADDED and row.right_no), 0)
    return {before + origin.line: origin.source for origin in change.origins}


def flags(change: Change, diff: FileDiff) -> Mapping[int, str]:
    """For line numbers of the new file: in words, why the line is flagged."""
    return {line: rule_words(rules) for line, rules in flags_in_file(change, diff).items()}


def origin_words(span: LineSpan) -> str:
    """`← working/deploy.md:14`, with the end only where it is another line."""
    lines = str(span.start) if span.start == span.end else f"{span.start}–{span.end}"
    return f"← {tail(span.path)}:{lines}"


def brief_origin(span: LineSpan) -> str:
    """The same by the file's name alone, for where there is less room."""
    return origin_words(span).replace(tail(span.path), safe(span.path.rsplit("/", 1)[-1]))


def verb(change: Change) -> str:
    """Gives the word for what a change does."""
    match change:
        case Create():
            return "create"
        case Append():
            return "append"
        case Replace():
            return "replace"
        case Move():
            return "move"


def title(change: Change, diff: FileDiff, total: int, *, marked: bool = False) -> Line:
    """`3/24  ✓ create memory/episodic/x.md  +12 −0`; the sign where the change is marked to be approved."""
    left: Line = (
        Span(f"{change.n}/{total}  ", "muted"),
        *((Span("✓ ", "accent"),) if marked else ()),
        Span(f"{verb(change)} ", "accent"),
        Span(safe(change.path), "title"),
    )
    return (*left, *figures(diff))


def short_figures(diff: FileDiff) -> Line:
    """`+12` or `−3` or both: what is zero is left away."""
    if not (diff.added or diff.removed or diff.note):
        return (Span(" ±0", "muted"),)
    added = (Span(f" +{count(diff.added)}", "ok"),) if diff.added else ()
    return (*added, Span(f" −{count(diff.removed)}", "blocked")) if diff.removed else added


def figures(diff: FileDiff) -> Line:
    """`+12 −0`, or nothing for a pure move."""
    if not diff.added and not diff.removed:
        return ()
    return (
        Span(f"  +{count(diff.added)}", "ok"),
        Span(f" −{count(diff.removed)}", "blocked" if diff.removed else "muted"),
    )


def preface(change: Change, diff: FileDiff) -> tuple[Line, ...]:
    """Makes the lines above a diff: the reason, warnings, what is omitted by name, why rows may be missing."""
    lines: list[Line] = [(Span(f"{'why':<{LABEL}}", "muted"), Span(safe(change.reason)))]
    lines.extend(
        (Span(f"{'warning':<{LABEL}}", "muted"), Span(f"▲ {safe(warning)}", "risk")) for warning in change.warnings
    )
    if isinstance(change, Move):
        lines.append((Span(f"{'from':<{LABEL}}", "muted"), Span(safe(change.path))))
        lines.append((Span(f"{'to':<{LABEL}}", "muted"), Span(safe(change.to), "strong")))
    lines.extend((Span(f"{'omitted':<{LABEL}}", "warn"), Span(safe(text), "muted")) for text in change.dropped)
    if diff.note:
        show = (Span("   enter: show", "muted"),) if isinstance(change, Move) else ()
        lines.append((Span(f"{'note':<{LABEL}}", "muted"), Span(safe(diff.note), "info"), *show))
    return tuple(lines)
