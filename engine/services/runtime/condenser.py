"""Condensing and pruning for a program that runs an agent: each method queues plans, and none writes or moves a file
(§8.4, §8.5, §9.2)."""

import asyncio

from engine.lifecycle.requests import CondensePart, CondenseRequest, PrunePart, PruneRequest
from engine.plans.planning import PlanRequest
from engine.plans.status import PlanOutcome
from engine.plans.system_request import SystemRequest
from engine.services.engine import Engine


class MemoryCondenser:
    """Plans what goes into journals and MEMORY.md. The operator approves it, or it stays out."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def daily_summary(self) -> PlanOutcome:
        """Queues the journals of days whose closed transcripts they do not tell of, or says that there are none."""
        return await _planned(self._engine, "condense", CondenseRequest(only=(CondensePart.DAILY,)))

    async def weekly_rollup(self) -> PlanOutcome:
        """Queues the decisions and lessons of the last whole week for MEMORY.md, or says that it has them."""
        return await _planned(self._engine, "condense", CondenseRequest(only=(CondensePart.WEEKLY,)))

    async def monthly_distillation(self) -> tuple[PlanOutcome, ...]:
        """Queues the monthly review: old journals, projects and people nobody touched, MEMORY.md below its cap."""
        journals = await _pruned(self._engine, PrunePart.JOURNALS)
        return journals, await _planned(self._engine, "distill"), await _pruned(self._engine, PrunePart.MEMORY)


class MemoryPruner:
    """Plans what goes to the archive. The operator approves it, or it stays where it is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def prune_memory(self) -> PlanOutcome:
        """Queues the entries of MEMORY.md that make room below its cap, or says why none has to go."""
        return await _pruned(self._engine, PrunePart.MEMORY)

    async def prune_journals(self) -> PlanOutcome:
        """Queues the journals older than the retention, 90 days, or says that there are none."""
        return await _pruned(self._engine, PrunePart.JOURNALS)

    async def score_and_evict(self) -> PlanOutcome:
        """Queues the knowledge files that nothing refers to and whose score is too low, or says that there are none."""
        return await _pruned(self._engine, PrunePart.FILES)


async def _pruned(engine: Engine, part: PrunePart) -> PlanOutcome:
    return await _planned(engine, "prune", PruneRequest((part,)))


async def _planned(engine: Engine, system: str, asked: SystemRequest | None = None) -> PlanOutcome:
    return await asyncio.to_thread(engine.plans.make, system, PlanRequest(asked, unattended=True))
