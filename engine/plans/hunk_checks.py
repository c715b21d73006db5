"""Tells which changes of a plan stand or fall as a whole, and makes the plan checks of the others again."""

from collections.abc import Callable, Iterator, Mapping

from engine.errors import MemdeckError
from engine.plans.annotation import PROBES
from engine.plans.git_places import in_git
from engine.plans.hook_rules import GATE as HOOKS
from engine.plans.plan import Change, Create, Move, Plan, QualityGate, Replace

Read = Callable[[str], bytes]
_ADDED_LATER = frozenset({PROBES, HOOKS})
"""The checks that every plan gets on its way into the queue."""
_OF_ALL: Mapping[str, str] = {
    "account": "it says of every entry what becomes of it, and would not add up",
    "coverage": "what goes to the archive must stand whole in what is written",
    "integrity": "it compares each file, whole, with what it was",
    "word_for_word": "each entry must stand in exactly one file",
    "quotes": "entries are named in the plan's records with their turns",
    "not_worse": "it was measured with the whole change",
}


def why_whole(plan: Plan, change: Change) -> str:
    """Says why no hunk of a change can be refused by itself; empty where each can."""
    return next(_reasons(plan, change), "")


def _reasons(plan: Plan, change: Change) -> Iterator[str]:
    if isinstance(change, Move):
        yield "it is moved as it is"
    if in_git(change.path):
        yield "git reads this file as a whole"
    for other in plan.changes:
        if other.n != change.n and other.path == change.path:
            yield f"change {other.n} is of the same file"
    for gate in plan.gates:
        if gate.id not in _AGAIN and gate.id not in _ADDED_LATER:
            yield f"the plan check {gate.id}: {_OF_ALL.get(gate.id, 'it was made of the whole plan')}"


def checks_again(plan: Plan, read: Read) -> tuple[QualityGate, ...]:
    """Makes the checks of a plan's planner again of what is left of the plan. Those of whole changes hold of
    what stands together; the queue makes those that it adds."""
    return tuple(
        _AGAIN.get(gate.id, _of_each_hunk)(plan, read, gate) for gate in plan.gates if gate.id not in _ADDED_LATER
    )


def _of_each_hunk(_plan: Plan, _read: Read, gate: QualityGate) -> QualityGate:
    """It was made of each hunk, or of changes that stay whole, and holds of those that are left."""
    return gate


def _new_files_only(plan: Plan, _read: Read, gate: QualityGate) -> QualityGate:
    others = [change.path for change in plan.changes if not isinstance(change, Create)]
    return QualityGate(gate.id, not others, f"{others[0]}: is there already" if others else gate.detail)


def _lines(plan: Plan, read: Read, gate: QualityGate) -> QualityGate:
    """Checks that a fix of a form replaces lines, one by one."""
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
"""The checks of planners that are made again, by their ids; every other one ties a plan's hunks together."""
