"""Writes ROOT's active context, recent patterns and Topics Index, and drops topics for room (C13, C14, C24)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath

import msgspec
from msgspec.structs import replace

from engine.models.plain_line import point_text
from engine.text.derived import derived_line
from engine.text.tokens import TokenCounter
from engine.tree.levels import NodeLevel, node_path
from engine.tree.nodes.entries import Fact, TopicEntry
from engine.tree.nodes.kept_or_left_out import pointers_once
from engine.tree.nodes.node_frontmatter import SummaryLine
from engine.tree.nodes.node_summary import named_things
from engine.tree.nodes.phrases import names_nothing, telegram, telling_clause
from engine.tree.nodes.repeats import SHOWN_TIMES, shape
from engine.tree.nodes.things import Prices, stems
from engine.tree.nodes.topic_groups import Told, choose, statements
from engine.tree.nodes.worth import PhraseWeights, Said
from engine.tree.root.lines import fact_label
from engine.tree.root.named_things import TopicEvidence
from engine.tree.root.sources import Task
from engine.tree.root.topic_ages import LedgerTopic, pointer_problem
from engine.tree.survey.node_topics import OLD_DAYS
from engine.tree.survey.survey import Survey
from engine.tree.survey.tree_status import WORKING
from engine.tree.topic_headings import DEFAULT_TYPE, KEPT_WHOLE, NEVER_SHRUNK, read_topics
from engine.workspace.values import LineSpan

ACTIVE_DAYS = 7  # days back, today included, whose nodes fill Active Context
ACTIVE_WORDS = 20  # words of a phrase of the last days
UNTITLED_AT_ONCE = 6
"""Phrases without a topic that rank with the first phrase of every topic, and again with the second."""
MOST_RECENT = 200  # phrases of the recent days that Active Context chooses from


def active_lines(
    tasks: Iterable[Task], entries: Iterable[TopicEntry], over: Collection[str], weights: PhraseWeights
) -> Iterable[SummaryLine]:
    """Yields open tasks, then the weightiest phrases of the last days. `over`: keys of completed topics."""
    for task in tasks:
        if not task.over:
            goal = f": {task.goal}" if task.goal else ""
            yield SummaryLine(f"- {task.name}{goal} (in progress)", (LineSpan(WORKING, task.line, task.line),))
    # Of the last days decisions before requests; of what is over only how it ended.
    recent = weights.said([entry for entry in entries if entry.type not in KEPT_WHOLE], ACTIVE_WORDS)
    said = [phrase for phrase in recent if phrase.entry.key not in over or not phrase.entry.topic or phrase.entry.done]
    said = [phrase for phrase in said if phrase.stands_alone or phrase.times > 1] or said
    said.sort(key=lambda phrase: (-phrase.weight, -phrase.entry.day.toordinal(), phrase.fact.span, phrase.text))
    told: Counter[str] = Counter()
    ranked: list[tuple[int, int, Said]] = []
    # Turn by turn: the best phrase of every topic, then the second of each; one busy topic would else fill it all.
    for place, one in enumerate(said):
        ranked.append((told[one.entry.key] if one.entry.topic else place // UNTITLED_AT_ONCE, place, one))
        told[one.entry.key] += bool(one.entry.topic)
    told_before = Told()
    for *_, one in sorted(ranked, key=lambda pair: pair[:2])[:MOST_RECENT]:
        text = derived_line(point_text(telegram(one.text)))
        if text and told_before.take(text):
            yield SummaryLine(f"- {fact_label(one.entry, one.fact)}{text}", (one.fact.span,))


PATTERN_DAYS = 35  # days back, five weeks, in which a topic must recur to be a pattern
PATTERN_TIMES = 3  # days of the last five weeks on which a topic must come up to be a pattern
_MOST_TOPICS, _MOST_EVENTS, _MOST_LESSONS = 6, 4, 8  # topics, events and lessons that are named, at most


def pattern_lines(
    survey: Survey, topics: Iterable[LedgerTopic], entries: Sequence[TopicEntry], weights: PhraseWeights
) -> Iterable[SummaryLine]:
    """Yields topics and events that recur, then the latest lessons, each with its source."""
    named_on = _named_on(survey)
    days = ((topic, named_on.get(topic.key, [])) for topic in topics)
    counted = [(len(on), topic, min(on)) for topic, on in days if len(on) >= PATTERN_TIMES]
    for many, topic, first in sorted(counted, key=lambda one: (-one[0], one[1].key))[:_MOST_TOPICS]:
        yield SummaryLine(f"- {topic.name}: {many} days since {first.isoformat()}", (topic.entries[-1].spans[-1],))
    late = [entry for entry in entries if 0 <= (survey.today - entry.day).days <= PATTERN_DAYS]
    often = [phrase for phrase in weights.said(late, ACTIVE_WORDS) if phrase.times >= SHOWN_TIMES]
    for event in sorted(often, key=lambda phrase: (-phrase.times, phrase.fact.span))[:_MOST_EVENTS]:
        text = derived_line(point_text(telegram(event.text)))
        yield SummaryLine(f"- {fact_label(event.entry, event.fact)}{text}", (event.fact.span,))
    facts = ((entry, fact) for entry in entries for fact in entry.facts if fact.kind == "insight")
    recent = [
        (entry, fact)
        for entry, fact in facts
        if (survey.today - entry.day).days <= PATTERN_DAYS and (entry.topic or not names_nothing(fact.text))
    ]
    recent.sort(key=lambda pair: (-pair[0].day.toordinal(), pair[1].span))
    for entry, fact in recent[:_MOST_LESSONS]:
        text = derived_line(point_text(telegram(telling_clause(fact.text, ACTIVE_WORDS).text)))
        yield SummaryLine(f"- {fact_label(entry, fact)}{text}", (fact.span,))


def _named_on(survey: Survey) -> dict[str, list[date]]:
    """Returns the recent days whose nodes name each topic, by its key."""
    found: dict[str, list[date]] = {}
    for period in survey.tree_files.periods[NodeLevel.DAILY]:
        day = date.fromisoformat(period)
        held = survey.trusted(node_path(NodeLevel.DAILY, period))
        if held is not None and 0 <= (survey.today - day).days <= PATTERN_DAYS:
            for topic in read_topics(held.values):
                found.setdefault(topic.key, []).append(day)
    return found


class ToldFacts(msgspec.Struct, frozen=True):
    """Facts that other sections tell: their lines, and their texts without numbers, as a routine is told once."""

    spans: frozenset[LineSpan] = frozenset()
    shapes: frozenset[str] = frozenset()

    def with_lines(self, lines: Iterable[SummaryLine], entries: Iterable[TopicEntry]) -> "ToldFacts":
        """Adds the facts of these entries that lines of a section tell."""
        spans = self.spans | {span for line in lines for span in line.spans}
        facts = [fact for entry in entries for fact in entry.facts if fact.span in spans and fact.kind != "decision"]
        return ToldFacts(spans, self.shapes | {shape(fact.text) for fact in facts})

    def without(self, entries: Sequence[TopicEntry]) -> list[TopicEntry]:
        """Returns the entries without facts that are already told."""

        def is_told(fact: Fact) -> bool:
            return fact.span in self.spans or (fact.kind != "decision" and shape(fact.text) in self.shapes)

        facts = ((entry, tuple(fact for fact in entry.facts if not is_told(fact))) for entry in entries)
        return [replace(entry, facts=left) for entry, left in facts]


LATEST = 4  # entries of a topic, the latest, of which its line tells
WORDS = 20  # words of a phrase behind a topic
THRIFT = 0.8  # power of its tokens by which a longer phrase weighs less
LEAST_EVIDENCE = 0.25  # weight of a topic of whose name no line below it speaks; 1 more where all do
OTHERS = 24  # things that may be listed where no heading names a topic


class IndexLine(msgspec.Struct, frozen=True):
    """A line of the index: its topic, its text, and whether it has phrases."""

    topic: LedgerTopic
    line: SummaryLine
    said: bool


def in_order(lines: Iterable[IndexLine]) -> list[SummaryLine]:
    """Returns the lines, the topic mentioned last first."""
    return [line.line for line in sorted(lines, key=lambda line: (-line.topic.last.toordinal(), line.topic.key))]


class TopicsIndex:
    """Writes the lines of the index. `dropped`: what it omitted; `warnings`: what the operator should know."""

    def __init__(
        self, survey: Survey, counter: TokenCounter, weights: PhraseWeights, prices: Prices, evidence: TopicEvidence
    ) -> None:
        self._survey = survey
        self._today = survey.today
        self._counter = counter
        self._weights = weights
        self._prices = prices
        self._evidence = evidence
        self.warnings: list[str] = []
        self.dropped: list[str] = []

    def heads(
        self, topics: Iterable[LedgerTopic], room: int
    ) -> tuple[list[tuple[LedgerTopic, str]], list[LedgerTopic]]:
        """Returns each tagged topic with its tag, age and what never shrinks; and the topics that leave for lack of
        room. `user` and `feedback` topics always stay (decision C13)."""
        texts = []
        for topic in topics:
            self._check_pointer(topic)
            if topic.tagged:
                texts.append((topic, self._head(topic)))
        gone = self._gone(texts, room)
        left = {topic.key for topic in gone}
        return [(topic, text) for topic, text in texts if topic.key not in left], gone

    def _head(self, topic: LedgerTopic) -> str:
        kept = _statements(topic) if topic.type in KEPT_WHOLE else ""
        return f"- {topic.name} {topic.tag(self._today)}{': ' + kept if kept else ''}"

    def untagged(
        self, topics: Iterable[LedgerTopic], entries: Sequence[TopicEntry], room: int, told: ToldFacts
    ) -> list["IndexLine"]:
        """Returns the lines of untagged topics with phrases, else of things that several days mention (C31)."""
        heads = [(topic, self._head(topic)) for topic in topics if not topic.tagged]
        heads = heads or [(topic, self._head(topic)) for topic in self._named_topics(entries)]
        return [line for line in self._filled(heads, room, told, every=False) if line.said]

    def tagged(self, heads: Sequence[tuple[LedgerTopic, str]], room: int, told: ToldFacts) -> list["IndexLine"]:
        """Returns a line for each head, with phrases in `room` tokens, first the best of every topic."""
        return self._filled(heads, room, told, every=True)

    def _filled(
        self, heads: Sequence[tuple[LedgerTopic, str]], room: int, told: ToldFacts, *, every: bool
    ) -> list["IndexLine"]:
        """Adds phrases to each head; unless `every` head is shown, its first phrase pays for the head too."""
        price = {} if every else {topic.key: self.price(self._line(topic, text)) for topic, text in heads}
        chosen = self._chosen([topic for topic, _ in heads if topic.type not in KEPT_WHOLE], price, room, told)
        lines = []
        for topic, head in heads:
            said = chosen.get(topic.key, [])
            spans = (*(phrase.fact.span for phrase in said), topic.entries[-1].spans[-1])
            text = self._line(topic, head, "; ".join(phrase.text for phrase in said))
            lines.append(IndexLine(topic, SummaryLine(text, spans), bool(said)))
        return lines

    def _line(self, topic: LedgerTopic, head: str, said: str = "") -> str:
        return f"{head}{': ' + said if said else ''}{f' → {derived_line(topic.pointer)}' if topic.pointer else ''}"

    def price(self, text: str) -> int:
        """Returns the tokens of a line."""
        return self._counter.count(text) + 1

    def _chosen(
        self, topics: Sequence[LedgerTopic], heads: Mapping[str, int], room: int, told: ToldFacts
    ) -> dict[str, list[Said]]:
        """Chooses the phrases of each topic, by its key. `heads`: the tokens of a head without phrases."""
        new = ((topic.key, told.without(topic.told[-LATEST:])) for topic in topics)
        able = [(key, phrase) for key, entries in new for phrase in self._weights.said(entries, WORDS)]
        texts = ((key, one, derived_line(telegram(one.text))) for key, one in able if one.stands_alone)
        said = [
            (key, replace(one, text=text, weight=one.weight * (LEAST_EVIDENCE + self._evidence.own.get(key, 0.0))))
            for key, one, text in texts
            if text
        ]
        prices = [self._prices.of(one.text) + 2 + heads.get(key, 0) for key, one in said]
        keys = {id(one): key for key, one in said}
        found: dict[str, list[Said]] = {}
        for one in choose([one for _, one in said], list(keys.values()), prices, room, thrift=THRIFT, floor=1):
            found.setdefault(keys[id(one)], []).append(one)
        return found

    def _check_pointer(self, topic: LedgerTopic) -> None:
        files = self._survey.snapshot.files
        named = files if topic.pointer[-1:] == "/" else ()
        folders = frozenset(str(parent) for path in named for parent in PurePosixPath(path).parents)
        problem = pointer_problem(topic.pointer, frozenset(files), folders) if topic.pointer else None
        if problem:
            self.warnings.append(f"topic {topic.name} points to {topic.pointer}: {problem}")

    def _gone(self, texts: Sequence[tuple[LedgerTopic, str]], room: float) -> list[LedgerTopic]:
        """Returns the topics to drop: old projects, then references, then the oldest projects (decision C13)."""
        cost = {topic.key: self.price(f"{text} → {topic.pointer}") for topic, text in texts}
        spent = sum(cost.values())
        gone: list[LedgerTopic] = []
        for topic in sorted((one for one, _ in texts if one.type not in NEVER_SHRUNK), key=self._shrinks_before):
            if spent <= room:
                break
            spent -= cost[topic.key]
            gone.append(topic)
        if gone:
            named = ", ".join(topic.name for topic in gone[:20])
            self.dropped.append(f"{len(gone)} topics left the index for room: {named}{', …' if len(gone) > 20 else ''}")
        return gone

    def _shrinks_before(self, topic: LedgerTopic) -> tuple[int, int, str]:
        # Old projects go first, then references, whatever their age (decision C13).
        age = topic.age(self._today)
        return (1 if topic.type == "reference" else 0 if age > OLD_DAYS else 2), -age, topic.key

    def _named_topics(self, entries: Sequence[TopicEntry]) -> Iterable[LedgerTopic]:
        """Yields the things that several days mention, each with the entries that mention it."""
        in_time = sorted(entries, key=lambda entry: entry.day)
        for name, last in named_things(in_time)[:OTHERS]:
            words = stems(name)
            own = [
                replace(entry, facts=facts)
                for entry in in_time
                if (facts := tuple(fact for fact in entry.facts if words <= stems(fact.text)))
            ]
            if own:
                yield LedgerTopic(name=derived_line(name), type=DEFAULT_TYPE, last=last, entries=tuple(own))


def _statements(topic: LedgerTopic) -> str:
    said = [(derived_line(entry.kept), entry.day) for entry in topic.entries if entry.kept]
    if topic.type == "reference":
        text = pointers_once([text for text, _ in said])
        alone = bool(topic.pointer) and "; " not in text
        return " ".join(text.replace(topic.pointer, " ").split()) if alone else text
    return "; ".join(statement.brief for statement in statements(said))
