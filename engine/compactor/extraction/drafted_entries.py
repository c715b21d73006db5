"""Checks the entries that somebody wrote out in a file against the schema (decision A26)."""

import msgspec

from engine.compactor.extraction.sections import DraftedEntry
from engine.compactor.semantic.entry import FIELDS, SemanticEntry, read_entries
from engine.text.derived import derived_line
from engine.workspace.values import LineSpan


class EntryCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that could be appended, the file it comes from, and the lines behind each of its fields."""

    entry: SemanticEntry
    source: str
    spans: dict[str, LineSpan]
    further: tuple[LineSpan, ...] = ()
    """The lines of the other facts that the entry states."""

    @property
    def sources(self) -> tuple[LineSpan, ...]:
        return tuple(sorted({*self.spans.values(), *self.further}))


class DraftProblem(msgspec.Struct, frozen=True):
    """A place where an entry that somebody wrote out misses the schema: the line of the file and what it says."""

    path: str
    line: int
    field: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.field}: {self.rule}"


def drafted_entry(path: str, draft: DraftedEntry) -> tuple[EntryCandidate | None, tuple[DraftProblem, ...]]:
    """The entry that somebody wrote out; None, and every problem by line and field, where it misses the schema."""
    entries, problems = read_entries(draft.text)
    if problems:
        first = draft.start - 1
        return None, tuple(DraftProblem(path, first + it.line, it.field, it.rule, it.text) for it in problems)
    entry = entries[0]
    lines = {field: draft.start + line - 1 for field, line in entry.lines.items()}
    written = SemanticEntry(
        title=derived_line(entry.title),
        context=derived_line(entry.context),
        insight=derived_line(entry.insight),
        impact=derived_line(entry.impact),
        provenance=f"from {path}:{draft.start}-{max(lines.values())}",
    )
    spans = {field: LineSpan(path, lines[field], lines[field]) for field in FIELDS if field in lines}
    return EntryCandidate(entry=written, source=path, spans=spans), ()
