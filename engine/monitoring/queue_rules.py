"""Applies the operator's rules for plans refused repeatedly: they refuse or snooze, and never approve."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from engine.errors import UsageError
from engine.monitoring.feedback import refusals, told_paths
from engine.monitoring.snooze import LONGEST
from engine.plans.plan import QueueEntry
from engine.state.database import StateDatabase
from engine.state.table import Instant, StateTable, Table

OFTEN = 3  # refusals from which on a plan is told as refused often
WITHIN = timedelta(days=90)  # the time in which they count
MOST_TIMES = 100  # plans that one rule may take
PlanKind = tuple[str, tuple[str, ...]]  # a system and the files that its plan would have changed


class QueueRule(msgspec.Struct, frozen=True):
    """Refuses or snoozes `left` more plans of one kind that nobody asked for, until the rule ends."""

    kind: PlanKind
    refuse: bool
    until: Instant
    left: int


class QueueRules:
    """The rules of one workspace."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.QUEUE_RULES)

    def all(self, now: datetime) -> Mapping[PlanKind, QueueRule]:
        """Gives the rules that have not ended."""
        return {one.kind: one for one in self._table.values(QueueRule).values() if one.left and one.until > now}

    def put(self, rule: QueueRule, now: datetime) -> None:
        """Stores a rule, or ends it if `left` is 0. Raises `UsageError` without an end within a year."""
        if not now < rule.until <= now + LONGEST or not 0 <= rule.left <= MOST_TIMES:
            raise UsageError("a rule takes 1 to 100 plans, and ends within a year", hint="--times 5 --until 30d")
        with self._table.change() as rows:
            rows.put("\n".join((rule.kind[0], *rule.kind[1])), msgspec.json.encode(rule))

    def take(self, entry: QueueEntry, now: datetime) -> QueueRule | None:
        """Returns the rule that applies to a plan, and counts the plan; None if there is none."""
        if (found := self.all(now).get((entry.system, told_paths(entry)))) is not None:
            found = replace(found, left=found.left - 1)
            self.put(found, now)
        return found


def refused_often(entries: Iterable[QueueEntry], now: datetime) -> Mapping[PlanKind, int]:
    """Returns the kinds of plans refused at least `OFTEN` times within 90 days, with the number."""
    counts = Counter((row.system, row.paths) for row in refusals(entries) if now - row.at <= WITHIN)
    return {kind: count for kind, count in counts.most_common() if count >= OFTEN}
