"""The lines of ROOT's active context and recent patterns."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date

from engine.models.cleaning import point_text
from engine.text.derived import derived_line
from engine.tree.levels import NodeLevel, node_path
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.node_sections import SummaryLine
from engine.tree.nodes.phrases import names_nothing, telegram, telling_clause
from engine.tree.nodes.restated import Told
from engine.tree.nodes.worth import PhraseWeights, Said
from engine.tree.root.lines import fact_label
from engine.tree.root.sources import RootSources
from engine.tree.root.topic_ages import LedgerTopic
from engine.tree.survey.status import WORKING
from engine.tree.survey.survey import Survey
from engine.tree.topic_headings import KEPT_WHOLE, read_topics
from engine.workspace.values import LineSpan

ACTIVE_DAYS = 7
"""Days back, today included, whose nodes fill Active Context."""
ACTIVE_WORDS = 20
"""Words of a phrase of the last days."""
UNTITLED_AT_ONCE = 6
"""Phrases without a topic that stand beside the first one of every topic, and again beside the second."""
MOST_RECENT = 200
"""Phrases of the recent days that Active Context chooses from."""


def active_lines(sources: RootSources, over: Collection[str], weights: PhraseWeights) -> Iterable[SummaryLine]:
    """Lists what is in progress: open tasks, then what matters most of the last days, each topic's best first. `over`:
    keys of the topics that are over."""
    yield from _open_tasks(sources)
    yield from _recent(sources, over, weights)


def _open_tasks(sources: RootSources) -> Iterable[SummaryLine]:
    for task in sources.tasks:
        if not task.over:
            goal = f": {task.goal}" if task.goal else ""
            yield SummaryLine(f"- {task.name}{goal} (in progress)", (LineSpan(WORKING, task.line, task.line),))


def _recent(sources: RootSources, over: Collection[str], weights: PhraseWeights) -> Iterable[SummaryLine]:
    """Phrases of the last days, decisions before requests; of what is over only how it ended."""
    recent = [
        entry
        for path in sources.recent_days(ACTIVE_DAYS)
        for entry in sources.entries(path)
        if entry.type not in KEPT_WHOLE
    ]
    said = [
        one
        for one in weights.said(recent, ACTIVE_WORDS)
        if one.entry.key not in over or not one.entry.topic or one.entry.done
    ]
    said.sort(key=lambda one: (-one.weight, -one.entry.day.toordinal(), one.fact.span, one.text))
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


PATTERN_DAYS = 35
"""Days back, five weeks, in which a topic must recur to be a pattern."""
PATTERN_TIMES = 3
"""Days of the last five weeks on which a topic must come up to be a pattern."""
_MOST_TOPICS, _MOST_LESSONS = 6, 8
"""Topics and lessons that are named, at most."""


def pattern_lines(
    survey: Survey, topics: Iterable[LedgerTopic], entries: Sequence[TopicEntry]
) -> Iterable[SummaryLine]:
    """Topics that keep coming up, then the latest lessons."""
    yield from _recurring(survey, topics)
    yield from _lessons(entries, survey.today)


def _recurring(survey: Survey, topics: Iterable[LedgerTopic]) -> Iterable[SummaryLine]:
    counted = []
    named_on = _named_on(survey)
    for topic in topics:
        days = named_on.get(topic.key, [])
        if len(days) >= PATTERN_TIMES:
            counted.append((len(days), topic, min(days)))
    for many, topic, first in sorted(counted, key=lambda one: (-one[0], one[1].key))[:_MOST_TOPICS]:
        yield SummaryLine(f"- {topic.name}: {many} days since {first.isoformat()}", (topic.entries[-1].spans[-1],))


def _named_on(survey: Survey) -> dict[str, list[date]]:
    """By topic, the days of the last weeks whose nodes name it."""
    found: dict[str, list[date]] = {}
    for period in survey.tree_files.periods[NodeLevel.DAILY]:
        day = date.fromisoformat(period)
        held = survey.trusted(node_path(NodeLevel.DAILY, period))
        if held is not None and 0 <= (survey.today - day).days <= PATTERN_DAYS:
            for topic in read_topics(held.values):
                found.setdefault(topic.key, []).append(day)
    return found


def _lessons(entries: Sequence[TopicEntry], today: date) -> Iterable[SummaryLine]:
    """The latest lessons, each with its source."""
    facts = [(entry, fact) for entry in entries for fact in entry.facts if fact.kind == "insight"]
    recent = [
        (entry, fact)
        for entry, fact in facts
        if (today - entry.day).days <= PATTERN_DAYS and (entry.topic or not names_nothing(fact.text))
    ]
    recent.sort(key=lambda pair: (-pair[0].day.toordinal(), pair[1].span))
    for entry, fact in recent[:_MOST_LESSONS]:
        text = derived_line(point_text(telegram(telling_clause(fact.text, ACTIVE_WORDS).text)))
        yield SummaryLine(f"- {fact_label(entry, fact)}{text}", (fact.span,))
