"""Shows consolidations by other tools: their rows in the queue, and the outcome of each entry."""

from collections.abc import Sequence
from datetime import datetime

from engine.lifecycle.consolidation.entry_fates import EntryFate, EntryRow
from engine.lifecycle.prune.memory_entries import MemoryEntry
from engine.services.consolidations import ConsolidationItem
from tui.present import glyphs
from tui.present.spans import LazyRows, Line, ListRow, Role, Span
from tui.present.words import age, moment, noun, safe, tail

SIGNS: dict[EntryFate, glyphs.Sign] = {
    EntryFate.KEPT: glyphs.ENTRY_KEPT,
    EntryFate.MOVED: glyphs.ENTRY_MOVED,
    EntryFate.MERGED: glyphs.ENTRY_MERGED,
    EntryFate.LOST: glyphs.ENTRY_LOST,
    EntryFate.NEW: glyphs.NEW,
}
_WORDS = 200  # characters of an entry's row


def loss_words(item: ConsolidationItem) -> str:
    """Returns `10 of 21 lost`, counting entries, or `no entry lost`."""
    lost, before = item.account.count(EntryFate.LOST), item.account.before
    return f"{lost:,} of {before:,} lost" if lost else "no entry lost"


def state_words(item: ConsolidationItem) -> str:
    """Returns the operator's decision about a consolidation: `reverted`, `kept` or `open`."""
    if item.taken_back:
        return "reverted"
    return "kept" if item.consolidation.state == "kept" else "open"


def queue_row(item: ConsolidationItem, now: datetime) -> ListRow:
    """Makes the row of a consolidation in the queue."""
    burst, role = item.consolidation, _role(item)
    left: Line = (
        Span(f"{glyphs.CONSOLIDATED.glyph} ", glyphs.CONSOLIDATED.role),
        Span(f"{burst.title}  ", "strong"),
        Span(loss_words(item), role),
    )
    junk: Line = (Span(f"{glyphs.FLAGGED.glyph} {len(item.account.junk)}", "warn"),) if item.account.junk else ()
    return ListRow(left, (*junk, Span(f"{age(burst.ended, now):>7}", "muted")))


def head_lines(item: ConsolidationItem) -> tuple[Line, ...]:
    """Says when a consolidation ran, how many notes it changed, and how many entries were kept or lost."""
    burst = item.consolidation
    notes = noun(len(burst.notes), "note")
    until = "" if burst.began == burst.ended else f" to {burst.ended:%H:%M}"
    first: Line = (Span(f"{burst.title} changed {notes}, "), Span(f"{moment(burst.began)}{until}", "muted"))
    account: Line = (Span(item.account.line(), _role(item)),)
    state: Line = (Span(f"{state_words(item)} · not made by memdeck, and in the notes already", "muted"),)
    return (first, account, state)


def title(item: ConsolidationItem) -> Line:
    """Returns `c-20260315-1a2b3c OpenClaw dreaming`."""
    burst = item.consolidation
    return (Span(safe(burst.id), "title"), Span(f"  {burst.title}", "muted"))


def entries_title(rows: Sequence[EntryRow], marked: frozenset[int]) -> Line:
    """Returns `Entries ⟨8⟩ 2 marked`."""
    name: Line = (Span("Entries", "title"), Span(f" ⟨{len(rows):,}⟩", "accent" if rows else "muted"))
    return (*name, Span(f" {len(marked):,} marked", "accent")) if marked else name


def waiting_lines(item: ConsolidationItem) -> tuple[Line, ...]:
    """Makes the lines below the head of a consolidation: the key that opens it, and the notes that it changed."""
    notes = tuple((Span(f"  {safe(note.path)}", "muted"),) for note in item.consolidation.notes)
    opens: Line = (
        Span("enter", "key"),
        Span("  shows each entry with its note before and after, and plans from there"),
    )
    return (opens, (), (Span("The notes that it changed", "title"),), *notes)


class ConsolidatedEntryRows(LazyRows[EntryRow]):
    """Shows the entries that can be restored as rows with their numbers; a sign precedes marked ones."""

    def __init__(self, rows: Sequence[EntryRow], marked: frozenset[int]) -> None:
        super().__init__(rows)
        self._marked = marked

    def made(self, row: EntryRow) -> ListRow:
        sign = SIGNS[row.fate]
        mark: Line = (Span("✓ " if row.number in self._marked else "  ", "ok"),) if self._marked else ()
        junk: Line = (Span(f"{glyphs.FLAGGED.glyph} {safe(row.junk)} ", "warn"),) if row.junk else ()
        left: Line = (
            *mark,
            Span(f"{row.number:>3} ", "muted"),
            Span(f"{sign.glyph} {sign.word:<7}", sign.role),
            *junk,
            Span(entry_words(row)),
        )
        return ListRow(left, (Span(f" {safe(tail(row.entry.path))}:{row.entry.start}", "muted"),))


def entry_words(row: EntryRow) -> str:
    return safe(" ".join(row.entry.text.split())[:_WORDS])


def place_words(row: EntryRow) -> str:
    """Says where an entry stood, and where it is now."""
    place = f"{row.entry.path}:{row.entry.start}"
    if row.into is None:
        return safe(place)
    return safe(f"{place} → {row.into.path}:{row.into.start}")


def entry_title(row: EntryRow) -> Line:
    """Returns `12 lost memory/MEMORY.md:14`."""
    sign = SIGNS[row.fate]
    return (Span(f"{row.number} {sign.word} ", sign.role), Span(place_words(row), "muted"))


def entry_lines(row: EntryRow) -> tuple[Line, ...]:
    """Shows the outcome of an entry, its text before the consolidation, and its text now where that differs."""
    junk: tuple[Line, ...] = ((Span(f"looks like junk: {safe(row.junk)}", "warn"),),) if row.junk else ()
    said: tuple[Line, ...] = ((Span(_outcome(row), SIGNS[row.fate].role),), *junk, (), *_text(row.entry))
    if row.into is None or row.fate is EntryFate.MOVED:
        return said
    return (*said, (), (Span(f"now in {safe(row.into.path)}:{row.into.start}", "muted"),), (), *_text(row.into))


def _text(entry: MemoryEntry) -> tuple[Line, ...]:
    return tuple((Span(safe(line)),) for line in entry.text.split("\n"))


def _outcome(row: EntryRow) -> str:
    match row.fate:
        case EntryFate.LOST:
            return "in none of the notes afterwards"
        case EntryFate.MERGED:
            return "most of its words, and all its numbers, are in one entry"
        case EntryFate.MOVED if row.into is not None:
            return f"word for word in {safe(row.into.path)}:{row.into.start}"
        case EntryFate.NEW:
            return "new: no note had it before"
        case _:
            return "word for word in its note"


def _role(item: ConsolidationItem) -> Role:
    return "warn" if item.account.count(EntryFate.LOST) else "muted"
