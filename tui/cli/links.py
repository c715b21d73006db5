"""Runs `links`: the links of a note, broken ones, and the notes that link to it."""

from tui.cli.output import Answer, Piece, Styled, TextTable
from tui.cli.settings import Settings, command, opened
from tui.present.note_links import led_to
from tui.present.words import noun, safe


@command("links")
def links_command(settings: Settings, note: str) -> Answer:
    links = opened(settings).references.links(note)
    rows: list[list[Piece]] = [
        [f"  line {link.line}", safe(link.written), Styled(led_to(link), fg=None if link.path else "yellow")]
        for link in links.links
    ]
    back = [(f"  {safe(link.source)}:{link.line}", Styled(safe(link.text), dim=True)) for link in links.backlinks]
    title = (Styled(safe(links.path), bold=True), f": {noun(len(rows), 'link')}")
    return Answer(links, [title, TextTable(rows), Styled(noun(len(back), "backlink"), bold=True), TextTable(back)])
