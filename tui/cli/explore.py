"""`explore`: a branch and a folder of its own in which an agent tries something; without NAME those there are."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.cli.output import Styled, print_json, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.words import age, noun, safe

if TYPE_CHECKING:
    from engine.history.explorations import Exploration
    from engine.services.engine import Engine


@command("explore", short_help="A branch and folder of its own, to try something; or those there are.")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--at", "folder", metavar="FOLDER", help="The new folder; otherwise NAME in WORKSPACE-explore.")
def explore_command(settings: Settings, name: str | None, folder: str | None) -> None:
    """Begins the branch explore/NAME at what is committed, in a new folder beside the workspace. Without NAME lists.

    Nothing of the workspace's files changes. After seven days it is reported; `memdeck plan branches` ends it as a plan
    that leaves a tag.
    """
    with open_console(settings) as console:
        if name is None:
            _print_all(settings, console)
            return
        made = console.repository.explore(name, Path(folder).expanduser().absolute() if folder is not None else None)
    if settings.json:
        print_json(made)
        return
    printer = stdout(settings.no_color)
    printer.line(f"branch {made.branch} at {made.commit[:12]} in {safe(made.folder)}")
    if made.left_out:
        printer.line(Styled(f"not laid out: {noun(len(made.left_out), 'file')}, {safe(made.left_out[0])}", fg="yellow"))
    printer.line(f"look at it: memdeck {safe(made.folder)} · end it: memdeck plan branches --take {safe(name)}")


def _print_all(settings: Settings, console: "Engine") -> None:
    found = console.repository.explorations()
    if settings.json:
        print_json(found)
        return
    printer = stdout(settings.no_color)
    printer.table([_row(console, one) for one in found])
    if not found:
        printer.line("no exploration · memdeck explore NAME begins one")
    elif any(one.is_old(console.now()) for one in found):
        printer.line("older than a week: memdeck plan branches ends them, and leaves a tag of each")


def _row(console: "Engine", one: "Exploration") -> list[Styled]:
    old = one.is_old(console.now())
    since = age(one.begun, console.now())
    place = safe(one.folder) if one.folder else "no folder"
    return [
        Styled(safe(one.branch), bold=True),
        Styled(since, fg="yellow" if old else None),
        Styled(one.commit[:12]),
        Styled(place, dim=True),
    ]
