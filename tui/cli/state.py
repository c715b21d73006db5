"""`state`: the operator's whole state of a workspace as one file, as a backup or for another machine."""

from typing import TYPE_CHECKING

import click

from engine.errors import UsageError
from tui.cli.output import Answer, Styled, Text
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, global_options, opened
from tui.present.glyphs import PASSED
from tui.present.words import noun
from tui.system.given_path import given_path

if TYPE_CHECKING:
    from engine.services.state_transfer import Transferred


@click.group("state", params=global_options(), short_help="Your state as one file: export, import.")
def state_command() -> None:
    """Keeps and moves memdeck's records of a workspace: queue, history, undo, audit log, searches, snoozes, judgements.

    It lies in your own state folder; the notes themselves are not part of it.
    """


@command("export", short_help="Writes the state into one file.")
@click.argument("file", metavar="FILE")
def export_command(settings: Settings, file: str) -> Answer:
    """Writes a tar with a manifest of hashes, which no other user can read; a FILE that is there is skipped."""
    target = given_path(file)
    maintenance = opened(settings).maintenance
    with progress(settings) as tick:
        done = maintenance.export_state(target, tick)
    return Answer(done, _done_rows(done, "exported to"))


@command("import", short_help="Puts an exported state in the place of this workspace's.")
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Also where something is remembered already: that is kept beside.")
def import_command(settings: Settings, file: str, force: bool) -> Answer:
    """Checks every hash first, then takes the whole state over or nothing. No note is touched."""
    if settings.read_only:
        raise UsageError("nothing is imported with --read-only", hint="leave --read-only out")
    source = given_path(file)
    maintenance = opened(settings).maintenance
    with progress(settings) as tick:
        done = maintenance.import_state(source, force=force, tick=tick)
    return Answer(done, _done_rows(done, "imported from"))


state_command.add_command(export_command)
state_command.add_command(import_command)


def _done_rows(done: "Transferred", how: str) -> Text:
    yield Styled(f"{PASSED.glyph} ", fg="green"), f"{noun(done.files, 'file')} {how} {done.file}"
    if done.kept:
        yield f"  what was here lies in {done.kept}"
    for note in done.notes:
        yield Styled("! ", fg="yellow"), note
