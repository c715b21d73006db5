"""A candidate entry: what could be appended, and the lines behind each of its fields (compactor §Extract)."""

import msgspec

from engine.compactor.semantic.entry import SemanticEntry
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
