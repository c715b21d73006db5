"""Notices plans that the operator did not ask for, for a badge and a toast."""

from collections.abc import Sequence

from engine.plans.plan import OPEN_STATES, QueueEntry
from tui.present.words import safe


class NewPlans:
    """Knows which plans the operator was told about."""

    def __init__(self) -> None:
        self._known: set[str] | None = None
        self.unseen: tuple[str, ...] = ()  # ids of new plans, until the operator looks at the queue

    @property
    def knows(self) -> bool:
        """Tells whether the queue was read before."""
        return self._known is not None

    def expect(self, plan_id: str) -> None:
        """Marks a plan as known, since the operator made it."""
        if self._known is not None:
            self._known.add(plan_id)

    def take(self, entries: Sequence[QueueEntry], *, looking: bool) -> tuple[QueueEntry, ...]:
        """Returns the new waiting plans; none for the first queue. `looking` counts them as viewed."""
        waiting = {entry.id: entry for entry in entries if entry.state in OPEN_STATES}
        self.unseen = () if looking else tuple(name for name in self.unseen if name in waiting)
        before, self._known = self._known, {entry.id for entry in entries} | (self._known or set())
        if before is None:
            return ()
        fresh = tuple(entry for name, entry in waiting.items() if name not in before)
        if not looking:
            self.unseen += tuple(entry.id for entry in fresh)
        return fresh

    def seen(self) -> None:
        self.unseen = ()


def words(fresh: Sequence[QueueEntry]) -> str:
    """Returns `p-20260315-0004 · compact · tier B`, and how many more there are."""
    first = fresh[0]
    more = f", and {len(fresh) - 1} more" if len(fresh) > 1 else ""
    return f"{safe(first.id)} · {safe(first.system)} · risk tier {first.risk_tier.value}{more}"
