"""`links`: the links of a note, those that lead nowhere, and the notes that link to it."""

from tui.cli.output import Answer, Piece, Styled, TextTable
from tui.cli.settings import Settings, command, opened
from tui.present.links import led_to
from tui.present.words import noun, safe


@command("links")
def links_command(settings: Settings, note: str) -> Answer:
    found = opened(settings).references.links(note)
    rows: list[list[Piece]] = [
        [f"  line {one.line}", safe(one.written), Styled(led_to(one), fg=None if one.path else "yellow")]
        for one in found.links
    ]
    back = [(f"  {safe(one.source)}:{one.line}", Styled(safe(one.text), dim=True)) for one in found.backlinks]
    title = (Styled(safe(found.path), bold=True), f": {noun(len(rows), 'link')}")
    return Answer(found, [title, TextTable(rows), Styled(noun(len(back), "backlink"), bold=True), TextTable(back)])
