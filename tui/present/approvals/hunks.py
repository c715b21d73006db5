"""The hunks of a change as rows with what the operator said of each; what goes along with one that is refused."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from engine.monitoring.comments import DiffComment
from engine.plans.diff import FileDiff, RowKind
from engine.plans.plan import Change, Plan
from engine.plans.plan_hunks import ChangeHunk, ChangeHunks
from engine.plans.refusal import PartialRefusal
from tui.present import glyphs
from tui.present.diff import KIND_ROLES, SIGNS, verb
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import noun, safe, tail

AROUND = 2  # equal lines shown before and after a hunk


class HunkLine(NamedTuple):
    """A row of the list: a hunk's heading where `kind` is None, else one of its lines or one around it; or a comment.
    Line numbers count from 1; `old` is the line of the file as it is, `new` that of the file as it would be."""

    hunk: int
    kind: RowKind | None = None
    old: int | None = None
    new: int | None = None
    text: str = ""
    comment: DiffComment | None = None


class HunkMarks(NamedTuple):
    """The numbers of the hunks that the operator chose, and of those that were refused."""

    chosen: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()

    def toggled(self, number: int, *, refuse: bool) -> "HunkMarks":
        """The marks with a hunk chosen, or refused; the same mark again is taken away."""
        mine, others = (self.refused, self.chosen) if refuse else (self.chosen, self.refused)
        mine, others = mine ^ {number}, others - {number}
        return HunkMarks(others, mine) if refuse else HunkMarks(mine, others)

    def left_out(self, there: ChangeHunks) -> frozenset[int]:
        """The hunks that a new plan would not have: the refused, and where some are chosen all that are not."""
        others = {one.number for one in there.hunks} - self.chosen if self.chosen else set()
        return self.refused | others


def hunk_lines(there: ChangeHunks, diff: FileDiff, comments: Sequence[DiffComment] = ()) -> tuple[HunkLine, ...]:
    """The rows of all hunks, in order, each comment below the last of its lines, or else at the end."""
    lines = _hunk_lines(there, diff)
    waiting = [one for one in comments if one.lines.change == there.change]
    shown: list[HunkLine] = []
    for line in lines:
        shown.append(line)
        ends = [one for one in waiting if _ends_at(one, line)]
        shown += [HunkLine(line.hunk, comment=one) for one in ends]
        waiting = [one for one in waiting if one not in ends]
    last = lines[-1].hunk if lines else 0
    return (*shown, *(HunkLine(last, comment=one) for one in waiting))


def _ends_at(one: DiffComment, line: HunkLine) -> bool:
    if line.kind is None:
        return False
    return one.lines.last == (line.old if one.lines.old else line.new)


def _hunk_lines(there: ChangeHunks, diff: FileDiff) -> tuple[HunkLine, ...]:
    same = {row.right_no: row for row in diff.rows if row.kind is RowKind.SAME and row.right_no is not None}
    shown: set[int] = set()
    lines: list[HunkLine] = []
    for one in there.hunks:
        lines.append(HunkLine(one.number))
        end = one.right + len(one.added)
        for new in [*range(one.right - AROUND, one.right), None, *range(end, end + AROUND)]:
            if new is None:
                lines += _changed(one)
            elif new in same and new not in shown:
                shown.add(new)
                lines.append(HunkLine(one.number, RowKind.SAME, same[new].left_no, new, same[new].text))
    return tuple(lines)


def _changed(one: ChangeHunk) -> Iterator[HunkLine]:
    for at, text in enumerate(one.removed):
        yield HunkLine(one.number, RowKind.REMOVED, one.left + at, None, text.removesuffix("\n"))
    for at, text in enumerate(one.added):
        yield HunkLine(one.number, RowKind.ADDED, None, one.right + at, text.removesuffix("\n"))


class HunkRows(LazyRows[HunkLine]):
    """The rows of a change's hunks, made when they are looked at. `held`: rows that are marked as a range."""

    def __init__(
        self, there: ChangeHunks, lines: tuple[HunkLine, ...], marks: HunkMarks, held: Collection[int] = ()
    ) -> None:
        self._hunks = {one.number: one for one in there.hunks}
        super().__init__(lines)
        self._marks, self._held = marks, held
        self._out = marks.left_out(there)

    def row(self, index: int) -> ListRow:
        line = self.items[index]
        if line.comment is not None:
            return ListRow((Span("       » ", "accent"), *_comment(line.comment)))
        if line.kind is None:
            return self._heading(self._hunks[line.hunk])
        number = line.new if line.new is not None else line.old
        role = "muted" if line.hunk in self._out and line.kind is not RowKind.SAME else KIND_ROLES[line.kind]
        held = Span("▌" if index in self._held else " ", "accent")
        return ListRow((held, Span(f"{number or 0:>5} {SIGNS[line.kind]} ", "gutter"), Span(safe(line.text), role)))

    def _heading(self, one: ChangeHunk) -> ListRow:
        figures: Line = (
            *((Span(f"  +{len(one.added):,}", "ok"),) if one.added else ()),
            *((Span(f"  −{len(one.removed):,}", "blocked"),) if one.removed else ()),
        )
        return ListRow((*self._sign(one.number), Span(one.name, "strong"), *figures))

    def _sign(self, number: int) -> Line:
        if number in self._marks.chosen:
            return (glyphs.PASSED.mark, Span(" chosen   ", "ok"))
        if number in self._marks.refused:
            return (glyphs.FAILED.mark, Span(" refused  ", "blocked"))
        return (Span("· ", "muted"), Span("omitted  " if number in self._out else "         ", "muted"))


