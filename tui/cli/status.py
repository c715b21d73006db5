"""`status`: where the memory stands, what crossed a threshold, and what is due."""

from typing import Any

import click
import msgspec

from engine.plans.status import Status
from tui.cli.output import print_json, stdout
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_at
from tui.cli.status_text import print_status


@command("status", short_help="Memory tiers, triggers, tree, window, queue, degraded modes.")
@click.option("--at", metavar="DATE", help="The notes as they were then; queue and cooldown are not of then.")
def status_command(settings: Settings, at: str | None) -> None:
    """Shows the memory tiers against their thresholds, what fired, what is due, and what is degraded."""
    with open_at(settings, at) as console:
        with progress(settings) as tick:
            status = console.status.read(tick)
        if settings.json:
            print_json(status_json(status))
        else:
            print_status(stdout(settings.no_color), status)


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
