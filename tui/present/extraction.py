"""An extraction in rows and lines: its entries, and one of them beside the turn that says it."""

from collections.abc import Collection, Sequence

from engine.lifecycle.extract.review import ReviewedEntry
from tui.present import glyphs
from tui.present.spans import Line, ListRow, Span
from tui.present.words import noun, safe


class EntryRows:
    """The entries of a plan, each with its kind and grade; a sign at those that are refused."""

    def __init__(self, entries: Sequence[ReviewedEntry], refused: Collection[str]) -> None:
        self._entries, self._refused = tuple(entries), frozenset(refused)

    def __len__(self) -> int:
        return len(self._entries)

    def row(self, index: int) -> ListRow:
        one = self._entries[index]
        out = one.id in self._refused
        sign = glyphs.FAILED.mark if out else glyphs.PASSED.mark
        said = Span(safe(one.quote), "muted" if out else "text")
        return ListRow((sign, Span(f" {one.kind.value:<10} ", "accent"), said), (Span(one.grade.value, "muted"),))


def entries_title(entries: Sequence[ReviewedEntry], refused: Collection[str]) -> Line:
    """Counts the entries, and those that are refused."""
    out = (Span(f"  {noun(len(refused), 'entry', 'entries')} refused", "warn"),) if refused else ()
    return (Span("Entries", "title"), Span(f" ⟨{len(entries):,}⟩", "muted"), *out)


def entry_lines(one: ReviewedEntry) -> tuple[Line, ...]:
    """The place of an entry in memory, and what it supersedes."""
    head = (Span(f"{one.kind.value}, {one.grade.value}", "strong"), Span(f"  {one.day}  {one.id}", "muted"))
    lines: list[Line] = [head, (Span("goes to ", "muted"), Span(safe(f"{one.path}:{one.line}")))]
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
