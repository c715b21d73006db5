"""Keeps the topic ledger: every topic with its type, its last mention and its pointer (C14)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import reduce
from typing import Any

import msgspec

from engine.errors import Refused
from engine.tree.levels import NodeLevel, node_path
from engine.tree.nodes.entries import TopicEntry
from engine.tree.survey.node_topics import DOUBTFUL_DAYS
from engine.tree.topic_headings import DEFAULT_TYPE, KNOWN_TYPES, TreeTopic, merged_type
from engine.workspace.paths import relative_path
from engine.workspace.values import LineSpan

_INDEX_LINE = re.compile(
    r"- (?P<name>[^\[\]]+?) \[(?P<tags>[^\[\]]*)\](?: \[\?\])?:? ?(?P<text>.*?)(?: ?(?:→|->) (?P<to>\S.*))?\Z"
)


class LedgerTopic(msgspec.Struct, frozen=True, kw_only=True):
    """One topic of the whole tree. `entries`: the entries about it, oldest first."""

    name: str
    type: str
    last: date
    entries: tuple[TopicEntry, ...]
    pointer: str = ""
    done: bool = False
    tagged: bool = False  # true if a heading with a tag names it, or the index has had a pointer of it that no log says

    @property
    def key(self) -> str:
        return " ".join(self.name.casefold().split())

    @property
    def told(self) -> tuple[TopicEntry, ...]:
        """The entries that have facts."""
        return tuple(entry for entry in self.entries if entry.facts)

    def age(self, today: date) -> int:
        """Returns the days since the last mention, at least 0 (decision G8)."""
        return max(0, (today - self.last).days)

    def tag(self, today: date) -> str:
        """Returns `[project, 5d]`, or `[reference, 45d, ?]` for a doubtful one."""
        doubtful = self.type == "reference" and self.age(today) > DOUBTFUL_DAYS
        return f"[{self.type}, {self.age(today)}d{', ?' if doubtful else ''}]"


def ledger(entries: Iterable[TopicEntry], pointers: Mapping[str, str], over: frozenset[str]) -> list[LedgerTopic]:
    """Returns every topic in a heading, latest first. `pointers`: those of the index; `over`: completed tasks."""
    found: dict[str, list[TopicEntry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.day, entry.spans[-1].start)):
        if entry.topic:
            found.setdefault(entry.key, []).append(entry)
    topics = [_topic(said, pointers, over) for said in found.values()]
    return sorted(topics, key=lambda topic: (-topic.last.toordinal(), topic.key))


def named_entries(named: Mapping[str, tuple[TreeTopic, date]], said: Iterable[TopicEntry]) -> list[TopicEntry]:
    """Returns an empty entry for each topic that a node's frontmatter mentions later than any line does. Its span is
    the node of that day. The name and tag in lines win over those in frontmatter."""
    last = {entry.key: entry.day for entry in sorted(said, key=lambda entry: entry.day)}
    return [
        TopicEntry(
            topic=topic.name,
            heading=topic.name,
            type=topic.type,
            spans=(LineSpan(node_path(NodeLevel.DAILY, day.isoformat()), 1, 1),),
            day=day,
            done=topic.done,
            stated=topic.done,
            tagged=topic.type != DEFAULT_TYPE or key not in last,
            summarised=True,
        )
        for key, (topic, day) in named.items()
        if day > last.get(key, date.min)
    ]


def _topic(said: Sequence[TopicEntry], pointers: Mapping[str, str], over: frozenset[str]) -> LedgerTopic:
    latest = said[-1]
    type_ = reduce(merged_type, (entry.type for entry in said if entry.tagged), DEFAULT_TYPE)
    own = [pointer for entry in said for pointer in entry.pointers]
    # What the logs say last goes before what the index had (decision C24).
    pointer = own[-1] if own else pointers.get(latest.key, "")
    done = type_ == "project" and (latest.done or latest.key in over)
    # `[WIP]` behind a heading is no tag of ours, and makes no line of it.
    tagged = any(entry.tagged and entry.type in KNOWN_TYPES for entry in said) or bool(pointer and not own)
    fields: dict[str, Any] = {"pointer": pointer, "done": done, "tagged": tagged}
    return LedgerTopic(name=latest.topic, type=type_, last=latest.day, entries=tuple(said), **fields)


def index_pointers(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields the topic key and pointer of each index line that has one; reads `[reference, 45d, ?]` and `[?]` (C24)."""
    for line in lines:
        found = _INDEX_LINE.match(line.strip())
        if found and found["to"]:
            yield " ".join(found["name"].casefold().split()), found["to"].strip()


def pointer_problem(pointer: str, paths: frozenset[str], folders: frozenset[str]) -> str | None:
    """Says why a pointer leads nowhere; None if it works. Web addresses are not checked (C24, G15)."""
    target = pointer.split("#")[0].split()[0] if pointer.split() else ""
    # The network is not asked: an address counts as right.
    if "://" in target or not target:
        return None
    try:
        path = relative_path(target.rstrip("/"))
    except Refused as refusal:
        return refusal.message
    if target.endswith(".md"):
        return None if path in paths else "no such file"
    return None if not target.endswith("/") or path in folders else "no such folder"
