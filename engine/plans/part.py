"""A plan with some of its changes alone, counted from 1 again: pure."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from engine.plans.plan import Change, Plan


def part_of(plan: Plan, numbers: tuple[int, ...]) -> Plan:
    """Keeps these changes of a plan alone, counted from 1 again, with the inputs and questions that are about them."""
    if len(numbers) == len(plan.changes):
        return plan
    kept = [change for change in plan.changes if change.n in numbers]
    number = {change.n: new for new, change in enumerate(kept, start=1)}
    part = msgspec.structs.replace(
        plan,
        changes=_renumbered(kept, number),
        confirmations=tuple(
            msgspec.structs.replace(one, changes=tuple(number[n] for n in one.changes if n in number))
            for one in plan.confirmations_of(numbers)
        ),
    )
    part = msgspec.structs.replace(part, facts={key: _rows(value, number) for key, value in plan.facts.items()})
    about = part.targets() | {span.path for change in kept for span in change.sources}
    return msgspec.structs.replace(part, inputs=tuple(item for item in plan.inputs if item.path in about))


def _rows(value: Any, number: Mapping[int, int]) -> Any:
    """Gives the rows of a fact that are about changes, by their new numbers. Those about one that is left out go, but
    for what may wait: that waits."""
    if not isinstance(value, list | tuple) or not all(isinstance(row, dict) for row in value):
        return value
    return [new for row in value if (new := _row(row, number)) is not None]


def _row(row: dict[str, Any], number: Mapping[int, int]) -> dict[str, Any] | None:
    change = row.get("change")
    if not isinstance(change, int):
        return row
    if change in number:
        return row | {"change": number[change]}
    return row | {"change": None, "waits": "it was refused"} if "waits" in row else None


def _renumbered(kept: Iterable[Change], number: Mapping[int, int]) -> tuple[Change, ...]:
    return tuple(
        msgspec.structs.replace(
            change,
            n=number[change.n],
            requires=tuple(number[n] for n in change.requires if n in number),
            requires_any=tuple(number[n] for n in change.requires_any if n in number),
        )
        for change in kept
    )
