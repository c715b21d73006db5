"""ROOT's Topics Index: a line for each topic with its age, and which leave where room is short (C13, C14, C24)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from engine.text.derived import derived_line
from engine.text.tokens import TokenCounter
from engine.tree.nodes.digest import DigestLine
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.kept_text import pointers_once
from engine.tree.nodes.keywords import Prices
from engine.tree.nodes.phrases import telegram
from engine.tree.nodes.restated import statements
from engine.tree.nodes.things import things
from engine.tree.nodes.worth import PhraseWeights
from engine.tree.root.ledger import LedgerTopic, pointer_problem
from engine.tree.survey.node_topics import OLD_DAYS
from engine.tree.survey.survey import Survey

MOST_TOKENS = 24
"""Tokens behind one topic of the index, where there is room."""
LATEST = 4
"""Entries of a topic, the latest, of which its line tells."""
WORDS = (14, 8)
"""Words of a phrase behind a topic: the longer where it fits."""
OTHERS = 8
"""Names that are listed where no heading names a topic."""


class TopicsIndex:
    """Writes the lines; what it left out and what the operator should know is in `dropped` and `warnings`."""

    def __init__(self, survey: Survey, counter: TokenCounter, weights: PhraseWeights, prices: Prices) -> None:
        self._survey = survey
        self._today = survey.today
        self._counter = counter
        self._weights = weights
        self._prices = prices
        self.warnings: list[str] = []
        self.dropped: list[str] = []

    def fitted(
        self, topics: Sequence[LedgerTopic], wanted: float, spare: float, room: float
    ) -> tuple[list[DigestLine], list[LedgerTopic]]:
        """A line for each topic in about `wanted` tokens, and the topics that left because all took more than `room`.

        While all take less than `spare`, bare names get a phrase.
        `user` and `feedback` topics stay whole, however long that is (decision C13).
        """
        for topic in topics:
            self._check_pointer(topic)
        tokens = self._tokens_per_topic(topics, wanted)
        lines = [self._line(topic, tokens) for topic in topics]
        lines = self._none_bare(topics, lines, spare)
        gone = self._gone(topics, lines, room)
        left = {topic.key for topic in gone}
        return [line for topic, line in zip(topics, lines, strict=True) if topic.key not in left], gone

    def price(self, text: str) -> int:
        """Tokens of a line."""
        return self._counter.count(text) + 1

    def _tokens_per_topic(self, topics: Sequence[LedgerTopic], wanted: float) -> int:
        shrinkable = [topic for topic in topics if not topic.never_shrunk]
        room = wanted - sum(self.price(self._head(topic)) for topic in topics)
        return max(0, min(MOST_TOKENS, int(room / max(1, len(shrinkable)))))

    def _head(self, topic: LedgerTopic) -> str:
        return f"- {topic.name} {topic.tag(self._today)}"

    def _line(self, topic: LedgerTopic, tokens: int) -> DigestLine:
        said = _statements(topic) if topic.kept_whole else self._phrases(topic, tokens)
        pointer = f" → {derived_line(topic.pointer)}" if topic.pointer else ""
        return DigestLine(f"{self._head(topic)}{': ' + said if said else ''}{pointer}", (topic.entries[-1].spans[-1],))

    def _phrases(self, topic: LedgerTopic, tokens: int) -> str:
        """Says what matters most of a topic's latest entries, in so many tokens."""
        found: list[str] = []
        for words in WORDS:
            said = self._weights.said(topic.told[-LATEST:], words)
            for one in sorted(said, key=lambda one: (-one.weight, -one.entry.day.toordinal(), one.text)):
                text = derived_line(telegram(one.text))
                price = self._prices.of(text) + 1
                if price <= tokens and not any(text in known or known in text for known in found):
                    found.append(text)
                    tokens -= price
        return "; ".join(found)

    def _none_bare(self, topics: Sequence[LedgerTopic], lines: list[DigestLine], room: float) -> list[DigestLine]:
        """Gives every topic that would be a bare name a phrase, the latest first, while all of them fit."""
        spare = room - sum(self.price(line.text) + 1 for line in lines)
        found = list(lines)
        for place, topic in enumerate(topics):
            if topic.kept_whole or found[place].text != self._head(topic):
                continue
            line = self._line(topic, MOST_TOKENS)
            price = self.price(line.text) - self.price(found[place].text)
            if price <= spare:
                found[place] = line
                spare -= price
        return found

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
        """Lists things that come up on several days, with their age, where no heading names a topic."""
        texts: dict[date, list[str]] = {}
        for entry in entries:
            texts.setdefault(entry.day, []).extend(fact.text for fact in entry.facts if not fact.ranked)
        last: dict[str, date] = {}
        surface: dict[str, str] = {}
        days: Counter[str] = Counter()
        for day, said in sorted(texts.items()):
            for name in things(said):
                key = name.casefold()
                surface.setdefault(key, name)
                days[key] += 1
                last[key] = day
        ranked = sorted((key for key, seen in days.items() if seen > 1), key=lambda key: (-days[key], key))
        ages = ((surface[key], max(0, (self._today - last[key]).days)) for key in ranked[:OTHERS])
        return [DigestLine(f"- {derived_line(name)} [project, {age}d]") for name, age in ages]


def _statements(topic: LedgerTopic) -> str:
    """Everything that was ever said of a topic that never shrinks, oldest first; the pointers of a reference."""
    said = [(derived_line(entry.kept), entry.day) for entry in topic.entries if entry.kept]
    if topic.type == "reference":
        text = pointers_once([text for text, _ in said])
        return "" if text == topic.pointer else text
    return "; ".join(one.brief for one in statements(said))


def _parents(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
