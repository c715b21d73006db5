"""The entries of a node's sources by topic, and what a summary says of a topic in any case (decisions C14, C25)."""

from collections.abc import Sequence
from datetime import date

import msgspec

from engine.text.derived import derived_line
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.kept_text import pointers_once
from engine.tree.nodes.phrase_choice import statements
from engine.tree.nodes.worth import Said
from engine.tree.source_references import raw_day
from engine.tree.topic_headings import KEPT_WHOLE, NEVER_SHRUNK, merged_type
from engine.workspace.values import LineSpan


class TopicGroup(msgspec.Struct):
    """The entries of one topic, or the untitled ones of one source, and what was chosen of them."""

    topic: str
    type: str
    entries: list[TopicEntry]
    chosen: list[Said] = []

    @property
    def done(self) -> bool:
        """The last entry says it is over, and nothing is newer (decision C25)."""
        return self.type == "project" and bool(self.topic) and self.latest.done

    @property
    def name(self) -> str:
        return f"{self.topic} [{self.type}{', done' if self.done else ''}]:"

    @property
    def latest(self) -> TopicEntry:
        """The latest mention: ages of topics are reckoned from it (decision C14)."""
        return max(self.entries, key=_when)

    @property
    def kept(self) -> str:
        """The whole text of what never shrinks, near-equal rules once; of references their pointers."""
        if self.type not in KEPT_WHOLE:
            return ""
        if self.type == "reference":
            return pointers_once([derived_line(entry.kept) for entry in sorted(self.entries, key=_when) if entry.kept])
        return "; ".join(map(str, statements((derived_line(entry.kept), entry.day) for entry in self.entries)))

    @property
    def pointer(self) -> str:
        pointers = [pointer for entry in self.entries for pointer in entry.pointers]
        return f" → {derived_line(pointers[-1])}" if pointers else ""

    def spans(self, most: int) -> tuple[LineSpan, ...]:
        """One stretch of lines for each source, at most so many: the first, and the latest."""
        by_path: dict[str, LineSpan] = {}
        for span in (span for entry in self.entries for span in entry.spans):
            known = by_path.setdefault(span.path, span)
            if self.topic == "" or span.start - known.end <= 2:
                by_path[span.path] = LineSpan(span.path, min(known.start, span.start), max(known.end, span.end))
        spans = sorted(by_path.values(), key=lambda span: (raw_day(span.path) or date.min, span))
        if most == 1:
            return tuple(spans[-1:])
        return tuple(spans if len(spans) <= most else (spans[0], *spans[1 - most :]))


def topic_groups(entries: Sequence[TopicEntry]) -> list[TopicGroup]:
    """Titled entries by topic, untitled ones by their source, in the order in which they first come."""
    found: dict[str, TopicGroup] = {}
    for entry in entries:
        key = f"t:{entry.key}" if entry.topic else f"u:{entry.spans[0].path}:{entry.type in NEVER_SHRUNK}"
        if key in found and entry.tagged:
            found[key].type = merged_type(found[key].type, entry.type)
        found.setdefault(key, TopicGroup(entry.topic, entry.type, [])).entries.append(entry)
    return [group for group in found.values() if group.topic or any(e.facts or e.kept for e in group.entries)]


def _when(entry: TopicEntry) -> tuple[date, LineSpan]:
    return entry.day, entry.spans[-1]
