"""Reads a node's sources, their entries and topics (decision C19)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property

import msgspec

from engine.errors import MemdeckError
from engine.text.document import Document, split_lines
from engine.text.secrets.detector import redact
from engine.text.text_lines import TextLines
from engine.text.tokens import TokenCounter
from engine.tree.levels import NodeLevel, node_place
from engine.tree.nodes.entries import EntryList, EntryText, read_entries
from engine.tree.nodes.things import MOST, things
from engine.tree.source_references import RawLines, Traced, raw_day, trace
from engine.tree.survey.node_status import Source
from engine.tree.survey.node_topics import NodeTopics, headed_first, merged_topics, near_day, stated_topics
from engine.tree.survey.survey import Survey
from engine.tree.topic_headings import DEFAULT_TYPE, TreeTopic, clean_topic
from engine.workspace.values import LineSpan

KEY = "raw-tokens"
_DIGITS = 9  # digits of a stated number of tokens: an agent may write more than Python reads as a number


def raw_tokens(path: str, values: Mapping[str, str | list[str]], own: int) -> int:
    """Returns the tokens of raw log that a source summarises: as it states, else its own tokens."""
    stated = values.get(KEY, "")
    if raw_day(path) is not None or not isinstance(stated, str) or not stated.isdecimal() or len(stated) > _DIGITS:
        return own
    return max(1, int(stated))


class NodeSource(msgspec.Struct, frozen=True, dict=True):
    """A source that was read."""

    path: str
    sha256: str
    document: Document

    @property
    def first(self) -> int:
        return self.document.frontmatter.body_line

    @property
    def span(self) -> LineSpan:
        return LineSpan(self.path, 1, max(1, self.document.line_count))

    @cached_property
    def reading(self) -> EntryList:
        """The entries of the body, cached for the summary and the topics."""
        return read_text(self.path, self.document, self.first)

    def extent(self, counter: TokenCounter) -> int:
        """Returns the tokens of raw log that it summarises."""
        return raw_tokens(self.path, self.document.frontmatter.values, counter.count(self.document.body))


def gather(survey: Survey, sources: Iterable[Source]) -> tuple[list[NodeSource], list[str], list[str]]:
    """Reads sources. Returns those that it could read, the paths of the others, and the reasons (decision C19)."""
    origins: list[NodeSource] = []
    missing: list[str] = []
    reasons: list[str] = []
    for path, sha256 in sources:
        try:
            origins.append(NodeSource(path, sha256, Document.from_bytes(survey.read(path))))
        except MemdeckError as error:
            missing.append(path)
            reasons.append(f"{path} cannot be read: {error.message}")
    return origins, missing, reasons


def source_label(path: str) -> str:
    place = node_place(path)
    return place[1] if place else path.rpartition("/")[2]


def read_origin(origin: NodeSource, first: int | None = None) -> EntryList:
    """Returns the entries of a source from line `first` on, or of its whole body."""
    return origin.reading if first is None else read_text(origin.path, origin.document, first)


def read_clean(origin: NodeSource, first: int | None = None) -> EntryList:
    """Returns the same entries with secrets masked, for the names in frontmatter."""
    text = origin.document.text
    clean = redact(text, keep_lines=True)
    # Most texts have no secret: the entries that were read already are those.
    if clean == text:
        return read_origin(origin, first)
    return read_text(origin.path, Document.from_bytes(clean.encode()), first or origin.first)


def read_text(path: str, document: Document, first: int) -> EntryList:
    """Returns the entries of a raw log or node from line `first` on, each with its raw lines."""
    day = near_day(path)
    if raw_day(path) is None:
        lines: Sequence[Traced] = trace(document.lines[first - 1 :], first, day)
    else:
        text = document.text_from(first)
        lines = RawLines(path, split_lines(text) if "\r" in text else TextLines(text), first)
    return read_entries(EntryText(path=path, lines=lines, day=day))


def topics_of(level: NodeLevel, origins: Sequence[NodeSource]) -> NodeTopics:
    """Returns a day's topics from the headings of its logs, a week's or month's from the nodes below."""
    if level is NodeLevel.DAILY:
        return topics_of_entries([read_clean(origin) for origin in origins], near_day(origins[0].path))
    stated = (stated_topics(origin.path, origin.document.frontmatter.values) for origin in origins)
    return merged_topics(pair for pairs in stated for pair in pairs)


def with_completed(topics: NodeTopics, origins: Sequence[NodeSource]) -> NodeTopics:
    """Sorts topics of headings first, and marks those that their last entry says are completed."""
    entries = (entry for origin in origins for entry in read_origin(origin).entries if entry.topic)
    last = {entry.key: entry for entry in sorted(entries, key=lambda entry: (entry.day, entry.spans[-1]))}
    over = {key for key, entry in last.items() if entry.done}
    found = [
        (msgspec.structs.replace(topic, done=topic.done or (topic.key in over and topic.type == DEFAULT_TYPE)), day)
        for topic, day in topics.found
    ]
    return headed_first(msgspec.structs.replace(topics, found=tuple(found)), last)


def topics_of_entries(reads: Sequence[EntryList], day: date) -> NodeTopics:
    """Returns the topics that a day's headings name; without any, the things that its text is about."""
    entries = [entry for read in reads for entry in read.entries]
    titled = [(TreeTopic(entry.topic, entry.type), day) for entry in entries if entry.topic]
    unknown = Counter(topic.type for topic, _ in titled if not topic.known)
    warnings = tuple(f"unknown type [{name}] on {many} headings: kept" for name, many in sorted(unknown.items()))
    if titled:
        return NodeTopics(merged_topics(titled).found, warnings=warnings)
    names = map(clean_topic, things(fact.text for entry in entries for fact in entry.facts)[:MOST])
    return NodeTopics(tuple((TreeTopic(name), day) for name in names if name), warnings=warnings)
