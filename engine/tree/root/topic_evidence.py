"""Tells the headings that name a thing from those of a journal, by what stands below them and elsewhere (C31)."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.repeats import shape
from engine.tree.nodes.things import stems

SERIES = 3
"""Headings that differ by a number alone, from which they count sessions or rounds and name no thing."""
JOURNAL_DAYS, JOURNAL_SHARE = 5, 0.5
"""Days, and share of all days, from which a heading of which no line below speaks belongs to the form of a journal."""
OWN_SHARE = 1 / 3
"""Share of its entries whose lines speak of a heading, from which it is no mere form."""


class TopicEvidence:
    """Counts, for each heading without a tag, the lines below it and elsewhere that speak of it."""

    def __init__(self, entries: Sequence[TopicEntry]) -> None:
        titled = [entry for entry in entries if entry.topic]
        self._tagged = {entry.key for entry in titled if entry.tagged}
        self._names = {entry.key: stems(entry.topic) for entry in titled}
        days: dict[str, set[object]] = defaultdict(set)
        for entry in titled:
            days[entry.key].add(entry.day)
        told = [entry for entry in titled if entry.facts]
        spoken = Counter(entry.key for entry in told if entry.facts and self._speaks(entry))
        many = Counter(entry.key for entry in told)
        self._own = {key: spoken[key] / count for key, count in many.items()}
        self._others = self._spoken_elsewhere(entries)
        most, series = max(JOURNAL_DAYS, JOURNAL_SHARE * len({entry.day for entry in entries})), _series(self._names)
        self._journal = {
            key
            for key in self._names
            if key not in self._tagged
            and (key in series or (len(days[key]) >= most and self._own.get(key, 0.0) < OWN_SHARE))
        }

    def _speaks(self, entry: TopicEntry) -> bool:
        """Tells whether a line of the entry holds a word of its heading."""
        return any(self._names[entry.key] & stems(fact.text) for fact in entry.facts)

    def _spoken_elsewhere(self, entries: Iterable[TopicEntry]) -> Counter[str]:
        """Counts the lines under other headings that hold two words of a name, or its only one."""
        holding: dict[str, list[str]] = defaultdict(list)
        for key, words in self._names.items():
            for word in words:
                holding[word].append(key)
        found = Counter[str]()
        for entry in entries:
            for fact in entry.facts:
                shared = Counter(key for word in stems(fact.text) for key in holding.get(word, ()))
                found.update(
                    key for key, many in shared.items() if key != entry.key and many >= min(2, len(self._names[key]))
                )
        return found

    def names_a_thing(self, key: str) -> bool:
        """Tells whether a reader may look the topic up: it has a tag, or text speaks of it."""
        return key in self._tagged or (key not in self._journal and self.weight(key) > 1)

    def weight(self, key: str) -> float:
        """Weighs how surely a heading names a thing: 1 where nothing speaks of it."""
        return (1 + self._own.get(key, 0.0)) * (1 + math.log2(1 + self._others[key]) / 4)

    def without_journal(self, entries: Iterable[TopicEntry]) -> list[TopicEntry]:
        """The entries without topics that only the form of a journal makes; what they say stays."""
        found = (replace(entry, topic="") if entry.key in self._journal else entry for entry in entries)
        return [entry for entry in found if entry.topic or entry.facts or entry.kept]


def _series(names: Iterable[str]) -> set[str]:
    keys = list(names)
    counts = Counter(map(shape, keys))
    return {key for key in keys if counts[shape(key)] >= SERIES and shape(key) != key}
