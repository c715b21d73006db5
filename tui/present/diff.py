"""Shows a file's diff as numbered lines: long equal stretches folded, each line with its sign and origin."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.flags import flags_in_file, rule_words
from engine.plans.plan import Append, Change, Create, Move, Replace, RiskTier
from engine.workspace.values import LineSpan
from tui.present.spans import Line, Role, Span
from tui.present.words import count, noun, safe, tail

if TYPE_CHECKING:
    from engine.monitoring.comments import DiffComment

LABEL = 10  # cells of the names before a fact, such as `why`
CONTEXT = 3  # equal lines kept around a change before a fold begins
_LEAST_FOLD = 3  # a shorter stretch takes no more room than its fold line

KIND_ROLES: dict[RowKind, Role] = {RowKind.SAME: "same", RowKind.REMOVED: "removed", RowKind.ADDED: "added"}
SIGNS: dict[RowKind, str] = {RowKind.SAME: " ", RowKind.REMOVED: "−", RowKind.ADDED: "+"}


def fact(name: str, *spans: Span) -> Line:
    """Makes a line of a name and its value."""
    return (Span(f"{name:<{LABEL}}", "muted"), *spans)


class Fold(NamedTuple):
    """Rows `start` to `end` (exclusive) of a diff, shown as one line until the operator opens it."""

    start: int
    end: int
    words: str = ""  # the name of changed lines that are folded; empty where all of them are equal

    @property
    def line(self) -> Line:
        words = self.words or noun(self.end - self.start, "equal line")
        return (Span(f"··· {words}", "fold"), Span("   enter: show", "muted"))


class DiffPart(NamedTuple):
    """One diff to show, with the lines above it and the notes beside its lines."""

    diff: FileDiff
    preface: tuple[Line, ...]
    origins: Mapping[int, LineSpan] = {}  # for line numbers of the new file: the lines of another file they came from
    flags: Mapping[int, str] = {}  # for line numbers of the new file: why a line is flagged
    heading: Line = ()  # the line above it, where several parts make one text
    frontmatter: int = 0  # rows at the top that are folded: the frontmatter of a file that memdeck writes whole


class SplitRow(NamedTuple):
    """Two rows side by side, one of the old file and one of the new; None where a side has no row."""

    left: int | None
    right: int | None


def items(
    rows: tuple[DiffRow, ...], context: int, opened: frozenset[int], frontmatter: int = 0
) -> tuple[int | Fold, ...]:
    """Lists row indices and folds. `opened`: rows of opened folds. The first `frontmatter` rows are one fold."""
    folded = 0 if any(row < frontmatter for row in opened) else frontmatter
    shown: list[int | Fold] = [_frontmatter_fold(rows[:folded])] if folded else []
    for begin, end, equal in _stretches(rows):
        start = max(begin, folded)
        if start >= end:
            continue
        first = start + (context if start else 0)
        last = end - (context if end < len(rows) else 0)
        if not equal or last - first < _LEAST_FOLD or any(start <= row < end for row in opened):
            shown.extend(range(start, end))
            continue
        shown.extend(range(start, first))
        shown.append(Fold(first, last))
        shown.extend(range(last, end))
    return tuple(shown)


def _frontmatter_fold(rows: tuple[DiffRow, ...]) -> Fold:
    added, removed = (sum(row.kind is kind for row in rows) for kind in (RowKind.ADDED, RowKind.REMOVED))
    return Fold(0, len(rows), f"frontmatter  +{added} −{removed}")


def frontmatter_rows(change: Change, diff: FileDiff, system: str) -> int:
    """Counts the rows at the top of a diff that can be folded as frontmatter written by memdeck. Returns 0 if the plan
    has other authors, the change is of tier C, or a row is flagged."""
    read = change.risk_tier is RiskTier.C or not isinstance(change, Create | Replace)
    return 0 if read else computed_rows(diff, system, flags(change, diff))


def computed_rows(diff: FileDiff, system: str, flagged: Collection[int] = ()) -> int:
    """Counts the frontmatter rows to fold if the system that wrote the file computes frontmatter; 0 for others."""
    if system not in _WRITERS:
        return 0
    new, old = _frontmatter_end(diff.rows, right=True), _frontmatter_end(diff.rows, right=False)
    inside = [(row.left_no or 0) <= old and (row.right_no or 0) <= new for row in diff.rows]
    length = inside.index(False) if False in inside else len(inside)
    changed = any(row.kind is not RowKind.SAME for row in diff.rows[:length])
    whole = any(row.right_no == new for row in diff.rows[:length])
    if any(inside[length:]) or not (changed and whole) or any(0 < line <= new for line in flagged):
        return 0
    return length if new and length >= _LEAST_FOLD else 0


_WRITERS = ("compact", "tree")
"""Systems that compute all frontmatter of their files: dates, sources, hashes."""


def _frontmatter_end(rows: tuple[DiffRow, ...], *, right: bool) -> int:
    """Returns the last line of the frontmatter on one side; 0 without frontmatter."""
    other = RowKind.REMOVED if right else RowKind.ADDED
    lines = [row.text.rstrip() for row in rows if row.kind is not other]
    return lines.index("---", 1) + 1 if lines[:1] == ["---"] and "---" in lines[1:] else 0


def _stretches(rows: tuple[DiffRow, ...]) -> Iterator[tuple[int, int, bool]]:
    start = 0
    for equal, stretch in groupby([row.kind is RowKind.SAME for row in rows]):
        end = start + len(list(stretch))
        yield start, end, equal
        start = end


def run_number(rows: tuple[DiffRow, ...], row: int) -> int:
    """Returns the number (from 1) of the changed stretch that contains a row; 0 for an unchanged row."""
    number = 0
    for start, end, equal in _stretches(rows):
        number += not equal
        if start <= row < end:
            return 0 if equal else number
    return 0


def digits(rows: tuple[DiffRow, ...]) -> int:
    """Returns the cells of the widest line number, at least 3."""
    highest = max((max(row.right_no or 0, row.left_no or 0) for row in rows[-1:]), default=0)
    return max(3, len(str(highest)))


def origins(change: Change, diff: FileDiff) -> Mapping[int, LineSpan]:
    """Maps line numbers of the new file to the lines of another file that they came from."""
    if not change.origins:
        return {}
    before = 0
    if isinstance(change, Append):
        before = next((row.right_no - 1 for row in diff.rows if row.kind is RowKind.ADDED and row.right_no), 0)
    return {before + origin.line: origin.source for origin in change.origins}


def flags(change: Change, diff: FileDiff) -> Mapping[int, str]:
    """Maps line numbers of the new file, below zero of the old one, to the words below a flagged line."""
    rules = {line: rule_words(broken) for line, broken in flags_in_file(change, diff).items()}
    noted = {line: "; ".join(note.words for note in notes) for line, notes in diff.notes.items()}
    return {line: "; ".join(filter(None, (rules.get(line), noted.get(line)))) for line in rules | noted}


def origin_words(span: LineSpan) -> str:
    """Returns `← working/deploy.md:14`, with the end only where it is another line."""
    lines = str(span.start) if span.start == span.end else f"{span.start}–{span.end}"
    return f"← {tail(span.path)}:{lines}"


def brief_origin(span: LineSpan) -> str:
    """Returns the origin with the file's name instead of its path, where there is less room."""
    return origin_words(span).replace(tail(span.path), safe(span.path.rsplit("/", 1)[-1]))


