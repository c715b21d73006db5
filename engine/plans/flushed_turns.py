"""Reads from a plan the turns of sessions that it saves: no two flushes save the same ones (decision B18)."""

from engine.plans.plan import Plan

FLUSH = "flush"
"""The system that saves turns of sessions."""


def flushed_turns(plan: Plan) -> dict[str, tuple[int, int]]:
    """Gives the first and last turn of each session that a flush saves, by source; none for another system's plan."""
    listed = plan.facts.get("sessions") if plan.system == FLUSH else None
    rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {
        str(one["source"]): (int(one["first"]), int(one["last"])) for one in rows if {"first", "last"} <= one.keys()
    }


def saves_all(plan: Plan, old: Plan) -> bool:
    """Tells whether a flush saves every turn that an older one does, in whichever day's log."""
    turns, saved = flushed_turns(old), flushed_turns(plan)
    return bool(turns) and all(
        source in saved and saved[source][0] <= first and saved[source][1] >= last
        for source, (first, last) in turns.items()
    )
