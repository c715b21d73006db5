"""ROOT's Topics Index: a line for each topic with its age, and which leave where room is short (C13, C14, C24)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from engine.text.derived import derived_line
from engine.text.tokens import TokenCounter
from engine.tree.nodes.digest import DigestLine, bag_of
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.keywords import Prices, WeightedText, bag, pick, telegram, weigh
from engine.tree.root.ledger import LedgerTopic, pointer_problem
from engine.tree.survey.node_topics import OLD_DAYS
from engine.tree.survey.survey import Survey

MOST_WORDS = 24
"""Tokens of sub-keywords behind one topic of the index, where there is room."""


class TopicsIndex:
    """Writes the lines; what it left out and what the operator should know is in `dropped` and `warnings`."""

    def __init__(self, survey: Survey, counter: TokenCounter, rare: Mapping[str, float], prices: Prices) -> None:
        self._survey = survey
        self._today = survey.today
        self._counter = counter
        self._rare = rare
        self._prices = prices
        self.warnings: list[str] = []
        self.dropped: list[str] = []

    def fitted(
        self, topics: Sequence[LedgerTopic], wanted: float, room: float
    ) -> tuple[list[DigestLine], list[LedgerTopic]]:
        """A line for each topic in about `wanted` tokens, and the topics that left because all took more than `room`.

        `user` and `feedback` topics stay whole, however long that is (decision C13).
        """
        for topic in topics:
            self._check_pointer(topic)
        words = self._words_per_topic(topics, wanted)
        lines = [self._line(topic, words) for topic in topics]
        gone = self._gone(topics, lines, room)
        left = {topic.key for topic in gone}
        return [line for topic, line in zip(topics, lines, strict=True) if topic.key not in left], gone

    def price(self, text: str) -> int:
        """Tokens of a line."""
        return self._counter.count(text) + 1

    def _words_per_topic(self, topics: Sequence[LedgerTopic], wanted: float) -> int:
        shrinkable = [topic for topic in topics if not topic.never_shrunk]
        room = wanted - sum(self.price(self._head(topic)) for topic in topics)
        return max(0, min(MOST_WORDS, int(room / max(1, len(shrinkable)))))

    def _head(self, topic: LedgerTopic) -> str:
        return f"- {topic.name} {topic.tag(self._today)}"

    def _line(self, topic: LedgerTopic, words: int) -> DigestLine:
        said = _statements(topic) if topic.never_shrunk else self._sub_keywords(topic, words)
        pointer = f" → {derived_line(topic.pointer)}" if topic.pointer else ""
        return DigestLine(f"{self._head(topic)}{': ' + said if said else ''}{pointer}", (topic.entries[-1].spans[-1],))

    def _sub_keywords(self, topic: LedgerTopic, words: int) -> str:
        facts = [fact for entry in reversed(topic.entries[-4:]) for fact in entry.facts]
        own = bag([WeightedText(topic.name)])
        one = bag_of(topic.entries[-4:])
        weights = {key: value for key, value in weigh(one, self._rare, self._prices).items() if key not in own.counts}
        chosen = {key: one.surfaces[key] for key in pick(weights, one, self._prices, words)}
        return derived_line(telegram(one, [fact.text for fact in facts], chosen, set()))

    def _check_pointer(self, topic: LedgerTopic) -> None:
        files = self._survey.snapshot.files
        if topic.pointer:
            folders = (
                frozenset(parent for path in files for parent in _parents(path))
                if topic.pointer[-1:] == "/"
                else frozenset()
            )
            problem = pointer_problem(topic.pointer, frozenset(files), folders)
            if problem:
                self.warnings.append(f"topic {topic.name} points to {topic.pointer}: {problem}")

    def _gone(self, topics: Sequence[LedgerTopic], lines: Sequence[DigestLine], room: float) -> list[LedgerTopic]:
        """The topics that leave: old projects, then references, then the oldest projects (decision C13)."""
        cost = {topic.key: self.price(line.text) + 1 for topic, line in zip(topics, lines, strict=True)}
        spent = sum(cost.values())
        gone: list[LedgerTopic] = []
        for topic in sorted((one for one in topics if not one.never_shrunk), key=self._shrinks_before):
            if spent <= room:
                break
            spent -= cost[topic.key]
            gone.append(topic)
        if gone:
            named = ", ".join(topic.name for topic in gone[:20])
            self.dropped.append(f"{len(gone)} topics left the index for room: {named}{', …' if len(gone) > 20 else ''}")
        return gone

    def _shrinks_before(self, topic: LedgerTopic) -> tuple[int, int, str]:
        age = topic.age(self._today)
        if topic.type == "reference":
            return 1, -age, topic.key
        return (0 if age > OLD_DAYS else 2), -age, topic.key

    def of_names(self, entries: Sequence[TopicEntry]) -> list[DigestLine]:
        """Lists names that come up on several days, with their age, where no heading names a topic."""
        days: dict[str, set[date]] = {}
        surface: dict[str, str] = {}
        for entry in entries:
            one = bag_of([entry])
            for key in one.names:
                if one.surfaces[key][0].isalpha():
                    days.setdefault(key, set()).add(entry.day)
                    surface.setdefault(key, one.surfaces[key])
        ranked = sorted((key for key, seen in days.items() if len(seen) > 1), key=lambda key: (-len(days[key]), key))
        ages = ((surface[key], max(0, (self._today - max(days[key])).days)) for key in ranked[:12])
        return [DigestLine(f"- {derived_line(name)} [project, {age}d]") for name, age in ages]


def _statements(topic: LedgerTopic) -> str:
    """Everything that was ever said of a topic that never shrinks, oldest first, each once."""
    return "; ".join(dict.fromkeys(derived_line(entry.kept) for entry in topic.entries if entry.kept))


def _parents(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
