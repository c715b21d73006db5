"""ROOT's Recent Patterns: topics that come up again and again, and the latest lessons (tree §Step 5)."""

from collections.abc import Iterable, Sequence
from datetime import date

from engine.models.cleaning import point_text
from engine.text.derived import derived_line
from engine.tree.levels import NodeLevel, node_path
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.node_sections import SummaryLine
from engine.tree.nodes.phrases import names_nothing, telegram, telling_clause
from engine.tree.root.active_context import ACTIVE_WORDS
from engine.tree.root.lines import fact_label
from engine.tree.root.topic_ages import LedgerTopic
from engine.tree.survey.survey import Survey
from engine.tree.topic_headings import read_topics

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
