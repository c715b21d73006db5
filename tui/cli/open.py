"""`memdeck [DIR]`: opens the console, where there is a terminal that can show one."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import click

from engine.errors import Refused, UsageError
from tui.cli.settings import Settings, command, open_console


@command("open", short_help="Opens the console (the default).")
@click.argument("folder", required=False, metavar="[DIR]")
def open_command(settings: Settings, folder: str | None = None) -> None:
    """Opens the console on DIR, or on the workspace that `-w` names."""
    if settings.json:
        raise UsageError("--json belongs to a command", hint="like `memdeck status --json`")
    if folder is not None and settings.workspace is not None and Path(folder) != Path(settings.workspace):
        raise UsageError(f"two workspaces: {folder!r} and {settings.workspace!r}", hint="give one of them")
    run_console_on(settings, folder if folder is not None else settings.workspace)


def run_console_on(settings: Settings, folder: str | None) -> None:
    """Runs the console until the operator leaves it; `Refused` without a terminal."""
    refuse_without_terminal()
    with open_console(replace(settings, workspace=folder)) as console:
        from tui.app import run_console

        run_console(console, read_only=settings.read_only)


def refuse_without_terminal() -> None:
    """The console needs a terminal that can move its cursor; the commands need none."""
    hint = "use the commands: memdeck status, plan, queue, show"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refused("the console needs a terminal, and there is none", hint=hint)
    if os.environ.get("TERM", "dumb") == "dumb":
        raise Refused("the console needs a terminal that can move its cursor, and TERM says it cannot", hint=hint)
