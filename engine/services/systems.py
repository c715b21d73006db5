"""Lists the systems by name, in the order in which they are shown."""

from engine.errors import UsageError
from engine.plans.system_request import System
from engine.services import planners
from engine.services.planner import Planner

_DECLARED = {each.name: each for each in vars(planners).values() if isinstance(each, Planner)}
SYSTEMS: dict[str, Planner] = {name: _DECLARED[name] for name in System}


def find_system(name: str) -> Planner:
    """The system of that name; `UsageError` names those that exist."""
    if name not in SYSTEMS:
        raise UsageError("there is no such system", where=name, hint=f"one of: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
