"""An extraction in rows and lines: its entries, and one of them beside the turn that says it."""

from collections.abc import Collection, Sequence

from engine.lifecycle.extract.review import ReviewedEntry
from tui.present import glyphs
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import noun, safe


class EntryRows(LazyRows[ReviewedEntry]):
    """The entries of a plan and those that it offers, each with its kind and grade; a sign at what is not taken."""

    def __init__(self, entries: Sequence[ReviewedEntry], refused: Collection[str], accepted: Collection[str]) -> None:
        super().__init__(tuple(entries))
        self._refused, self._accepted = frozenset(refused), frozenset(accepted)

    def made(self, one: ReviewedEntry) -> ListRow:
        out = one.id not in self._accepted if one.offered else one.id in self._refused
        sign = (glyphs.PASSED if not out else glyphs.WAITS if one.offered else glyphs.FAILED).mark
        said = Span(safe(one.quote), "muted" if out else "text")
        return ListRow((sign, Span(f" {one.kind.value:<10} ", "accent"), said), (Span(one.grade.value, "muted"),))


def entries_title(entries: Sequence[ReviewedEntry], refused: Collection[str], accepted: Collection[str]) -> Line:
    """Counts the entries, those that are refused, and of those that are offered the accepted ones."""
    offered = sum(entry.offered for entry in entries)
    out = (Span(f"  {noun(len(refused), 'entry', 'entries')} refused", "warn"),) if refused else ()
    also = (Span(f"  {len(accepted):,} of {noun(offered, 'offer')} accepted", "muted"),) if offered else ()
    return (Span("Entries", "title"), Span(f" ⟨{len(entries) - offered:,}⟩", "muted"), *out, *also)


def entry_lines(one: ReviewedEntry) -> tuple[Line, ...]:
    """The place of an entry in memory, and what it supersedes."""
    head = (Span(f"{one.kind.value}, {one.grade.value}", "strong"), Span(f"  {one.day}  {one.id}", "muted"))
    lines: list[Line] = [head]
    if one.offered:
        lines.append((Span("not in the plan: nobody stated it. a accepts it", "warn"),))
    goes = "would go to " if one.offered else "goes to "
    lines.append((Span(goes, "muted"), Span(safe(one.path if one.offered else f"{one.path}:{one.line}"))))
    lines += [(Span("supersedes ", "warn"), Span(safe(earlier))) for earlier in one.supersedes]
    if one.superseded is not None:
        lines.append((Span(f"superseded by {one.superseded.by} on {one.superseded.since}", "warn"),))
    lines.append((Span(safe(f"said in {one.source.path}:{one.source.start}"), "muted"),))
    return (*lines, ())


def turn_lines(turn: Sequence[str], first: int, said: int, quote: str) -> tuple[Line, ...]:
    """The lines of a turn from line `first`; on line `said` the words of the quote are marked, or all of it."""
    return tuple(_turn_line(line, number, quote if number == said else "") for number, line in enumerate(turn, first))


def _turn_line(line: str, number: int, quote: str) -> Line:
    sign = Span(f"{'→' if quote else ' '}{number:>5}  ", "accent" if quote else "muted")
    if not quote:
        return (sign, Span(safe(line)))
    before, found, behind = line.partition(quote)
    if not found:  # the row has it without its secrets, or with other spaces
        return (sign, Span(safe(line), "added"))
    return (sign, *((Span(safe(before)),) if before else ()), Span(safe(found), "added"), Span(safe(behind)))
