"""The links of a note as rows to choose from."""

from engine.lifecycle.references.file_links import FileLink, NoteLinks
from engine.workspace.values import LineSpan
from tui.present.choices import Choice
from tui.present.words import noun, safe


def led_to(link: FileLink) -> str:
    """Says in words where a link leads."""
    if link.several:
        return f"several notes have this name: {safe(', '.join(link.several))}"
    return f"→ {safe(link.path)}" if link.path else "leads to no note"


def link_choices(found: NoteLinks) -> tuple[Choice, ...]:
    """Rows of a note's backlinks, then of its links; the value of each is its number."""
    back, out = noun(len(found.backlinks), "backlink"), noun(len(found.links), "link")
    rows = [(f"{safe(one.source)}:{one.line}", safe(one.text), back) for one in found.backlinks]
    rows += [(safe(link.written), led_to(link), out) for link in found.links]
    return tuple(Choice(name, about, "", str(number), head) for number, (name, about, head) in enumerate(rows))


def chosen_place(found: NoteLinks, value: str) -> LineSpan | None:
    """The line that a row leads to: of a backlink that which links, of a link the first of its note; None for none."""
    number = int(value)
    if number < len(found.backlinks):
        one = found.backlinks[number]
        return LineSpan(one.source, one.line, one.line)
    link = found.links[number - len(found.backlinks)]
    return LineSpan(link.path, 1, 1) if link.path else None
