"""Pruning for a program that runs an agent: each method queues a plan, and none of them moves a file (§8.5, §9.2)."""

import asyncio

from engine.lifecycle.prune.request import PrunePart, PruneRequest
from engine.plans.planning import PlanRequest
from engine.plans.status import PlanOutcome
from engine.services.engine import Engine


class MemoryPruner:
    """Plans what goes to the archive. The operator approves it, or it stays where it is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def prune_memory(self) -> PlanOutcome:
        """Queues the entries of MEMORY.md that make room below its cap, or says why none has to go."""
        return await self._planned(PrunePart.MEMORY)

    async def prune_journals(self) -> PlanOutcome:
        """Queues the journals older than the retention, 90 days, or says that there are none."""
        return await self._planned(PrunePart.JOURNALS)

    async def score_and_evict(self) -> PlanOutcome:
        """Queues the knowledge files that nothing refers to and whose score is too low, or says that there are none."""
        return await self._planned(PrunePart.FILES)

    async def _planned(self, part: PrunePart) -> PlanOutcome:
        return await asyncio.to_thread(
            self._engine.plans.make, "prune", PlanRequest(PruneRequest((part,)), unattended=True)
        )
