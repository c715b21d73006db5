"""Marks some changes of a plan together with the changes that they require."""

from itertools import chain
from typing import NamedTuple

from engine.plans.plan import Plan

_COMES = ("is required by this one: marked too", "are required by this one: marked too")
_LEAVES = ("requires this one: unmarked too", "require this one: unmarked too")


class Marked(NamedTuple):
    """The marks after a key press, and which other marks changed with it, in words (empty if there is none)."""

    marks: frozenset[int]
    explanation: str


def toggle(plan: Plan, marks: frozenset[int], number: int) -> Marked:
    """Marks change `number` and all that it requires, or unmarks it and all that require it."""
    if number in marks:
        left = _without_the_lacking(plan, marks - {number})
        return Marked(left, _words(marks - left - {number}, *_LEAVES))
    taken = _with_what_lacks(plan, marks | {number})
    return Marked(taken, _words(taken - marks - {number}, *_COMES))


def chosen(plan: Plan, marks: frozenset[int]) -> tuple[int, ...]:
    """Returns the numbers that an approval would cover: the marked changes, or all if none is marked."""
    return tuple(change.n for change in plan.changes if not marks or change.n in marks)


def _with_what_lacks(plan: Plan, marks: frozenset[int]) -> frozenset[int]:
    while lacking := frozenset(chain.from_iterable(plan.missing_requirements(tuple(marks)).values())) - marks:
        marks |= lacking
    return marks


def _without_the_lacking(plan: Plan, marks: frozenset[int]) -> frozenset[int]:
    while lacking := plan.missing_requirements(tuple(marks)).keys():
        marks -= lacking
    return marks


def _words(numbers: frozenset[int], single: str, several: str) -> str:
    """Returns `change 3 is required by this one: marked too`."""
    if not numbers:
        return ""
    listed = ", ".join(str(n) for n in sorted(numbers)[:6]) + ("…" if len(numbers) > 6 else "")
    return f"change {listed} {single}" if len(numbers) == 1 else f"changes {listed} {several}"
