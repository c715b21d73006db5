"""Selects the files that a compaction may take: whole days, strictly older than the limit (decision A4)."""

from collections.abc import Iterable
from datetime import date

import msgspec

from engine.plans.policy.values import TierLimits
from engine.workspace.values import FileFacts

NEVER_YOUNGER_THAN = 7
"""Days. Whatever the policy says (compactor §Safety Constraints)."""


class AgedFile(msgspec.Struct, frozen=True):
    """A file that may be taken, and its age in whole days."""

    facts: FileFacts
    age: int


def eligible(files: Iterable[FileFacts], limits: TierLimits, today: date) -> tuple[AgedFile, ...]:
    """The files older than the tier's limit, oldest first, then by path. A future date counts as age 0 (G8)."""
    aged = [AgedFile(facts, facts.date.age_days(today)) for facts in files]
    # Strictly older than 7 or 30 days (decision A4); no policy makes a note of its first week eligible.
    old = [file for file in aged if file.age > limits.eligible_days and file.age >= NEVER_YOUNGER_THAN]
    # A stable order: the same files give the same plan, and with it the same digest (decision G17).
    return tuple(sorted(old, key=lambda file: (file.facts.date.day, file.facts.path)))


def next_eligible(files: Iterable[FileFacts], limits: TierLimits) -> date | None:
    """The first day on which one of these files may be taken; None where there is none."""
    days = max(limits.eligible_days + 1, NEVER_YOUNGER_THAN)
    first = min((facts.date.day for facts in files), default=None)
    if first is None or first.toordinal() + days > date.max.toordinal():
        return None
    return date.fromordinal(first.toordinal() + days)


def future_dated(files: Iterable[FileFacts], today: date) -> tuple[FileFacts, ...]:
    """The files that claim a day after `today`."""
    return tuple(facts for facts in files if facts.date.is_future(today))
