"""Shows the hunks of a change with the operator's comments, and the changes that a refusal takes along."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from engine.monitoring.comments import DiffComment
from engine.plans.diff import FileDiff, RowKind
from engine.plans.partial_refusal import PartialRefusal
from engine.plans.plan import Change, Plan
from engine.plans.plan_hunks import ChangeHunk, ChangeHunks
from tui.present import glyphs
from tui.present.diff import KIND_ROLES, SIGNS, verb
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import noun, safe, tail

AROUND = 2  # equal lines shown before and after a hunk


class HunkLine(NamedTuple):
    """A heading (`kind` is None), a line, from 1 in the present (`old`) and the planned file, or a comment."""

    hunk: int
    kind: RowKind | None = None
    old: int | None = None
    new: int | None = None
    text: str = ""
    comment: DiffComment | None = None


def hunk_lines(there: ChangeHunks, diff: FileDiff, comments: Sequence[DiffComment] = ()) -> tuple[HunkLine, ...]:
    """Lists the rows of all hunks in order; a comment follows its last line, or comes at the end."""
    lines = _hunk_lines(there, diff)
    waiting = [comment for comment in comments if comment.lines.change == there.change]
    shown: list[HunkLine] = []
    for line in lines:
        shown.append(line)
        ends = [comment for comment in waiting if _ends_at(comment, line)]
        shown += [HunkLine(line.hunk, comment=comment) for comment in ends]
        waiting = [comment for comment in waiting if comment not in ends]
    last = lines[-1].hunk if lines else 0
    return (*shown, *(HunkLine(last, comment=comment) for comment in waiting))


def _ends_at(comment: DiffComment, line: HunkLine) -> bool:
    if line.kind is None:
        return False
    return comment.lines.last == (line.old if comment.lines.old else line.new)


def _hunk_lines(there: ChangeHunks, diff: FileDiff) -> tuple[HunkLine, ...]:
    same = {row.right_no: row for row in diff.rows if row.kind is RowKind.SAME and row.right_no is not None}
    shown: set[int] = set()
    lines: list[HunkLine] = []
    for hunk in there.hunks:
        lines.append(HunkLine(hunk.number))
        end = hunk.right + len(hunk.added)
        for new in [*range(hunk.right - AROUND, hunk.right), None, *range(end, end + AROUND)]:
            if new is None:
                lines += _changed(hunk)
            elif new in same and new not in shown:
                shown.add(new)
                lines.append(HunkLine(hunk.number, RowKind.SAME, same[new].left_no, new, same[new].text))
    return tuple(lines)


def _changed(hunk: ChangeHunk) -> Iterator[HunkLine]:
    for at, text in enumerate(hunk.removed):
        yield HunkLine(hunk.number, RowKind.REMOVED, hunk.left + at, None, text.removesuffix("\n"))
    for at, text in enumerate(hunk.added):
        yield HunkLine(hunk.number, RowKind.ADDED, None, hunk.right + at, text.removesuffix("\n"))


class HunkRows(LazyRows[HunkLine]):
    """Makes the rows of a change's hunks, the `refused` among them; `held` are the rows of a marked range."""

    def __init__(
        self, there: ChangeHunks, lines: tuple[HunkLine, ...], refused: Collection[int], held: Collection[int] = ()
    ) -> None:
        self._hunks = {hunk.number: hunk for hunk in there.hunks}
        super().__init__(lines)
        self._refused, self._held = refused, held

    def row(self, index: int) -> ListRow:
        line = self.items[index]
        if line.comment is not None:
            return ListRow((Span("       » ", "accent"), *_comment(line.comment)))
        if line.kind is None:
            return self._heading(self._hunks[line.hunk])
        number = line.new if line.new is not None else line.old
        role = "muted" if line.hunk in self._refused and line.kind is not RowKind.SAME else KIND_ROLES[line.kind]
        held = Span("▌" if index in self._held else " ", "accent")
        return ListRow((held, Span(f"{number or 0:>5} {SIGNS[line.kind]} ", "gutter"), Span(safe(line.text), role)))

    def _heading(self, hunk: ChangeHunk) -> ListRow:
        figures: Line = (
            *((Span(f"  +{len(hunk.added):,}", "ok"),) if hunk.added else ()),
            *((Span(f"  −{len(hunk.removed):,}", "blocked"),) if hunk.removed else ()),
        )
        out = hunk.number in self._refused
        sign: Line = (glyphs.FAILED.mark, Span(" refused  ", "blocked")) if out else (Span("·          ", "muted"),)
        return ListRow((*sign, Span(hunk.name, "strong"), *figures))


def _comment(comment: DiffComment) -> Line:
    span = f"lines {comment.lines.first}–{comment.lines.last}: " if comment.lines.last > comment.lines.first else ""
    return (Span(span, "muted"), Span(safe(comment.text), "info"))


def hunks_title(there: ChangeHunks, refused: Collection[int]) -> Line:
    """Counts the hunks of a change, and the refused ones."""
    said = (Span(f"  {noun(len(refused), 'hunk')} of {len(there.hunks):,} refused", "warn"),) if refused else ()
    return (Span("Hunks", "title"), Span(f" ⟨{len(there.hunks):,}⟩", "muted"), *said)


_LISTED = 6  # changes that go along of which the dialog says each; it counts the others


def refusal_title(refused: PartialRefusal) -> Line:
    """Returns `Refuse 2 hunks`, `Refuse change 3`."""
    hunks = [name for name in refused.names if "#" in name]
    what = noun(len(hunks), "hunk") if hunks else f"change {', '.join(refused.names)}"
    return (Span(f"Refuse {what}", "title"),)


def refusal_lines(plan: Plan, refused: PartialRefusal) -> tuple[Line, ...]:
    """Lists the refused hunks or changes, the changes that go with them and why, and how many remain."""
    changes = {change.n: change for change in plan.changes}
    lines: list[Line] = [
        (Span(f"{name:<6}", "strong"), *_what(changes[int(name.partition("#")[0])])) for name in refused.names[:_LISTED]
    ]
    if len(refused.names) > _LISTED:
        lines.append((Span(f"and {len(refused.names) - _LISTED} more", "muted"),))
    for follower in refused.along[:_LISTED]:
        why = Span(f"  {follower.why}", "muted")
        lines.append((Span(f"{follower.change:<6}", "warn"), *_what(changes[follower.change]), why))
    if len(refused.along) > _LISTED:
        lines.append((Span(f"and {len(refused.along) - _LISTED} more that go along", "warn"),))
    left = noun(len(plan.changes) - len(refused.changes), "change")
    return (*lines, (Span(f"The rest, {left}, becomes a plan of its own, which nobody approved.", "muted"),))


def _what(change: Change) -> Line:
    return (Span(f"{verb(change)} ", "muted"), Span(tail(change.path)))
