"""Work that does not end, and things that go wrong."""

from collections.abc import Callable

import msgspec

from engine.errors import Damaged, MemdeckError
from engine.models.model_task import CostEstimate
from engine.plans.memory_status import Alarm
from tests.gallery.engines.queues import one_of_tier_c
from tests.gallery.engines.stage_engine import StageEngine
from tests.values import append_plan, tree_plan


def held(make: Callable[[], StageEngine]) -> Callable[[], StageEngine]:
    """Long work does not end."""

    def opened() -> StageEngine:
        engine = make()
        engine.stub.waits("plans.make", "summarising")
        engine.stub.waits("plans.apply", "writing")
        return engine

    return opened


def slow_reading() -> StageEngine:
    engine = StageEngine()
    engine.stub.waits("status.read", "reading notes")
    return engine


LOSS = Alarm(
    id="loss",
    path="MEMORY.md",
    detail="lost 239 of 242 entries, between 2026-03-15 01:10 and 2026-03-15 02:31 UTC, by whom is not known",
    fix="memdeck revert MEMORY.md reverts it; memdeck changes --accept MEMORY.md keeps it",
)
FALLING = Alarm(
    id="falling",
    path="CLAUDE.md",
    detail="Claude Code does not load 31 lines, from line 201 on",
    fix="memdeck load names them",
)


def lost() -> StageEngine:
    """A file that agents always load was overwritten."""
    engine = StageEngine()
    engine.stub.alters("status.read", lambda status: msgspec.structs.replace(status, alarms=(LOSS, FALLING)))
    return engine


def unreadable() -> StageEngine:
    engine = StageEngine()
    refused = Damaged("permission denied", where="memory/working", hint="give yourself the right to read it")
    engine.stub.fails("status.read", refused)
    return engine


def unreadable_plan() -> StageEngine:
    engine = StageEngine([append_plan(2)])
    where = "plans/p-20260315-0002.json"
    hint = "reject it, then plan again"
    engine.stub.fails("plans.load", Damaged("the plan file is not the one that was queued", where=where, hint=hint))
    return engine


def crashing() -> StageEngine:
    engine = StageEngine()
    engine.stub.fails("plans.make", ValueError("an error that nobody foresaw \x1b[2J"))
    return engine


def disk_full() -> StageEngine:
    engine = one_of_tier_c()
    full = MemdeckError("no space left on the disk", where="memory/semantic/openclaw.md", hint="free some room")
    engine.stub.fails("plans.apply", full)
    return engine


def nothing_there() -> StageEngine:
    """Opening the workspace fails."""
    raise MemdeckError("there is no such folder", where="/home/ana/agents/silas", hint="memdeck DIR names another")


def two_systems() -> StageEngine:
    engine = StageEngine([tree_plan(3), append_plan(2)])
    both = (("compact", "working → episodic → semantic"), ("tree", "raw → day → week → month → ROOT"))
    engine.stub.gives("plans.systems", both)
    return engine


def priced() -> StageEngine:
    """A dry run that would ask Claude."""
    engine = StageEngine([tree_plan(3)])
    engine.stub.gives("plans.estimate", CostEstimate(calls=12, input=9_000, output=6_000, usd=0.039, cap=0.5))
    return engine
