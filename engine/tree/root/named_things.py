"""Tells headings that name a thing from the fixed headings of a journal, by the lines below them (C31)."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.repeats import shape
from engine.tree.nodes.things import stems

SERIES = 3  # headings that differ by a number alone, from which they count sessions or rounds and name no thing
JOURNAL_DAYS, JOURNAL_SHARE = 5, 0.5
"""Days, and share of all days, from which a heading that no line below mentions is part of a journal's form."""
OWN_SHARE = 1 / 3  # share of its entries whose lines speak of a heading, from which it is no mere form


class TopicEvidence:
    """Knows, for each topic, the share of its entries whose lines mention it."""

    def __init__(self, entries: Sequence[TopicEntry]) -> None:
        titled = [entry for entry in entries if entry.topic]
        self._tagged = {entry.key for entry in titled if entry.tagged}
        self._names = {entry.key: stems(entry.topic) for entry in titled}
        days = Counter(key for key, _ in {(entry.key, entry.day) for entry in titled})
        told = [entry for entry in titled if entry.facts]
        spoken = Counter(entry.key for entry in told if self._speaks(entry))
        many = Counter(entry.key for entry in told)
        self.own = {key: spoken[key] / count for key, count in many.items()}
        most, series = max(JOURNAL_DAYS, JOURNAL_SHARE * len({entry.day for entry in entries})), _series(self._names)
        self._journal = {
            key
            for key in self._names
            if key not in self._tagged and (key in series or (days[key] >= most and self.own.get(key, 0.0) < OWN_SHARE))
        }

    def _speaks(self, entry: TopicEntry) -> bool:
        """Tells whether a line of the entry contains a word of its heading."""
        return any(self._names[entry.key] & stems(fact.text) for fact in entry.facts)

    def names_a_thing(self, key: str) -> bool:
        """Tells whether a topic names a thing: it has a tag, or lines below it mention it."""
        return key in self._tagged or (key not in self._journal and self.own.get(key, 0.0) > 0)

    def without_journal(self, entries: Iterable[TopicEntry]) -> list[TopicEntry]:
        """Returns the entries with an empty topic where the heading is a journal's; keeps their facts."""
        found = (replace(entry, topic="") if entry.key in self._journal else entry for entry in entries)
        return [entry for entry in found if entry.topic or entry.facts or entry.kept]


def _series(names: Iterable[str]) -> set[str]:
    keys = list(names)
    counts = Counter(map(shape, keys))
    return {key for key in keys if counts[shape(key)] >= SERIES and shape(key) != key}