def verb(change: Change) -> str:
    """Returns `create`, `append`, `replace` or `move`."""
    return type(change).__name__.lower()


def title(change: Change, diff: FileDiff, total: int, *, marked: bool = False) -> Line:
    """Returns `3/24 ✓ create memory/episodic/x.md +12 −0`; the sign means that the change is marked."""
    left: Line = (
        Span(f"{change.n:,}/{total:,}  ", "muted"),
        *((Span("✓ ", "accent"),) if marked else ()),
        Span(f"{verb(change)} ", "accent"),
        Span(safe(change.path), "title"),
    )
    return (*left, *figures(diff))


def short_figures(diff: FileDiff) -> Line:
    """Returns `+12`, `−3` or both, without zeros; `±0` if nothing changed."""
    if not (diff.added or diff.removed or diff.note):
        return (Span(" ±0", "muted"),)
    added = (Span(f" +{count(diff.added)}", "ok"),) if diff.added else ()
    return (*added, Span(f" −{count(diff.removed)}", "blocked")) if diff.removed else added


def figures(*diffs: FileDiff, before: str = "  ") -> Line:
    """Returns `+12 −0`, or nothing for pure moves."""
    added, removed = sum(diff.added for diff in diffs), sum(diff.removed for diff in diffs)
    if not (added or removed):
        return ()
    return (Span(f"{before}+{count(added)}", "ok"), Span(f" −{count(removed)}", "blocked" if removed else "muted"))


def part_of(
    change: Change, diff: FileDiff, system: str, comments: "Sequence[DiffComment]", heading: Line = ()
) -> DiffPart:
    """Makes the part of a change: its diff, the lines above it, and the notes beside its lines."""
    beside = preface(change, diff, comments), origins(change, diff), flags(change, diff)
    return DiffPart(diff, *beside, heading, frontmatter_rows(change, diff, system))


def preface(change: Change, diff: FileDiff, comments: "Sequence[DiffComment]" = ()) -> tuple[Line, ...]:
    """Lists the lines above a diff: reason, warnings, comments, omitted lines, and why rows may be missing."""
    lines: list[Line] = [fact("why", Span(safe(change.reason)))]
    lines.extend(fact("warning", Span(f"▲ {safe(warning)}", "risk")) for warning in change.warnings)
    lines.extend(_comment_line(comment) for comment in comments if comment.lines.change == change.n)
    if isinstance(change, Move):
        lines += [fact("from", Span(safe(change.path))), fact("to", Span(safe(change.to), "strong"))]
    lines.extend((Span(f"{'omitted':<{LABEL}}", "warn"), Span(safe(text), "muted")) for text in change.dropped)
    if diff.note:
        show = (Span("   enter: show", "muted"),) if isinstance(change, Move) else ()
        lines.append(fact("note", Span(safe(diff.note), "info"), *show))
    return tuple(lines)


def _comment_line(comment: "DiffComment") -> Line:
    from engine.monitoring.comments import lines_words  # a diff without comments needs no table of the state

    return fact("comment", Span(f"{lines_words(comment.lines)}  ", "accent"), Span(safe(comment.text), "info"))
