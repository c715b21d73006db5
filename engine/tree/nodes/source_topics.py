"""Finds the topics of a node in its sources: their headings, or what they are about."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

import msgspec

from engine.tree.levels import NodeLevel
from engine.tree.nodes.entries import EntryList, TopicEntry
from engine.tree.nodes.node_source import NodeSource, read_clean, read_origin
from engine.tree.nodes.things import MOST, things
from engine.tree.survey.node_topics import NodeTopics, headed_first, merged_topics, near_day, stated_topics
from engine.tree.topic_headings import DEFAULT_TYPE, TreeTopic, clean_topic
from engine.workspace.values import LineSpan


def topics_of(level: NodeLevel, origins: Sequence[NodeSource]) -> NodeTopics:
    """From the headings of raw logs, or from what the nodes below say."""
    if level is not NodeLevel.DAILY:
        return merged_topics(
            pair for origin in origins for pair in stated_topics(origin.path, origin.document.frontmatter.values)
        )
    reads = [read_clean(origin) for origin in origins]
    return topics_of_entries(reads, near_day(origins[0].path))


def with_completed(topics: NodeTopics, origins: Sequence[NodeSource]) -> NodeTopics:
    """The topics of headings first, marked where the last entry says that they are over; a month's body has not all."""
    last: dict[str, TopicEntry] = {}
    for entry in sorted((one for origin in origins for one in read_origin(origin).entries if one.topic), key=_when):
        last[entry.key] = entry
    over = {key for key, entry in last.items() if entry.done}
    found = [
        (msgspec.structs.replace(topic, done=topic.done or (topic.key in over and topic.type == DEFAULT_TYPE)), day)
        for topic, day in topics.found
    ]
    return headed_first(msgspec.structs.replace(topics, found=tuple(found)), last)


def _when(entry: TopicEntry) -> tuple[date, LineSpan]:
    return entry.day, entry.spans[-1]


def topics_of_entries(reads: Sequence[EntryList], day: date) -> NodeTopics:
    """The headings of a day; where none names a topic, the things that it is about."""
    entries = [entry for read in reads for entry in read.entries]
    titled = [(TreeTopic(entry.topic, entry.type), day) for entry in entries if entry.topic]
    unknown = Counter(topic.type for topic, _ in titled if not topic.known)
    warnings = tuple(f"unknown type [{name}] on {many} headings: kept" for name, many in sorted(unknown.items()))
    if titled:
        return NodeTopics(merged_topics(titled).found, warnings=warnings)
    names = map(clean_topic, things(fact.text for entry in entries for fact in entry.facts)[:MOST])
    return NodeTopics(tuple((TreeTopic(name), day) for name in names if name), warnings=warnings)
