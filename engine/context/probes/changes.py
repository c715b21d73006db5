"""Tells what becomes of the probes under a plan: kept, lost or gained, as a check on the plan and as its warnings."""

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.context.probes.probe import ProbeChange, ProbeOutcome
from engine.plans.annotation import ProbeNote

_SHORT = 80
"""Characters of a question in a warning."""
_BLOCKING = (ProbeOutcome.LOST, ProbeOutcome.UNKNOWN)
"""Outcomes that block: a probe that could not be asked may be lost."""


def probe_note(changes: Sequence[ProbeChange], *, block: bool) -> ProbeNote:
    """Notes the outcomes on a plan. With `block` a loss among the operator's own probes fails the check.

    A probe of the workspace never blocks: the agent can write one.
    """
    blocking = [one for one in changes if one.probe.own and one.outcome in _BLOCKING]
    return ProbeNote(
        passed=not (block and blocking),
        detail=outcome_counts(changes),
        warnings=tuple(_warnings(changes)),
        facts=tuple(_fact(one) for one in changes),
    )


def outcome_counts(changes: Sequence[ProbeChange]) -> str:
    """`12 kept, 1 lost, 1 gained`."""
    counts = Counter(one.outcome for one in changes)
    return ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in ProbeOutcome if counts[outcome])


def _warnings(changes: Sequence[ProbeChange]) -> Iterator[str]:
    for one in changes:
        question = one.probe.question
        short = question if len(question) <= _SHORT else f"{question[: _SHORT - 1]}…"
        if one.outcome is ProbeOutcome.LOST:
            yield f"lost: {short!r} in {one.probe.where.value}, {one.probe.source}"
        elif one.outcome is ProbeOutcome.UNKNOWN:
            yield f"not asked: {short!r}: {one.after.problem or one.before.problem}"


def _fact(change: ProbeChange) -> dict[str, str]:
    probe = change.probe
    return {
        "outcome": change.outcome.value,
        "question": probe.question,
        "expect": probe.expect,
        "not": probe.absent,
        "where": probe.where.value,
        "source": probe.source,
    }
