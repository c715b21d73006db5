"""The status as the JSON that CLI.md promises."""

from typing import Any

import msgspec

from engine.plans.status import Status


def status_json(status: Status) -> dict[str, Any]:
    """Every key of CLI.md §JSON, and more."""
    made: dict[str, Any] = msgspec.to_builtins(status)
    made["now"] = status.now.isoformat()
    for key in ("last", "until"):
        at = getattr(status.cooldown, key)
        made["cooldown"][key] = at.isoformat() if at is not None else None
    for job, due in zip(made["due"], status.due, strict=True):
        job["next_at"] = due.next_at.isoformat()
    return made
