"""The facts that a section of ROOT tells, so that the next one says others: each stands once (decision C30)."""

from collections.abc import Iterable, Sequence

import msgspec

from engine.tree.nodes.entries import Fact, TopicEntry
from engine.tree.nodes.node_sections import SummaryLine
from engine.tree.nodes.phrase_choice import shape
from engine.workspace.values import LineSpan


class ToldFacts(msgspec.Struct, frozen=True):
    """The lines that told facts stand on, and the facts without their numbers: a routine is told once as well."""

    spans: frozenset[LineSpan] = frozenset()
    shapes: frozenset[str] = frozenset()

    def with_lines(self, lines: Iterable[SummaryLine], entries: Iterable[TopicEntry]) -> "ToldFacts":
        """These, and the facts of some entries that lines of a section tell."""
        spans = self.spans | {span for line in lines for span in line.spans}
        facts = [fact for entry in entries for fact in entry.facts if fact.span in spans and fact.kind != "decision"]
        return ToldFacts(spans, self.shapes | {shape(fact.text) for fact in facts})

    def without(self, entries: Sequence[TopicEntry]) -> list[TopicEntry]:
        """The entries with the facts that are not told yet."""
        return [
            msgspec.structs.replace(entry, facts=tuple(fact for fact in entry.facts if not self._holds(fact)))
            for entry in entries
        ]

    def _holds(self, fact: Fact) -> bool:
        return fact.span in self.spans or (fact.kind != "decision" and shape(fact.text) in self.shapes)
