"""Marking some changes of a plan: a change takes along what it requires, and leaves with it."""

from typing import NamedTuple

from engine.plans.plan import Plan
from tui.viewmodels.wording import noun


class Marked(NamedTuple):
    """The marks after a key press, and what else changed with them, in words (empty: nothing else)."""

    marks: frozenset[int]
    explanation: str


def toggle(plan: Plan, marks: frozenset[int], number: int) -> Marked:
    """Marks change `number` and all it requires, or unmarks it and all that require it."""
    if number in marks:
        also = _closure(number, _dependents(plan)) & marks
        return Marked(marks - also - {number}, _words(also - {number}, "unmarked too, it cannot go without"))
    also = _closure(number, {change.n: change.requires for change in plan.changes})
    return Marked(marks | also | {number}, _words(also - marks - {number}, "marked too, this change requires it"))


def chosen(plan: Plan, marks: frozenset[int]) -> tuple[int, ...]:
    """The numbers an approval would cover: the marked ones, or all of them where none is marked."""
    return tuple(change.n for change in plan.changes if not marks or change.n in marks)


def _dependents(plan: Plan) -> dict[int, tuple[int, ...]]:
    numbers = [change.n for change in plan.changes]
    return {n: tuple(change.n for change in plan.changes if n in change.requires) for n in numbers}


def _closure(number: int, edges: dict[int, tuple[int, ...]]) -> frozenset[int]:
    reached: set[int] = set()
    waiting = [number]
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return frozenset(reached)


def _words(numbers: frozenset[int], why: str) -> str:
    if not numbers:
        return ""
    listed = ", ".join(str(n) for n in sorted(numbers)[:6]) + ("…" if len(numbers) > 6 else "")
    return f"{noun(len(numbers), 'change')} ({listed}) {why}"
