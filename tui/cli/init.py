"""`init`: the folders, git settings and hooks that a workspace lacks, as a plan."""

import click

from engine.plans.planning import PlanRequest
from tui.cli.plan_outcome import print_outcome
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console


@command("init", short_help="Prepares a workspace: folders, git settings, hooks; as a plan.")
@click.argument("folder", required=False, metavar="[DIR]")
@click.option("--private", is_flag=True, help="Also encrypt the policy's private folders in git, by git-crypt.")
def init_command(settings: Settings, folder: str | None, private: bool) -> None:
    """Puts a plan into the queue that adds what a workspace lacks: folders, git settings, scripts and git hooks.

    Nothing that is there changes. DIR must be there; `mkdir` makes it. Applying the plan begins a git repository
    where there is none.

    With --private the folders of the policy's `git.private` are encrypted in git by your own git-crypt: applying the
    plan makes its key, then adds the lines to `.gitattributes`.
    """
    if folder is not None:
        settings.workspace = folder
    with open_console(settings) as console:
        with progress(settings) as tick:
            outcome = console.plans.make("init", PlanRequest(private=private, tick=tick))
        print_outcome(settings, console, "init", outcome)
