"""A plan with some of its changes alone, counted from 1 again: pure."""

from collections.abc import Iterable, Mapping

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
    about = part.targets() | {span.path for change in kept for span in change.sources}
    return msgspec.structs.replace(part, inputs=tuple(item for item in plan.inputs if item.path in about))


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
