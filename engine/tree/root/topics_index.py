"""ROOT's Topics Index: a line for each topic with its age, and which leave where room is short (C13, C14, C24)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

import msgspec

from engine.text.derived import derived_line
from engine.text.tokens import TokenCounter
from engine.tree.nodes.entries import Fact, TopicEntry
from engine.tree.nodes.kept_text import pointers_once
from engine.tree.nodes.node_sections import SummaryLine
from engine.tree.nodes.phrase_choice import choose, shape
from engine.tree.nodes.phrases import telegram
from engine.tree.nodes.restated import statements
from engine.tree.nodes.things import Prices, things
from engine.tree.nodes.worth import PhraseWeights
from engine.tree.root.topic_ages import LedgerTopic, pointer_problem
from engine.tree.survey.node_topics import OLD_DAYS
from engine.tree.survey.survey import Survey
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


LATEST = 4
"""Entries of a topic, the latest, of which its line tells."""
WORDS = 14
"""Words of a phrase behind a topic."""
THRIFT = 0.8
"""Power of its tokens by which a longer phrase weighs less."""
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

    def heads(
        self, topics: Sequence[LedgerTopic], room: float
    ) -> tuple[list[tuple[LedgerTopic, str]], list[LedgerTopic]]:
        """Each topic with its name, age and what never shrinks, and the topics that left as all took more than `room`.
        `user` and `feedback` topics stay, however long that is (decision C13)."""
        for topic in topics:
            self._check_pointer(topic)
        texts = [(topic, self._head(topic)) for topic in topics]
        gone = self._gone(texts, room)
        left = {topic.key for topic in gone}
        return [(topic, text) for topic, text in texts if topic.key not in left], gone

    def lines(self, heads: Sequence[tuple[LedgerTopic, str]], room: int, told: ToldFacts) -> list[SummaryLine]:
        """A line for each topic. In so many tokens they tell what matters most, of every topic its best phrase first.
        `told`: the facts that other sections tell."""
        chosen = self._chosen([topic for topic, _ in heads if not topic.kept_whole], room, told)
        found = []
        for topic, head in heads:
            said = "; ".join(chosen.get(topic.key, ()))
            pointer = f" → {derived_line(topic.pointer)}" if topic.pointer else ""
            found.append(SummaryLine(f"{head}{': ' + said if said else ''}{pointer}", (topic.entries[-1].spans[-1],)))
        return found

    def price(self, text: str) -> int:
        """Tokens of a line."""
        return self._counter.count(text) + 1

    def _chosen(self, topics: Sequence[LedgerTopic], room: int, told: ToldFacts) -> dict[str, list[str]]:
        """By topic, what is said of it."""
        said, keys = [], []
        for topic in topics:
            for one in self._weights.said(told.without(topic.told[-LATEST:]), WORDS):
                text = derived_line(telegram(one.text))
                if text:
                    said.append(msgspec.structs.replace(one, text=text))
                    keys.append(topic.key)
        prices = [self._prices.of(one.text) + 2 for one in said]
        places = {id(one): key for one, key in zip(said, keys, strict=True)}
        found: dict[str, list[str]] = {}
        for one in choose(said, keys, prices, room, thrift=THRIFT, floor=1):
            found.setdefault(places[id(one)], []).append(one.text)
        return found

    def _head(self, topic: LedgerTopic) -> str:
        kept = _statements(topic) if topic.kept_whole else ""
        return f"- {topic.name} {topic.tag(self._today)}{': ' + kept if kept else ''}"

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

    def _gone(self, texts: Sequence[tuple[LedgerTopic, str]], room: float) -> list[LedgerTopic]:
        """The topics that leave: old projects, then references, then the oldest projects (decision C13)."""
        cost = {topic.key: self.price(f"{text} → {topic.pointer}") for topic, text in texts}
        spent = sum(cost.values())
        gone: list[LedgerTopic] = []
        for topic in sorted((one for one, _ in texts if not one.never_shrunk), key=self._shrinks_before):
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
            # References go second, whatever their age (decision C13).
            return 1, -age, topic.key
        return (0 if age > OLD_DAYS else 2), -age, topic.key

    def of_names(self, entries: Sequence[TopicEntry]) -> list[SummaryLine]:
        """Lists things that come up on several days, with their age, where no heading names a topic."""
        texts: dict[date, list[str]] = {}
        for entry in entries:
            texts.setdefault(entry.day, []).extend(fact.text for fact in entry.facts if not fact.ranked)
        last: dict[str, date] = {}
        surface: dict[str, str] = {}
        days: Counter[str] = Counter()
        # In order of time, so that the last day is the one that stays.
        for day, said in sorted(texts.items()):
            for name in things(said):
                key = name.casefold()
                surface.setdefault(key, name)
                days[key] += 1
                last[key] = day
        ranked = sorted((key for key, seen in days.items() if seen > 1), key=lambda key: (-days[key], key))
        ages = ((surface[key], max(0, (self._today - last[key]).days)) for key in ranked[:OTHERS])
        return [SummaryLine(f"- {derived_line(name)} [project, {age}d]") for name, age in ages]


def _statements(topic: LedgerTopic) -> str:
    """Everything that was ever said of a topic that never shrinks, oldest first; the pointers of a reference."""
    said = [(derived_line(entry.kept), entry.day) for entry in topic.entries if entry.kept]
    if topic.type == "reference":
        text = pointers_once([text for text, _ in said])
        alone = bool(topic.pointer) and "; " not in text
        return " ".join(text.replace(topic.pointer, " ").split()) if alone else text
    return "; ".join(one.brief for one in statements(said))


def _parents(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
