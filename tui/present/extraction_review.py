"""Shows an extraction: its entries as rows, and one entry beside its turn."""

from collections.abc import Collection, Sequence

from engine.lifecycle.extract.review import ReviewedEntry
from tui.present import glyphs
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import noun, safe


class EntryRows(LazyRows[ReviewedEntry]):
    """Shows the entries and offers of a plan with kind and grade; a sign marks those that are not taken."""

    def __init__(self, entries: Sequence[ReviewedEntry], refused: Collection[str], accepted: Collection[str]) -> None:
        super().__init__(tuple(entries))
        self._refused, self._accepted = frozenset(refused), frozenset(accepted)

    def made(self, entry: ReviewedEntry) -> ListRow:
        out = entry.id not in self._accepted if entry.offered else entry.id in self._refused
        sign = (glyphs.PASSED if not out else glyphs.WAITS if entry.offered else glyphs.FAILED).mark
        said = Span(safe(entry.quote), "muted" if out else "text")
        return ListRow((sign, Span(f" {entry.kind.value:<10} ", "accent"), said), (Span(entry.grade.value, "muted"),))


def entries_title(entries: Sequence[ReviewedEntry], refused: Collection[str], accepted: Collection[str]) -> Line:
    """Counts the entries, the refused ones, and the accepted offers."""
    offered = sum(entry.offered for entry in entries)
    out = (Span(f"  {noun(len(refused), 'entry', 'entries')} refused", "warn"),) if refused else ()
    also = (Span(f"  {len(accepted):,} of {noun(offered, 'offer')} accepted", "muted"),) if offered else ()
    return (Span("Entries", "title"), Span(f" ⟨{len(entries) - offered:,}⟩", "muted"), *out, *also)


def entry_lines(entry: ReviewedEntry) -> tuple[Line, ...]:
    """Shows where an entry goes in memory, what it supersedes, and where it was said."""
    head = (Span(f"{entry.kind.value}, {entry.grade.value}", "strong"), Span(f"  {entry.day}  {entry.id}", "muted"))
    lines: list[Line] = [head]
    if entry.offered:
        lines.append((Span("not in the plan: nobody stated it. a accepts it", "warn"),))
    goes = "would go to " if entry.offered else "goes to "
    lines.append((Span(goes, "muted"), Span(safe(entry.path if entry.offered else f"{entry.path}:{entry.line}"))))
    lines += [(Span("supersedes ", "warn"), Span(safe(earlier))) for earlier in entry.supersedes]
    if entry.superseded is not None:
        lines.append((Span(f"superseded by {entry.superseded.by} on {entry.superseded.since}", "warn"),))
    lines.append((Span(safe(f"said in {entry.source.path}:{entry.source.start}"), "muted"),))
    return (*lines, ())


def turn_lines(turn: Sequence[str], first: int, said: int, quote: str) -> tuple[Line, ...]:
    """Shows the lines of a turn, numbered from `first`; on line `said` the quote is marked."""
    return tuple(_turn_line(line, number, quote if number == said else "") for number, line in enumerate(turn, first))


def _turn_line(line: str, number: int, quote: str) -> Line:
    sign = Span(f"{'→' if quote else ' '}{number:>5}  ", "accent" if quote else "muted")
    if not quote:
        return (sign, Span(safe(line)))
    before, quoted, behind = line.partition(quote)
    if not quoted:  # the row has it without its secrets, or with other spaces
        return (sign, Span(safe(line), "added"))
    return (sign, *((Span(safe(before)),) if before else ()), Span(safe(quoted), "added"), Span(safe(behind)))
