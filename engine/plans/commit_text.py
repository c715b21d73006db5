"""The message of the commit that a plan becomes: its subject, and its changes with their reasons."""

from collections.abc import Iterator, Sequence

from engine.plans.plan import Move, Plan

FACT = "commit"
"""The key of the plan's facts under which a model's sentences about its diff are."""
MOST_LINES = 20


def commit_message(plan: Plan, numbers: Sequence[int]) -> str:
    """Subject and body for some changes of a plan; what a model wrote of all of them is not said of a part."""
    first = subject(plan, numbers)
    said = plan.facts.get(FACT) if len(numbers) == len(plan.changes) else None
    body = [str(line) for line in said] if isinstance(said, list) else list(_reasons(plan, set(numbers)))
    return "\n".join((first, "", *(f"- {' '.join(line.split())}" for line in body)))


def subject(plan: Plan, numbers: Sequence[int]) -> str:
    """The first line of the commit of an apply: `maintenance: compact, 1 change (manual)` (decision D22)."""
    count = "1 change" if len(numbers) == 1 else f"{len(numbers)} changes"
    return f"maintenance: {plan.system}, {count} ({plan.trigger})"


def _reasons(plan: Plan, numbers: set[int]) -> Iterator[str]:
    chosen = [change for change in plan.changes if change.n in numbers]
    for change in chosen[:MOST_LINES]:
        to = f" → {change.to}" if isinstance(change, Move) else ""
        yield f"{change.path}{to}: {change.reason}"
    if len(chosen) > MOST_LINES:
        yield f"and {len(chosen) - MOST_LINES:,} more"
