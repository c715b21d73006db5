"""`state`: the operator's whole state of a workspace as one file, as a backup or for another machine."""

from importlib import import_module
from typing import TYPE_CHECKING

import click

from engine.errors import UsageError
from tui.cli.output import Styled, print_json, stdout
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, global_options, open_console
from tui.present.glyphs import PASSED
from tui.present.words import noun
from tui.system.given_path import given_path

if TYPE_CHECKING:
    from engine.services.state_transfer import Transferred

SUBCOMMANDS = ("export", "import")


class StateCommands(click.Group):
    """The two directions."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return getattr(import_module(__name__), f"{cmd_name}_command") if cmd_name in SUBCOMMANDS else None


@click.group("state", cls=StateCommands, params=global_options(), short_help="Your state as one file: export, import.")
def state_command() -> None:
    """Keeps and moves memdeck's records of a workspace: queue, history, undo, audit log, searches, snoozes, judgements.

    It lies in your own state folder; the notes themselves are not part of it.
    """


@command("export", short_help="Writes the state into one file.")
@click.argument("file", metavar="FILE")
def export_command(settings: Settings, file: str) -> None:
    """Writes a tar with a manifest of hashes, which no other user can read; a FILE that is there is skipped."""
    target = given_path(file)
    with open_console(settings) as console, progress(settings) as tick:
        done = console.maintenance.export_state(target, tick)
    _tell(settings, done, "exported to")


@command("import", short_help="Puts an exported state in the place of this workspace's.")
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Also where something is remembered already: that is kept beside.")
def import_command(settings: Settings, file: str, force: bool) -> None:
    """Checks every hash first, then takes the whole state over or nothing. No note is touched."""
    if settings.read_only:
        raise UsageError("nothing is imported with --read-only", hint="leave --read-only out")
    source = given_path(file)
    with open_console(settings) as console, progress(settings) as tick:
        done = console.maintenance.import_state(source, force=force, tick=tick)
    _tell(settings, done, "imported from")


def _tell(settings: Settings, done: "Transferred", how: str) -> None:
    if settings.json:
        print_json(done)
        return
    printer = stdout(settings.no_color)
    printer.line(Styled(f"{PASSED.glyph} ", fg="green"), f"{noun(done.files, 'file')} {how} {done.file}")
    if done.kept:
        printer.line(f"  what was here lies in {done.kept}")
    for note in done.notes:
        printer.line(Styled("! ", fg="yellow"), note)
