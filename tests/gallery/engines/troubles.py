"""Work that does not end, and things that go wrong."""

from collections.abc import Callable
from threading import Event

from engine.errors import Damaged, MemdeckError
from engine.models.estimate import CostEstimate
from engine.plans.plan import Plan
from engine.plans.status import PlanOutcome, Status
from engine.workspace.values import Tick
from tests.gallery.engines.queues import one_of_tier_c
from tests.gallery.engines.stage_engine import StageEngine
from tests.values import append_plan, tree_plan


def held(make: Callable[[], StageEngine]) -> Callable[[], StageEngine]:
    """Long work does not end."""

    def opened() -> StageEngine:
        engine = make()
        engine.hold = Event()
        return engine

    return opened


class _SlowReading(StageEngine):
    def status(self, tick: Tick | None = None) -> Status:
        self._work("reading notes", tick)
        return super().status(tick)


slow_reading = held(_SlowReading)


class _Unreadable(StageEngine):
    def status(self, tick: Tick | None = None) -> Status:
        raise Damaged("permission denied", where="memory/working", hint="give yourself the right to read it")


def unreadable() -> StageEngine:
    return _Unreadable()


class _BadPlan(StageEngine):
    def load_plan(self, plan_id: str) -> Plan:
        where = f"plans/{plan_id}.json"
        raise Damaged("the plan file is not the one that was queued", where=where, hint="reject it, then plan again")


def unreadable_plan() -> StageEngine:
    return _BadPlan([append_plan(2)])


class _Crashing(StageEngine):
    def plan(self, system: str, request: object = None) -> PlanOutcome:
        raise ValueError("an error that nobody foresaw \x1b[2J")


def crashing() -> StageEngine:
    return _Crashing()


def disk_full() -> StageEngine:
    engine = one_of_tier_c()
    engine.fails = MemdeckError("no space left on the disk", where="memory/semantic/openclaw.md", hint="free some room")
    return engine


def nothing_there() -> StageEngine:
    """Opening the workspace fails."""
    raise MemdeckError("there is no such folder", where="/home/ana/agents/silas", hint="memdeck DIR names another")


def two_systems() -> StageEngine:
    class Both(StageEngine):
        def systems(self, *, named: bool = False) -> tuple[tuple[str, str], ...]:
            return (("compact", "working → episodic → semantic"), ("tree", "raw → day → week → month → ROOT"))

    return Both([tree_plan(3), append_plan(2)])


def priced() -> StageEngine:
    """A dry run that would ask Claude."""
    engine = StageEngine([tree_plan(3)])
    engine.price = CostEstimate(calls=12, input=9_000, output=6_000, usd=0.039, cap=0.5)
    return engine
