"""Shows the links of a note as choices."""

from engine.lifecycle.references.file_links import FileLink, NoteLinks
from engine.workspace.values import LineSpan
from tui.present.choices import Choice
from tui.present.words import noun, safe


def led_to(link: FileLink) -> str:
    """Says which note a link leads to, or why it leads to none."""
    if link.several:
        return f"several notes have this name: {safe(', '.join(link.several))}"
    return f"→ {safe(link.path)}" if link.path else "leads to no note"


def link_choices(note_links: NoteLinks) -> tuple[Choice, ...]:
    """Lists a note's backlinks, then its links; the value of each choice is its number."""
    back, out = noun(len(note_links.backlinks), "backlink"), noun(len(note_links.links), "link")
    rows = [(f"{safe(each.source)}:{each.line}", safe(each.text), back) for each in note_links.backlinks]
    rows += [(safe(link.written), led_to(link), out) for link in note_links.links]
    return tuple(Choice(name, about, "", str(number), head) for number, (name, about, head) in enumerate(rows))


def chosen_place(note_links: NoteLinks, value: str) -> LineSpan | None:
    """Returns the line that holds a chosen backlink, or the first line of a link's note; None if there is none."""
    number = int(value)
    if number < len(note_links.backlinks):
        backlink = note_links.backlinks[number]
        return LineSpan(backlink.source, backlink.line, backlink.line)
    link = note_links.links[number - len(note_links.backlinks)]
    return LineSpan(link.path, 1, 1) if link.path else None
