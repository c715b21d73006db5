"""The systems by name, in the order in which they are shown."""

from collections.abc import Iterable
from typing import Any

from engine.errors import UsageError
from engine.plans.system_request import System, schema_of
from engine.services import planners
from engine.services.planner import Planner

_DECLARED = {each.name: each for each in vars(planners).values() if isinstance(each, Planner)}
SYSTEMS: dict[str, Planner] = {name: _DECLARED[name] for name in System}


def described(names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Describes systems, by default all, for a program: name, title, job, command and options."""
    return [
        {
            "system": planner.name,
            "does": planner.title,
            "job": planner.job,
            "command": planner.usage or f"memdeck plan {planner.name}",
            "options": schema_of(planner.asked),
        }
        for planner in map(SYSTEMS.__getitem__, SYSTEMS if names is None else names)
    ]


def find_system(name: str) -> Planner:
    """Gives the system with this name; `UsageError` names the existing ones."""
    if name not in SYSTEMS:
        raise UsageError("there is no such system", where=name, hint=f"one of: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
