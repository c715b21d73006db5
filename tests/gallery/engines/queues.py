"""Queues: plans of each tier, many of them, in every state, put off."""

from datetime import timedelta

import msgspec

from engine.plans.plan import PlanState
from tests.gallery.engines.stage_engine import StageEngine
from tests.tui.compiled import a_window
from tests.values import NOW, append_plan, compaction, entry_of, make_plan, tree_plan


def three_plans() -> StageEngine:
    """A plan of each risk tier."""
    return StageEngine([tree_plan(3), append_plan(2), compaction(1)])


def followed() -> StageEngine:
    """Two followed sessions, one near its limit, which the status stands for."""
    engine = three_plans()
    engine.stub.gives("windows.sessions", (a_window(), a_window("4f2c-9d1e", turns=400, step=290, cut_at=180)))
    window = {
        "tokens": 181_000,
        "limit": 200_000,
        "band": "compact",
        "sessions": 2,
        "session": "s-1",
        "model": "claude-sonnet-4-5",
        "estimated": False,
        "next": {"band": "emergency", "tokens": 195_000, "turns": 12},
    }
    engine.status = msgspec.structs.replace(engine.status, window=window)
    return engine


def one_of_tier_c() -> StageEngine:
    return StageEngine([append_plan(2)])


def batch() -> StageEngine:
    """Three plans that can be approved together, and one that cannot."""
    unasked = msgspec.structs.replace(compaction(4, 5, first=13), confirmations=())
    return StageEngine([tree_plan(3), append_plan(2), compaction(1), unasked])


def several_entries() -> StageEngine:
    """A plan whose first change is no entry, and two others are."""
    move = compaction(2, 1).changes[0]
    entries = [msgspec.structs.replace(append_plan(2).changes[0], n=n) for n in (2, 3)]
    return StageEngine([make_plan(2, [move, *entries], system="semantic", trigger="episodic_age"), tree_plan(3)])


_STATES = tuple(PlanState)
_REASONS = {
    PlanState.STALE: "memory/working/2026-03-02-deploy.md changed after the plan was made",
    PlanState.SUPERSEDED: "p-20260315-0104 takes its place",
    PlanState.REJECTED: "not this week, Ana wants to read it first",
    PlanState.CONFLICT: "memory/episodic/2026-03-02-deploy.md was changed by someone else while it was written",
    PlanState.PARTIAL: "7 of 12 changes were made, then the disk was full",
}


def every_state() -> StageEngine:
    """A plan in each state there is: `plan(state_number(state))` shows it."""
    plans = [compaction(n, 3) if n % 3 else append_plan(n) for n in range(1, len(_STATES) + 1)]
    engine = StageEngine()
    engine.queue_of(
        plans,
        [
            msgspec.structs.replace(entry_of(made, state), state_reason=_REASONS.get(state, ""), state_since=NOW)
            for made, state in zip(plans, _STATES, strict=True)
        ],
    )
    return engine


def state_number(state: PlanState) -> int:
    return _STATES.index(state) + 1


def ten_thousand() -> StageEngine:
    """A queue longer than any screen."""
    engine, plans = StageEngine(), [tree_plan(3), append_plan(2), compaction(1)]
    bases, entries = list(map(entry_of, plans)), list(map(entry_of, plans))
    for number in range(10, 10_010):
        state = PlanState.PENDING if number % 9 else PlanState.STALE
        more = {"id": f"p-20260315-{number:05}", "made_at": NOW - timedelta(minutes=7 * number), "state": state}
        entries.append(msgspec.structs.replace(bases[number % 3], **more))
        plans.append(msgspec.structs.replace(plans[number % 3], id=more["id"]))
    engine.queue_of(plans, entries)
    return engine


def put_off() -> StageEngine:
    """One plan is put off until tomorrow."""
    engine = three_plans()
    engine.engine.queue.snooze("p-20260315-0002", NOW + timedelta(days=1))
    return engine
