"""Stores the operator's comments on lines of plans' diffs, outside the workspace, by the plan's digest."""

from datetime import datetime

import msgspec

from engine.errors import Refused, UsageError
from engine.state.database import StateDatabase
from engine.state.table import Instant, StateTable, Table

MOST_OF_PLAN = 200  # comments on one plan
MOST = 5_000  # comments in all; the oldest give way


class CommentedLines(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a change's diff, from 1: of the new file, or of the present one if `old`. `quoted`: their text."""

    change: int
    path: str
    first: int
    last: int
    old: bool = False
    quoted: tuple[str, ...] = ()


class DiffComment(msgspec.Struct, frozen=True, kw_only=True):
    """A comment on lines of a plan; `number` counts from 1 in its plan."""

    plan: str
    digest: str
    number: int
    lines: CommentedLines
    text: str
    at: Instant


class DiffComments:
    """Keeps comments as rows of `state.db`."""

    def __init__(self, database: StateDatabase) -> None:
        self._rows = Table(database, StateTable.DIFF_COMMENTS)

    def all(self) -> tuple[DiffComment, ...]:
        """Gives every comment, the oldest first."""
        return tuple(sorted(self._rows.values(DiffComment).values(), key=lambda one: (one.at, one.plan, one.number)))

    def of_plan(self, plan: str) -> tuple[DiffComment, ...]:
        """Gives the comments on one plan, in the order of its lines."""
        found = (row for row in self._rows.values(DiffComment, plan).values() if row.plan == plan)
        return tuple(sorted(found, key=lambda comment: (comment.lines.change, comment.lines.first, comment.number)))

    def add(self, plan: str, digest: str, lines: CommentedLines, text: str, at: datetime) -> DiffComment:
        """Stores a comment; raises `Refused` if the plan has too many."""
        with self._rows.change() as rows:
            there = [row for row in rows.values(DiffComment, plan).values() if row.plan == plan]
            if len(there) >= MOST_OF_PLAN:
                what, hint = f"the plan has {MOST_OF_PLAN} comments", "drop one: memdeck comment PLAN"
                raise Refused(what, where=plan, hint=hint)
            number = max((comment.number for comment in there), default=0) + 1
            made = DiffComment(plan=plan, digest=digest, number=number, lines=lines, text=text, at=at)
            rows.put(f"{plan} {number:06d}", msgspec.json.encode(made))
            for old in list(rows.names())[:-MOST]:
                rows.drop(old)
        return made

    def drop(self, plan: str, number: int) -> DiffComment:
        """Removes a comment; raises `UsageError` if there is none."""
        key = f"{plan} {number:06d}"
        with self._rows.change() as rows:
            if (found := rows.values(DiffComment, plan).get(key)) is None:
                raise UsageError(f"there is no comment {number}", where=plan, hint=f"memdeck comment {plan} lists them")
            rows.drop(key)
        return found


def place_words(lines: CommentedLines) -> str:
    """`change 2, line 12` or `change 2, lines 12–14 as they are`."""
    return f"change {lines.change}, {lines_words(lines)}"


def lines_words(lines: CommentedLines) -> str:
    """`line 12`, or `lines 12–14 as they are`."""
    span = f"line {lines.first}" if lines.first == lines.last else f"lines {lines.first}–{lines.last}"
    return f"{span}{' as they are' if lines.old else ''}"
