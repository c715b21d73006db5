"""Lists the systems by name, in the order in which they are shown."""

from engine.errors import UsageError
from engine.services import planners
from engine.services.planner import Planner

SYSTEMS: dict[str, Planner] = {
    each.name: each
    for each in (
        planners.compact,
        planners.tree,
        planners.flush,
        planners.tune,
        planners.extract,
        planners.replay,
        planners.condense,
        planners.prune,
        planners.distill,
        planners.archive,
        planners.restore,
        planners.init,
        planners.branches,
        planners.share,
        planners.unshare,
        planners.feedback,
        planners.lint,
        planners.forget,
        planners.correct,
        planners.import_,
        planners.review,
    )
}


def find_system(name: str) -> Planner:
    """The system of that name; `UsageError` names those that exist."""
    if name not in SYSTEMS:
        raise UsageError("there is no such system", where=name, hint=f"one of: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
