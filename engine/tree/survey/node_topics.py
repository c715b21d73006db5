"""Topics as nodes state them, each with the day it was last mentioned; from frontmatter alone (decision C14)."""

from collections.abc import Collection, Iterable
from datetime import date
from itertools import accumulate, groupby, takewhile

import msgspec

from engine.tree.levels import NodeLevel, last_day, node_place
from engine.tree.source_references import near_date, raw_day
from engine.tree.survey.node_state import Values
from engine.tree.topic_headings import NEVER_SHRUNK, TreeTopic, merged_type, read_topics

DOUBTFUL_DAYS = 30  # a `reference` older than this is marked `?` (strictly older, decision C14)
OLD_DAYS = 90  # a `project` older than this leaves ROOT's index first (strictly older)
HEADED = "topics-by-heading"
"""The key by which a month's summary says how many of its topics are named by headings and not found in the text."""
MOST_TOPIC_BYTES = 24_000  # of `topics:` in a node's frontmatter, which is read up to 64 KB


def near_day(path: str) -> date:
    """A day of the period that a raw log or node is about."""
    place = node_place(path)
    if place is None or place[0] is NodeLevel.ROOT:
        return raw_day(path) or date.max
    return last_day(*place)


class NodeTopics(msgspec.Struct, frozen=True):
    """The topics of a node with the day each was last mentioned, the latest first."""

    found: tuple[tuple[TreeTopic, date], ...]
    headed: int = 0  # the first of them, so many, are named by headings of the logs; known of a month's summary alone
    warnings: tuple[str, ...] = ()


def stated_topics(path: str, values: Values) -> list[tuple[TreeTopic, date]]:
    """The topics a node states, each with its last mention; the node's last day where it does not say."""
    topics = read_topics(values)
    days = values.get("mentioned", [])
    default = near_day(path)
    known = read_mentions(days, default, len(topics)) if isinstance(days, list) else []
    return [(topic, (known[n] if n < len(known) else None) or default) for n, topic in enumerate(topics)]


def headed_topics(path: str, values: Values) -> list[tuple[TreeTopic, date]]:
    """The topics that a month's summary names in its frontmatter alone: those of headings, which stand first."""
    stated = values.get(HEADED, "")
    # Five digits at most: another program may have written any.
    many = int(stated) if isinstance(stated, str) and stated.isdecimal() and len(stated) < 6 else 0
    return stated_topics(path, values)[:many] if many else []


def headed_first(topics: NodeTopics, keys: Collection[str]) -> NodeTopics:
    """The same topics, those of headings first."""
    found = sorted(topics.found, key=lambda pair: pair[0].key not in keys)
    return NodeTopics(tuple(found), sum(topic.key in keys for topic, _ in found), topics.warnings)


def write_mentions(days: Iterable[date]) -> list[str]:
    """The days of topics in their order: `11-01, 10-30 x5, 28`, equal neighbours and a month that goes on named once.
    The node's period has the year. Whole dates took a tenth of what a month may be."""
    found: list[str] = []
    month = ""
    for day, same in groupby(days):
        many = len(list(same))
        known, month = month, f"{day:%m}"
        found.append((f"{day:%d}" if known == month else f"{day:%m-%d}") + (f" x{many}" if many > 1 else ""))
    return found


def read_mentions(stated: Iterable[str], near: date, most: int) -> list[date | None]:
    """The days of at most so many topics, in this spelling or as whole dates; None for what is no day."""
    found: list[date | None] = []
    month = ""
    for text in stated:
        day, _, many = text.partition(" x")
        count = int(many) if many.isdecimal() and len(many) < 6 else 1
        whole = f"{month}-{day}" if len(day) == len("28") else day
        month = whole[-5:-3]
        found += [near_date(whole, near)] * min(count, most - len(found))
    return found


def merged_topics(pairs: Iterable[tuple[TreeTopic, date]]) -> NodeTopics:
    """Each topic once, with its latest mention and its name as last written; what is never shrunk keeps its type."""
    return _fitting(sorted(merge(pairs).values(), key=lambda pair: (-pair[1].toordinal(), pair[0].key)))


def merge(pairs: Iterable[tuple[TreeTopic, date]]) -> dict[str, tuple[TreeTopic, date]]:
    """By key: the topic as last written, and the day it was last mentioned; completed if it is so on that day."""
    found: dict[str, tuple[TreeTopic, date]] = {}
    for topic, day in pairs:
        if (known := found.get(topic.key)) is None:
            found[topic.key] = (topic, day)
            continue
        newer = day >= known[1]
        type_ = merged_type(known[0].type, topic.type) if newer else merged_type(topic.type, known[0].type)
        done = (topic.done and newer) or (known[0].done and day <= known[1])
        found[topic.key] = (TreeTopic(topic.name if newer else known[0].name, type_, done), max(day, known[1]))
    return found


def _fitting(ordered: list[tuple[TreeTopic, date]]) -> NodeTopics:
    """As many as the frontmatter holds; what is never shrunk has its place before all others (decision C13)."""
    never_shrunk_first = sorted((topic for topic, _ in ordered), key=lambda topic: topic.type not in NEVER_SHRUNK)
    # Sixteen bytes for its day and what stands between two topics.
    sizes = accumulate(len(str(topic).encode()) + 16 for topic in never_shrunk_first)
    fitting = takewhile(lambda pair: pair[1] <= MOST_TOPIC_BYTES, zip(never_shrunk_first, sizes, strict=True))
    kept = {topic.key for topic, _ in fitting}
    left_out = len(ordered) - len(kept)
    warnings = (f"{left_out} topics do not fit into the frontmatter",) if left_out else ()
    return NodeTopics(tuple(pair for pair in ordered if pair[0].key in kept), warnings=warnings)
