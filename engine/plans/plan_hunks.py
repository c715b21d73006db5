"""Gives the hunks of a plan's changes by name, and checks the rest of a plan without some of them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from engine.errors import MemdeckError, Refused, Stale, UsageError
from engine.plans.annotation import PROBES
from engine.plans.git_places import in_git
from engine.plans.hook_gate import HOOK_CHECK
from engine.plans.line_hunks import LineHunk, lines_of, parts_between
from engine.plans.plan import Append, Change, Create, Move, Plan, QualityGate, Replace
from engine.text.canonical_json import sha256_hex
from engine.text.document import exact_text
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.values import MemoryTier

Read = Callable[[str], bytes]
_ADDED_LATER = frozenset({PROBES, HOOK_CHECK})  # the checks that every plan gets on its way into the queue
_OF_ALL: Mapping[str, str] = {
    "account": "it says of every entry what becomes of it, and would not add up",
    "coverage": "what goes to the archive must stand whole in what is written",
    "integrity": "it compares each file, whole, with what it was",
    "word_for_word": "each entry must stand in exactly one file",
    "quotes": "entries are named in the plan's records with their turns",
    "not_worse": "it was measured with the whole change",
}


def _reasons(plan: Plan, change: Change) -> Iterator[str]:
    """Yields the reasons why hunks of a change cannot be refused one by one; none where they can."""
    if isinstance(change, Move):
        yield "it is moved as it is"
    if in_git(change.path):
        yield "git reads this file as a whole"
    for other in plan.changes:
        if other.n != change.n and other.path == change.path:
            yield f"change {other.n} is of the same file"
    for gate in plan.gates:
        if gate.id not in _AGAIN and gate.id not in _ADDED_LATER and not _is_of_others(plan, change, gate):
            yield f"the plan check {gate.id}: {_OF_ALL.get(gate.id, 'it was made of the whole plan')}"


REVIEW = "review"
"""The system whose account is made again after a refusal, because the operator may refuse any of its lines."""


def _is_of_others(plan: Plan, change: Change, gate: QualityGate) -> bool:
    """Tells whether a check does not depend on the change's lines, as with a summary of a whole note."""
    summary = plan.system == "compact" and change.path.startswith(TIER_FOLDERS[MemoryTier.EPISODIC])
    return summary or (plan.system == REVIEW and gate.id == "account")


def checks_again(plan: Plan, read: Read) -> tuple[QualityGate, ...]:
    """Repeats a planner's checks on the rest of its plan; the queue adds its own again."""
    gates = (gate for gate in plan.gates if gate.id not in _ADDED_LATER)
    return tuple(_AGAIN.get(gate.id, _of_each_hunk)(plan, read, gate) for gate in gates)


def _of_each_hunk(_plan: Plan, _read: Read, gate: QualityGate) -> QualityGate:
    """Keeps the check as it is: it was made for each hunk, or for changes that stay whole."""
    return gate


def _new_files_only(plan: Plan, _read: Read, gate: QualityGate) -> QualityGate:
    others = [change.path for change in plan.changes if not isinstance(change, Create)]
    return QualityGate(gate.id, not others, f"{others[0]}: is there already" if others else gate.detail)


def _lines(plan: Plan, read: Read, gate: QualityGate) -> QualityGate:
    """Checks that a fix of form replaces lines one by one."""
    wrong = [change.path for change in plan.changes if not isinstance(change, Replace) or _moves_lines(change, read)]
    return QualityGate(gate.id, not wrong, f"{wrong[0]}: lines came or went" if wrong else gate.detail)


def _moves_lines(change: Replace, read: Read) -> bool:
    try:
        return read(change.path).count(b"\n") != change.content.count("\n")
    except MemdeckError:
        return True


_AGAIN: Mapping[str, Callable[[Plan, Read, QualityGate], QualityGate]] = {
    "no_overlap": _of_each_hunk,
    "new_files_only": _new_files_only,
    "lines": _lines,
}
"""The planners' checks that are repeated, by id; every other one binds a plan's hunks together."""


_NAME = re.compile(r"(?P<change>\d{1,6})(?P<hunks>(?:#\d{1,6})*)")  # the bytes of a workspace-relative path


class ChangeHunk(msgspec.Struct, frozen=True, kw_only=True):
    """A hunk of a change: the removed and the added lines with their ends; first lines counted from 1."""

    change: int
    number: int
    path: str
    left: int
    right: int
    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its name in commands: `2#1` is the first hunk of change 2."""
        return f"{self.change}#{self.number}"


class ChangeHunks(msgspec.Struct, frozen=True, kw_only=True):
    """The hunks of one change. `whole`: why they can only be refused together; empty where each can be alone."""

    change: int
    path: str
    hunks: tuple[ChangeHunk, ...]
    whole: str = ""


def hunks_of(plan: Plan, read: Read) -> tuple[ChangeHunks, ...]:
    """Gives the hunks of every change, in order; `Stale` where a file changed since the plan was made."""
    return tuple(hunks_of_change(plan, change, read) for change in plan.changes)


def hunks_of_change(plan: Plan, change: Change, read: Read) -> ChangeHunks:
    """Gives the hunks of one change; `Stale` where its file changed since the plan was made."""
    whole = next(_reasons(plan, change), "")
    if isinstance(change, Move):
        return ChangeHunks(change=change.n, path=change.path, hunks=(), whole=whole)
    try:
        before, after = sides_of(plan, change, read)
    except Refused as refusal:
        return ChangeHunks(change=change.n, path=change.path, hunks=(), whole=refusal.message)
    old, new = lines_of(before), lines_of(after)
    found = tuple(_hunk(change, hunk, old, new) for hunk in parts_between(old, new))
    return ChangeHunks(change=change.n, path=change.path, hunks=found, whole=whole if len(found) > 1 else "")


def _hunk(change: Change, hunk: LineHunk, old: Sequence[str], new: Sequence[str]) -> ChangeHunk:
    return ChangeHunk(
        change=change.n,
        number=hunk.number,
        path=change.path,
        left=hunk.left[0] + 1,
        right=hunk.right[0] + 1,
        removed=tuple(old[slice(*hunk.left)]),
        added=tuple(new[slice(*hunk.right)]),
    )


def sides_of(plan: Plan, change: Create | Append | Replace, read: Read) -> tuple[str, str]:
    """Gives the texts before and after a change, with earlier changes applied; `Stale`, or `Refused` for no UTF-8."""
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
    """Gives the named hunks by change: `2#1` or `2#1#3`; none for `2`, a whole change; `UsageError` for other names."""
    named: dict[int, frozenset[int]] = {}
    for name in names:
        if (parts := _NAME.fullmatch(name)) is None:
            raise UsageError("name a change, such as 2, or its hunks, such as 2#1 or 2#1#3", where=name[:40])
        change, hunks = int(parts["change"]), frozenset(int(hunk) for hunk in parts["hunks"].split("#") if hunk)
        earlier = named.get(change)
        named[change] = frozenset() if not hunks or earlier == frozenset() else hunks | (earlier or frozenset())
    return named