def _comment(one: DiffComment) -> Line:
    span = f"lines {one.lines.first}–{one.lines.last}: " if one.lines.last > one.lines.first else ""
    return (Span(span, "muted"), Span(safe(one.text), "info"))


def hunks_title(there: ChangeHunks, marks: HunkMarks) -> Line:
    """Counts the hunks of a change, and those that a new plan would not have."""
    out = marks.left_out(there)
    said = (Span(f"  {noun(len(out), 'hunk')} of {len(there.hunks):,} omitted", "warn"),) if out else ()
    return (Span("Hunks", "title"), Span(f" ⟨{len(there.hunks):,}⟩", "muted"), *said)


def names_of(there: ChangeHunks, numbers: Collection[int]) -> tuple[str, ...]:
    """The hunks by their names, as `2#1`."""
    return tuple(one.name for one in there.hunks if one.number in numbers)


_LISTED = 6  # changes that go along of which the dialog says each; it counts the others


def refusal_title(refused: PartialRefusal) -> Line:
    """`Refuse 2 hunks`, `Refuse change 3`."""
    hunks = [name for name in refused.names if "#" in name]
    what = noun(len(hunks), "hunk") if hunks else f"change {', '.join(refused.names)}"
    return (Span(f"Refuse {what}", "title"),)


def refusal_lines(plan: Plan, refused: PartialRefusal) -> tuple[Line, ...]:
    """The refused, one a line, what goes along with its reason, and what is left."""
    changes = {change.n: change for change in plan.changes}
    lines: list[Line] = [
        (Span(f"{name:<6}", "strong"), *_what(changes[int(name.partition("#")[0])])) for name in refused.names[:_LISTED]
    ]
    if len(refused.names) > _LISTED:
        lines.append((Span(f"and {len(refused.names) - _LISTED} more", "muted"),))
    for one in refused.along[:_LISTED]:
        why = Span(f"  {one.why}", "muted")
        lines.append((Span(f"{one.change:<6}", "warn"), *_what(changes[one.change]), why))
    if len(refused.along) > _LISTED:
        lines.append((Span(f"and {len(refused.along) - _LISTED} more that go along", "warn"),))
    left = noun(len(plan.changes) - len(refused.changes), "change")
    return (*lines, (Span(f"The rest, {left}, becomes a plan of its own, which nobody approved.", "muted"),))


def _what(change: Change) -> Line:
    return (Span(f"{verb(change)} ", "muted"), Span(tail(change.path)))
