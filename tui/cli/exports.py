"""`export`: what was imported of another tool, byte for byte, into a folder."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.errors import UsageError
from engine.extra_registry import needs
from tui.cli.output import Styled, print_json, stdout
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console
from tui.present.glyphs import PASSED
from tui.present.words import noun, safe, size
from tui.system.given_path import given_path

if TYPE_CHECKING:
    from engine.extras.importers.export import Exported
    from engine.services.engine import Engine


@command("export", short_help="What was imported, byte for byte, into a folder.")
@click.argument("kind", required=False)
@click.argument("folder", required=False, metavar="DIR")
@click.option("--from", "place", default="", metavar="PATH", help="Only what was imported from there.")
@click.option("--list", "list_places", is_flag=True, help="What was imported of each kind, and from where.")
def export_command(settings: Settings, kind: str | None, folder: str | None, place: str, list_places: bool) -> None:
    """Writes the files that `memdeck import KIND` read into DIR, in the tool's own layout and as they were then.

    Files of which nothing is in the workspace stay out, and are named. Nothing that is in DIR is written over: where
    other bytes stand at a name nothing is written, and the names are told. The files hold secrets that notes do not.
    """
    with open_console(settings) as console:
        if list_places:
            _print_places(settings, console, kind)
            return
        if kind is None or folder is None:
            raise UsageError("which kind, and where to?", hint="memdeck export claude-code DIR, or --list")
        with progress(settings) as tick:
            done = console.exports.write(kind, given_path(folder), str(Path(place).expanduser()) if place else "", tick)
    _print_done(settings, done)


def _print_places(settings: Settings, console: "Engine", kind: str | None) -> None:
    with needs("importers"):
        from engine.extras.importers.kinds import import_kinds
        from engine.extras.importers.memories.kinds import MEMORY_KINDS

    kinds = [kind] if kind else [*import_kinds(), *MEMORY_KINDS]
    found = [one for name in kinds for one in console.exports.places(name)]
    if settings.json:
        rows = [
            {
                "kind": one.kind,
                "place": one.place,
                "at": one.at.isoformat(),
                "files": len(one.files),
                "size": sum(file.size for file in one.files.values()),
            }
            for one in found
        ]
        print_json(rows)
        return
    printer = stdout(settings.no_color)
    printer.table(
        [
            [one.kind, noun(len(one.files), "file"), size(sum(f.size for f in one.files.values())), safe(one.place)]
            for one in found
        ]
    )
    if not found:
        printer.line("nothing was imported yet · memdeck import KIND PATH")


def _print_done(settings: Settings, done: "Exported") -> None:
    if settings.json:
        print_json(done)
        return
    printer = stdout(settings.no_color)
    there = f", {done.same:,} there already" if done.same else ""
    said = f"{noun(done.written, 'file')}, {size(done.size)}, written into {safe(done.folder)}{there}"
    printer.line(Styled(f"{PASSED.glyph} ", fg="green"), said)
    for line in done.left_out:
        printer.line(Styled("! ", fg="yellow"), f"stays out: {safe(line)}")
