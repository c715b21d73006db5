"""Condensing for a program that runs an agent: each method queues plans, and none of them writes (§8.4, §9.2)."""

import asyncio

from engine.lifecycle.condense.request import CondensePart, CondenseRequest
from engine.lifecycle.prune.request import PrunePart, PruneRequest
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
        return await self._planned("condense", CondenseRequest(only=(CondensePart.DAILY,)))

    async def weekly_rollup(self) -> PlanOutcome:
        """Queues the decisions and lessons of the last whole week for MEMORY.md, or says that it has them."""
        return await self._planned("condense", CondenseRequest(only=(CondensePart.WEEKLY,)))

    async def monthly_distillation(self) -> tuple[PlanOutcome, ...]:
        """Queues the monthly review: old journals, projects and people nobody touched, MEMORY.md below its cap."""
        journals = await self._planned("prune", PruneRequest((PrunePart.JOURNALS,)))
        return journals, await self._planned("distill"), await self._planned("prune", PruneRequest((PrunePart.MEMORY,)))

    async def _planned(self, system: str, asked: SystemRequest | None = None) -> PlanOutcome:
        return await asyncio.to_thread(self._engine.plans.make, system, PlanRequest(asked, unattended=True))
