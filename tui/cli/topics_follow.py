"""`topics follow`: what the console listens to besides the workspace's own transcripts."""

from collections.abc import Sequence
from pathlib import Path

import click

from tui.cli.output import Answer, Piece, Styled
from tui.cli.settings import Settings, command, opened


@command("follow", short_help="What the console follows besides the workspace's transcripts.")
@click.argument("paths", nargs=-1, metavar="[PATH]…")
@click.option("--forget", "forgotten", multiple=True, metavar="PATH", help="Let go of a path, there or not.")
def follow_command(settings: Settings, paths: Sequence[str], forgotten: Sequence[str]) -> Answer:
    """Has the console follow session files or folders (Claude Code's, OpenClaw's), also after a restart; lists them.

    They are remembered in your own state folder, never in the workspace.
    """
    sessions = opened(settings).sessions
    for path in forgotten:
        sessions.unfollow(_absolute(path))
    for path in paths:
        sessions.follow(_absolute(path))
    follows = sessions.followed()
    there, missing = ([str(path) for path in paths] for paths in (follows.there, follows.missing))
    rows: list[list[Piece]] = [[path] for path in there]
    rows += [[Styled("! ", fg="yellow"), path, "  is not there"] for path in missing]
    none = "nothing besides the workspace's own transcripts; memdeck topics follow PATH adds a file or a folder"
    return Answer({"followed": there, "missing": missing}, rows or [none])


def _absolute(path: str) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:  # `~somebody` who does not exist here: then it is a name like any other
        return Path(path).absolute()
