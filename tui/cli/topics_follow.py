"""`topics follow`: what the console listens to besides the workspace's own transcripts."""

from collections.abc import Sequence
from pathlib import Path

import click

from engine.sessions.follows import Follows
from tui.cli.output import Styled, print_json, stdout
from tui.cli.settings import Settings, command, open_console


@command("follow", short_help="What the console follows besides the workspace's transcripts.")
@click.argument("paths", nargs=-1, metavar="[PATH]…")
@click.option("--forget", "forgotten", multiple=True, metavar="PATH", help="Let go of a path, there or not.")
def follow_command(settings: Settings, paths: Sequence[str], forgotten: Sequence[str]) -> None:
    """Has the console follow session files or folders (Claude Code's, OpenClaw's), also after a restart; lists them.

    They are remembered in your own state folder, never in the workspace.
    """
    with open_console(settings) as console:
        for path in forgotten:
            console.sessions.unfollow(_absolute(path))
        for path in paths:
            console.sessions.follow(_absolute(path))
        found = console.sessions.followed()
    if settings.json:
        print_json({"followed": [str(path) for path in found.there], "missing": [str(path) for path in found.missing]})
    else:
        _print(settings, found)


def _print(settings: Settings, found: Follows) -> None:
    printer = stdout(settings.no_color)
    for path in found.there:
        printer.line(str(path))
    for path in found.missing:
        printer.line(Styled("! ", fg="yellow"), str(path), "  is not there")
    if not found.there and not found.missing:
        printer.line(
            "nothing besides the workspace's own transcripts; memdeck topics follow PATH adds a file or a folder"
        )


def _absolute(path: str) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:  # `~somebody` who does not exist here: then it is a name like any other
        return Path(path).absolute()
