"""`review`: what changed between two folders, as a plan with an account of every entry."""

import click

from tui.cli.plan_outcome import print_outcome
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console
from tui.system.given_path import given_path


@command("review", short_help="What changed between two folders, as a plan.")
@click.argument("before")
@click.argument("after")
def review_command(settings: Settings, before: str, after: str) -> None:
    """Compares the notes of two folders, and queues a plan that brings what changed into the workspace.

    Paths below BEFORE and AFTER are those of the workspace. Its own lines stay where they do not overlap; a note that
    AFTER has no more goes to the archive. Each entry of BEFORE is kept, merged, archived or omitted; junk is named.
    """
    from engine.plans.planning import FolderRequest, PlanRequest

    with open_console(settings) as console:
        with progress(settings) as tick:
            request = PlanRequest(folders=FolderRequest(str(given_path(before)), str(given_path(after))), tick=tick)
            outcome = console.plans.make("review", request)
        print_outcome(settings, console, "review", outcome)
