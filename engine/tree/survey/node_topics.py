"""Reads and writes the topics in a node's frontmatter, each with its last mention (decision C14)."""

from collections.abc import Collection, Iterable
from datetime import date
from itertools import accumulate, groupby, takewhile

import msgspec

from engine.tree.levels import NodeLevel, last_day, node_place
from engine.tree.source_references import near_date, raw_day
from engine.tree.survey.node_status import Values
from engine.tree.topic_headings import NEVER_SHRUNK, TreeTopic, merged_type, read_topics

DOUBTFUL_DAYS = 30  # a `reference` older than this is marked `?` (strictly older, decision C14)
OLD_DAYS = 90  # a `project` older than this leaves ROOT's index first (strictly older)
HEADED = "topics-by-heading"
"""The key in a month's summary for the number of its topics that headings name."""
MOST_TOPIC_BYTES = 24_000  # of `topics:` in a node's frontmatter, which is read up to 64 KB


def near_day(path: str) -> date:
    """Returns the last day of a node's period or the day of a raw log; `date.max` for ROOT and other files."""
    place = node_place(path)
    if place is None or place[0] is NodeLevel.ROOT:
        return raw_day(path) or date.max
    return last_day(*place)


class NodeTopics(msgspec.Struct, frozen=True):
    """The topics of a node with the day of last mention, the latest first."""

    found: tuple[tuple[TreeTopic, date], ...]
    headed: int = 0  # the first of them, so many, are named by headings of the logs; known of a month's summary alone
    warnings: tuple[str, ...] = ()


def stated_topics(path: str, values: Values) -> list[tuple[TreeTopic, date]]:
    """Returns the topics in a node's frontmatter with their last mention, by default the node's last day."""
    topics = read_topics(values)
    days = values.get("mentioned", [])
    default = near_day(path)
    known = read_mentions(days, default, len(topics)) if isinstance(days, list) else []
    return [(topic, (known[n] if n < len(known) else None) or default) for n, topic in enumerate(topics)]


def headed_topics(path: str, values: Values) -> list[tuple[TreeTopic, date]]:
    """Returns the topics of headings that a month's frontmatter states, which come first there."""
    stated = values.get(HEADED, "")
    # Five digits at most: another program may have written any.
    many = int(stated) if isinstance(stated, str) and stated.isdecimal() and len(stated) < 6 else 0
    return stated_topics(path, values)[:many] if many else []


def headed_first(topics: NodeTopics, keys: Collection[str]) -> NodeTopics:
    """Sorts the topics of headings first."""
    found = sorted(topics.found, key=lambda pair: pair[0].key not in keys)
    return NodeTopics(tuple(found), sum(topic.key in keys for topic, _ in found), topics.warnings)


def write_mentions(days: Iterable[date]) -> list[str]:
    """Writes the days of topics briefly: `11-01, 10-30 x5, 28`. Whole dates took a tenth of a month's size."""
    found: list[str] = []
    month = ""
    for day, same in groupby(days):
        many = len(list(same))
        known, month = month, f"{day:%m}"
        found.append((f"{day:%d}" if known == month else f"{day:%m-%d}") + (f" x{many}" if many > 1 else ""))
    return found


def read_mentions(stated: Iterable[str], near: date, most: int) -> list[date | None]:
    """Reads at most `most` days, in that spelling or as whole dates; None for an invalid day."""
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
    """Merges topics by key: the latest mention and spelling; a type that never shrinks wins."""
    return _fitting(sorted(merge(pairs).values(), key=lambda pair: (-pair[1].toordinal(), pair[0].key)))


def merge(pairs: Iterable[tuple[TreeTopic, date]]) -> dict[str, tuple[TreeTopic, date]]:
    """Returns, by key, each topic as last spelt and its last mention; completed if completed on that day."""
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
    """Keeps as many topics as fit into the frontmatter, first those that never shrink (decision C13)."""
    never_shrunk_first = sorted((topic for topic, _ in ordered), key=lambda topic: topic.type not in NEVER_SHRUNK)
    # Sixteen bytes for its day and what stands between two topics.
    sizes = accumulate(len(str(topic).encode()) + 16 for topic in never_shrunk_first)
    fitting = takewhile(lambda pair: pair[1] <= MOST_TOPIC_BYTES, zip(never_shrunk_first, sizes, strict=True))
    kept = {topic.key for topic, _ in fitting}
    left_out = len(ordered) - len(kept)
    warnings = (f"{left_out} topics do not fit into the frontmatter",) if left_out else ()
    return NodeTopics(tuple(pair for pair in ordered if pair[0].key in kept), warnings=warnings)
