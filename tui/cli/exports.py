"""`export`: what was imported of another tool, byte for byte, into a folder."""

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.errors import UsageError
from engine.extra_registry import needs
from tui.cli.output import Answer, Styled, Table, Text, fields
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, opened
from tui.present.glyphs import PASSED
from tui.present.words import noun, safe, size
from tui.system.given_path import given_path

if TYPE_CHECKING:
    from engine.extras.importers.export import Exported
    from engine.services.exports import ExportService


@command("export", short_help="What was imported, byte for byte, into a folder.")
@click.argument("kind", required=False)
@click.argument("folder", required=False, metavar="DIR")
@click.option("--from", "place", default="", metavar="PATH", help="Only what was imported from there.")
@click.option("--list", "list_places", is_flag=True, help="What was imported of each kind, and from where.")
def export_command(settings: Settings, kind: str | None, folder: str | None, place: str, list_places: bool) -> Answer:
    """Writes the files that `memdeck import KIND` read into DIR, in the tool's own layout and as they were then.

    Files of which nothing is in the workspace stay out, and are named. Nothing that is in DIR is written over: where
    other bytes stand at a name nothing is written, and the names are told. The files hold secrets that notes do not.
    """
    exports = opened(settings).exports
    if list_places:
        return _places_answer(exports, kind)
    if kind is None or folder is None:
        raise UsageError("which kind, and where to?", hint="memdeck export claude-code DIR, or --list")
    with progress(settings) as tick:
        done = exports.write(kind, given_path(folder), str(Path(place).expanduser()) if place else "", tick)
    return Answer(done, _done_rows(done))


def _places_answer(exports: "ExportService", kind: str | None) -> Answer:
    with needs("importers"):
        from engine.extras.importers.kinds import import_kinds
        from engine.extras.importers.memories.kinds import MEMORY_KINDS

    facts: list[dict[str, object]] = []
    rows: list[list[str]] = []
    kinds = [kind] if kind else [*import_kinds(), *MEMORY_KINDS]
    for one in chain.from_iterable(map(exports.places, kinds)):
        files, total = len(one.files), sum(file.size for file in one.files.values())
        facts.append({**fields(one, "kind place"), "at": one.at.isoformat(), "files": files, "size": total})
        rows.append([one.kind, noun(files, "file"), size(total), safe(one.place)])
    return Answer(facts, [Table(rows)] if rows else ["nothing was imported yet · memdeck import KIND PATH"])


def _done_rows(done: "Exported") -> Text:
    there = f", {done.same:,} there already" if done.same else ""
    said = f"{noun(done.written, 'file')}, {size(done.size)}, written into {safe(done.folder)}{there}"
    yield Styled(f"{PASSED.glyph} ", fg="green"), said
    for line in done.left_out:
        yield Styled("! ", fg="yellow"), f"stays out: {safe(line)}"
