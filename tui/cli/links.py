"""`links`: the links of a note, those that lead nowhere, and the notes that link to it."""

from typing import TYPE_CHECKING

import click

from tui.cli.output import Styled, print_json, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.links import led_to
from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.lifecycle.references.file_links import FileLink


@command("links", short_help="The links of a note, and its backlinks.")
@click.argument("note", metavar="NOTE")
def links_command(settings: Settings, note: str) -> None:
    """Lists the wikilinks and paths in NOTE with what each means, and the lines of other notes that link to it.

    NOTE is a path of the workspace, or a name that one note has. Code holds no link.
    """
    with open_console(settings) as console:
        found = console.references.links(note)
    if settings.json:
        print_json(found)
        return
    printer = stdout(settings.no_color)
    printer.line(Styled(safe(found.path), bold=True), f": {noun(len(found.links), 'link')}")
    printer.table([_row(one, "" if one.path else "yellow") for one in found.links])
    printer.line(Styled(noun(len(found.backlinks), "backlink"), bold=True))
    printer.table([[f"  {safe(one.source)}:{one.line}", Styled(safe(one.text), dim=True)] for one in found.backlinks])


def _row(one: "FileLink", colour: str) -> list[str | Styled]:
    return [f"  line {one.line}", safe(one.written), Styled(led_to(one), fg=colour or None)]
