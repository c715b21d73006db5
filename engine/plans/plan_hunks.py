"""The hunks of a plan's changes, each with its name: pure."""

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from engine.errors import Refused, Stale, UsageError
from engine.plans.hunk_checks import why_whole
from engine.plans.line_hunks import LineHunk, hunks_between, lines_of
from engine.plans.plan import Append, Change, Create, Move, Plan, Replace
from engine.text.canonical_json import sha256_hex
from engine.text.document import exact_text

_NAME = re.compile(r"(?P<change>\d{1,6})(?P<hunks>(?:#\d{1,6})*)")

Read = Callable[[str], bytes]
"""The bytes of a workspace-relative path."""


class ChangeHunk(msgspec.Struct, frozen=True, kw_only=True):
    """A hunk of a change: the lines it takes away and those it brings, both with their ends; first lines from 1."""

    change: int
    number: int
    path: str
    left: int
    right: int
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def name(self) -> str:
        """`2#1`: the first hunk of change 2, as the commands take it."""
        return f"{self.change}#{self.number}"


class ChangeHunks(msgspec.Struct, frozen=True, kw_only=True):
    """The hunks of one change. `whole`: why none of them is refused without the others; empty where each can be."""

    change: int
    path: str
    hunks: tuple[ChangeHunk, ...]
    whole: str = ""


def hunks_of(plan: Plan, read: Read) -> tuple[ChangeHunks, ...]:
    """Gives the hunks of every change, in order; `Stale` where a file is not as the plan knew it."""
    return tuple(hunks_of_change(plan, change, read) for change in plan.changes)


def hunks_of_change(plan: Plan, change: Change, read: Read) -> ChangeHunks:
    """Gives the hunks of one change; `Stale` where its file is not as the plan knew it."""
    whole = why_whole(plan, change)
    if isinstance(change, Move):
        return ChangeHunks(change=change.n, path=change.path, hunks=(), whole=whole)
    try:
        before, after = sides_of(plan, change, read)
    except Refused as refusal:
        return ChangeHunks(change=change.n, path=change.path, hunks=(), whole=refusal.message)
    old, new = lines_of(before), lines_of(after)
    found = tuple(_hunk(change, one, old, new) for one in hunks_between(old, new))
    return ChangeHunks(change=change.n, path=change.path, hunks=found, whole=whole if len(found) > 1 else "")


def _hunk(change: Change, one: LineHunk, old: Sequence[str], new: Sequence[str]) -> ChangeHunk:
    return ChangeHunk(
        change=change.n,
        number=one.number,
        path=change.path,
        left=one.left[0] + 1,
        right=one.right[0] + 1,
        removed=tuple(old[slice(*one.left)]),
        added=tuple(new[slice(*one.right)]),
    )


def sides_of(plan: Plan, change: Create | Append | Replace, read: Read) -> tuple[str, str]:
    """The texts before and after a change, as the changes before it leave its file. `Stale` where the file is not as
    the plan knew it, `Refused` where it is not UTF-8 text."""
    before = ""
    if not any(isinstance(other, Create) and other.path == change.path for other in plan.changes):
        before = _as_bound(plan, change.path, read)
    for other in plan.changes:
        if other.path == change.path and other.n < change.n and not isinstance(other, Move):
            before = _after(before, other)
    return before, _after(before, change)


def _after(before: str, change: Create | Append | Replace) -> str:
    return before + change.content if isinstance(change, Append) else change.content


def _as_bound(plan: Plan, path: str, read: Read) -> str:
    data = read(path)
    if sha256_hex(data) != next((item.sha256 for item in plan.inputs if item.path == path), None):
        raise Stale("it changed since the plan was made", where=path, hint=f"memdeck plan {plan.system}")
    return exact_text(path, data)


def named_hunks(names: Iterable[str]) -> dict[int, frozenset[int]]:
    """Gives the hunks that `2#1` or `2#1#3` name, by change; none for `2`, which is the whole change. `UsageError` for
    anything else."""
    found: dict[int, frozenset[int]] = {}
    for name in names:
        parts = _NAME.fullmatch(name)
        if parts is None:
            raise UsageError("name a change, such as 2, or its hunks, such as 2#1 or 2#1#3", where=name[:40])
        change, hunks = int(parts["change"]), frozenset(int(hunk) for hunk in parts["hunks"].split("#") if hunk)
        earlier = found.get(change)
        found[change] = frozenset() if not hunks or earlier == frozenset() else hunks | (earlier or frozenset())
    return found
