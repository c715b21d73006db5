"""`share` and `explore`: knowledge of other repositories, folders for sub-agents, and a branch to try something in."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.errors import UsageError
from tui.cli.output import Styled, print_json, stdout
from tui.cli.plan_json import print_outcome
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console
from tui.present.words import age, noun, safe

if TYPE_CHECKING:
    from engine.history.explorations import Exploration
    from engine.services.engine import Engine
    from engine.services.shares import SharedStatus

DOES = ("add", "update", "remove", "sparse")


@command("share", short_help="Shared knowledge of other repositories; folders for sub-agents.")
@click.argument("does", required=False, metavar="[add|update|remove|sparse]")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--only", multiple=True, metavar="DIR", help="For sparse: a folder of the workspace; may come again.")
@click.option("--at", "folder", metavar="FOLDER", help="For sparse: the new folder; else NAME in WORKSPACE-agents.")
def share_command(
    settings: Settings, does: str | None, name: str | None, only: tuple[str, ...], folder: str | None
) -> None:
    """Lists shared knowledge: the address, the pinned commit, and the commit that was fetched last.

    `add NAME` and `update [NAME]` fetch from the address that git.shared of your policy gives, and queue a plan with
    every changed line; applying it pins the commit as a submodule in knowledge/shared/NAME. `remove NAME` queues a plan
    that archives the notes and removes the pin. Nothing of the other repository is executed.

    `sparse NAME --only DIR` makes a folder for a sub-agent with those folders as they are committed, never a private
    one: a repository of its own. `memdeck review` turns what it changed there into a plan; to remove it, delete it.
    """
    if does is not None and does not in DOES:
        raise UsageError("share does no such thing", where=does[:100], hint=f"memdeck share {'|'.join(DOES)}")
    if does in ("add", "remove", "sparse") and not name:
        raise UsageError("which one?", where=f"share {does}", hint=f"memdeck share {does} NAME")
    with open_console(settings) as console:
        if does is None:
            _print_all(settings, console)
        elif does == "sparse":
            _sparse(settings, console, name or "", only, folder)
        else:
            _plan(settings, console, does, name)


def _plan(settings: Settings, console: "Engine", does: str, name: str | None) -> None:
    from engine.lifecycle.shared.request import ShareRequest
    from engine.plans.planning import PlanRequest

    system = "unshare" if does == "remove" else "share"
    with progress(settings) as tick:
        if system == "share":
            console.shares.fetch((name,) if name else ())
        outcome = console.plans.make(system, PlanRequest(ShareRequest((name,) if name else ()), tick=tick))
    print_outcome(settings, console, system, outcome)


def _sparse(settings: Settings, console: "Engine", name: str, only: tuple[str, ...], folder: str | None) -> None:
    made = console.shares.sparse(name, only, Path(folder).expanduser().absolute() if folder is not None else None)
    if settings.json:
        print_json(made)
        return
    printer = stdout(settings.no_color)
    printer.line(f"{noun(made.files, 'file')} of {made.source[:12]} in {safe(made.folder)}")
    if made.left_out:
        count = noun(len(made.left_out), "file")
        printer.line(Styled(f"private or no plain file, omitted: {count}, {safe(made.left_out[0])}", fg="yellow"))
    printer.line(f"remove it: delete {safe(made.folder)}")


def _print_all(settings: Settings, console: "Engine") -> None:
    found = console.shares.all()
    if settings.json:
        print_json(found)
        return
    printer = stdout(settings.no_color)
    printer.table([_row(one) for one in found])
    for one in found:
        if one.problem:
            printer.line(Styled(f"{safe(one.name)}: {safe(one.problem)}", fg="yellow"))
        for path in one.changed[:3]:
            printer.line(Styled(f"{safe(one.name)}: changed here: {safe(path)}", dim=True))
    if not found:
        printer.line("nothing is shared · name it in git.shared of your policy, then memdeck share add NAME")


def _row(one: "SharedStatus") -> list[str | Styled]:
    pinned = f"pinned {one.pin[:12]}" if one.pin else "not pinned"
    fetched = "never fetched" if not one.tip else f"fetched {one.tip[:12]}" if one.tip != one.pin else "up to date"
    return [
        Styled(safe(one.name), bold=True),
        pinned,
        Styled(fetched, fg="yellow" if one.is_behind else None),
        noun(one.notes, "note"),
        Styled(f"{noun(len(one.changed), 'note')} changed here" if one.changed else "", fg="yellow"),
        Styled(safe(one.address), dim=True),
    ]


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
            _print_explorations(settings, console)
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


def _print_explorations(settings: Settings, console: "Engine") -> None:
    found = console.repository.explorations()
    if settings.json:
        print_json(found)
        return
    printer = stdout(settings.no_color)
    printer.table([_exploration_row(console, one) for one in found])
    if not found:
        printer.line("no exploration · memdeck explore NAME begins one")
    elif any(one.is_old(console.now()) for one in found):
        printer.line("older than a week: memdeck plan branches ends them, and leaves a tag of each")


def _exploration_row(console: "Engine", one: "Exploration") -> list[Styled]:
    old = one.is_old(console.now())
    since = age(one.begun, console.now())
    place = safe(one.folder) if one.folder else "no folder"
    return [
        Styled(safe(one.branch), bold=True),
        Styled(since, fg="yellow" if old else None),
        Styled(one.commit[:12]),
        Styled(place, dim=True),
    ]
