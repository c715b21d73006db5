"""Makes the text of a node from its sources: a copy where they are small, a summary where they are not."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from itertools import islice

import msgspec

from engine.errors import MemdeckError
from engine.plans.plan import LineOrigin
from engine.text.canonical_json import sha256_hex
from engine.text.document import Document, split_lines
from engine.text.frontmatter import write_frontmatter
from engine.text.secrets.detector import redact
from engine.text.text_lines import TextLines
from engine.text.tokens import TokenCounter
from engine.tree import calendar
from engine.tree.copy_thresholds import LEAST_BYTES, must_summarise, tips
from engine.tree.levels import NodeLevel, NodeStatus, node_place
from engine.tree.nodes.copies import stretch
from engine.tree.nodes.digest import NONE, DigestLine, digest
from engine.tree.nodes.entries import EntryList, EntryText, TopicEntry, read_entries
from engine.tree.nodes.extent import KEY as EXTENT
from engine.tree.nodes.extent import raw_tokens
from engine.tree.nodes.node_task import OFFLINE, NodeWriter
from engine.tree.nodes.things import MOST, things
from engine.tree.refs import RawLines, raw_day, trace, write_ref
from engine.tree.survey.node_state import HeldNode, Node
from engine.tree.survey.node_topics import (
    HEADED,
    NodeTopics,
    headed_first,
    merged_topics,
    near_day,
    stated_topics,
    write_mentions,
)
from engine.tree.survey.source_hashes import Source, brief_hash
from engine.tree.survey.survey import Survey
from engine.tree.topics import DEFAULT_TYPE, TreeTopic, clean_topic, write_topics
from engine.workspace.dates import parse_day
from engine.workspace.generated import generated_blocks
from engine.workspace.values import LineSpan

EXTRACTIVE = "extractive"
VERBATIM = "verbatim"
CONCATENATED = "concatenated"
_CHARACTER = re.compile(r"\S")


def is_summary(method: str) -> bool:
    """Tells whether a node says less than its sources, whoever wrote it."""
    return bool(method) and method not in (VERBATIM, CONCATENATED)


class NodeSource(msgspec.Struct, frozen=True, dict=True):
    """A source as it was read."""

    path: str
    sha256: str
    document: Document

    @property
    def first(self) -> int:
        return self.document.frontmatter.body_line

    @property
    def body(self) -> str:
        return self.document.body

    @cached_property
    def reading(self) -> EntryList:
        """The entries of its whole body, worked out once: the summary and the topics of a node both ask for them."""
        return read_text(self.path, self.document, self.first)

    def extent(self, counter: TokenCounter) -> int:
        """Tokens of raw log that it stands for."""
        return raw_tokens(self.path, self.document.frontmatter.values, counter.count(self.body))


class BuiltNode(msgspec.Struct, frozen=True, kw_only=True):
    """The whole text of a node, and all that the plan says about it."""

    content: str
    values: dict[str, str | list[str]]
    spans: tuple[LineSpan, ...]
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        return str(self.values.get("summary", ""))

    def held(self, counter: TokenCounter) -> HeldNode:
        """The node as a later step of the same run sees it."""
        data = self.content.encode()
        return HeldNode(
            sha256_hex(data), self.values, len(split_lines(self.content)), counter.count(self.content), data
        )


class WaitingNode(msgspec.Struct, frozen=True):
    """The sources must be summarised, and this cycle has no summary left for the level (decision C6)."""


def gather(survey: Survey, sources: Iterable[Source]) -> tuple[list[NodeSource], list[str], list[str]]:
    """Reads sources; those that cannot be read are named, with the reason, and the run goes on (decision C19)."""
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


def build(
    survey: Survey,
    node: Node,
    counter: TokenCounter,
    *,
    due: bool,
    may_summarise: bool,
    writer: NodeWriter = OFFLINE,
) -> BuiltNode | WaitingNode | None:
    """The node made anew from its sources as they are now; None where nothing of them can be read.

    `due`: the calendar and the children let it be fixed; it stays tentative where a source cannot be read after all.
    `writer` has a model put the sentences of a summary, where there is one.
    """
    if not may_summarise and _surely_tips(survey, node):
        return WaitingNode()
    origins, missing, reasons = gather(survey, node.sources)
    if not origins:
        return None
    tipped = _tips(node, origins, counter)
    if tipped and not may_summarise:
        return WaitingNode()
    # A secret in a copy is only named in a warning; a summary counts it among what was left out.
    topics = topics_of(node.level, origins)
    if tipped and node.level is NodeLevel.MONTHLY:
        topics = with_completed(topics, origins)
    body = _summary(node, origins, topics, counter, writer) if tipped else _copy(node, origins)
    missing = [*node.missing, *missing]
    # What cannot be read today may be read tomorrow: a fixed node would never have it (decision C19).
    status = NodeStatus.FIXED if due and not missing else NodeStatus.TENTATIVE
    values = node_values(node, status, origins, topics, body.method, counter, missing)
    if len(body.text.strip().encode()) < LEAST_BYTES or _is_sparse(node.level, origins):
        values["sparse"] = "true"
    return BuiltNode(
        content=node_text(values, clean_body(body.text)),
        values=values,
        spans=tuple(_whole(origin) for origin in origins),
        origins=_shifted(body.origins, values),
        dropped=body.dropped,
        warnings=(*reasons, *body.warnings, *topics.warnings),
        missing=tuple(missing),
    )


def summarised_sources(survey: Survey, node: Node, counter: TokenCounter) -> list[EntryList]:
    """The entries that a summary of the node would be made of; none where its sources are copied or cannot be read."""
    origins, _, _ = gather(survey, node.sources)
    return [read_origin(origin) for origin in origins] if origins and _tips(node, origins, counter) else []


def _tips(node: Node, origins: Sequence[NodeSource], counter: TokenCounter) -> bool:
    lines = sum(origin.document.body_line_count for origin in origins)
    tokens = sum(counter.count(origin.body) for origin in origins)
    return must_summarise(node.level, lines, tokens, sum(origin.extent(counter) for origin in origins))


def _surely_tips(survey: Survey, node: Node) -> bool:
    """Told from the facts alone, so that a long backlog is not read in every cycle."""
    held = [found for path, _ in node.sources if (found := survey.snapshot.files.get(path)) and not found.frontmatter]
    if len(held) < len(node.sources) or node.level is not NodeLevel.DAILY:
        return False
    # A line for each file less, and 8 tokens, so that only what tips for certain is told without reading.
    return tips(node.level, sum(facts.lines for facts in held) - len(held), sum(facts.tokens for facts in held) - 8)


def _is_sparse(level: NodeLevel, origins: Sequence[NodeSource]) -> bool:
    return level is NodeLevel.DAILY and sum(_bytes_said(origin.body) for origin in origins) < LEAST_BYTES


def _bytes_said(body: str) -> int:
    """The bytes of a body without white space around it, or `LEAST_BYTES` where it has no fewer.

    A long log is not copied for it: two copies of 13 MB were the most that a plan held.
    """
    if sum(1 for _ in islice(_CHARACTER.finditer(body), LEAST_BYTES)) == LEAST_BYTES:
        return LEAST_BYTES
    return len(body.strip().encode())


def _whole(origin: NodeSource) -> LineSpan:
    return LineSpan(origin.path, 1, max(1, origin.document.line_count))


# ── body ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """A node's text below its frontmatter; line numbers of `origins` count from its first line."""

    text: str
    method: str
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def _copy(node: Node, origins: Sequence[NodeSource]) -> Body:
    """The sources one below the other, each under the comment that says where it is from (decision C8)."""
    lines: list[str] = []
    warnings: list[str] = []
    for origin in origins:
        if node.level is not NodeLevel.DAILY:
            lines += [*([""] if lines else []), f"## {_label(origin.path)}"]
        copied, rules = stretch(origin.path, origin.document, origin.first, demote=node.level is not NodeLevel.DAILY)
        lines += copied
        warnings += [f"{origin.path}: omitted from the copy: secret ({rule})" for rule in rules]
        if node.level is NodeLevel.DAILY:
            warnings += [f"{origin.path}: {remark}" for remark in conflict_remarks(origin.document.text)]
    method = VERBATIM if node.level is NodeLevel.DAILY else CONCATENATED
    return Body(text="\n".join(lines) + "\n", method=method, warnings=tuple(warnings))


def conflict_remarks(text: str) -> list[str]:
    """Merge conflicts nobody has resolved: a summary leaves them out, a copy shows them."""
    return [f"unresolved {block}" for block in generated_blocks(text) if block.kind == "merge-conflict"]


def _label(path: str) -> str:
    place = node_place(path)
    return place[1] if place else path.rpartition("/")[2]


def _summary(
    node: Node,
    origins: Sequence[NodeSource],
    topics: NodeTopics,
    counter: TokenCounter,
    writer: NodeWriter,
) -> Body:
    """The digest of the sources; one that finds nothing says what there was instead of being empty (decision C11)."""
    written = writer.written([read_origin(origin) for origin in origins])
    around = node_text(node_values(node, NodeStatus.FIXED, origins, topics, EXTRACTIVE, counter), "")
    raw = sum(origin.extent(counter) for origin in origins)
    made = digest(node.level, written.reads, counter, raw_tokens=raw, overhead=counter.count(around))
    lines = list(made.lines)
    if all(line.text in ("", NONE) or line.text.startswith("## ") for line in lines):
        lines[1] = _nothing_but(origins[0], made.dropped)
    found = tuple(
        LineOrigin(number, span) for number, line in enumerate(lines, 1) for span in line.spans[-1:] if span.path
    )
    warnings = tuple(f"{o.path}: {remark}" for o in origins for remark in conflict_remarks(o.document.text))
    return Body(
        text="\n".join(line.text for line in lines) + "\n",
        method=written.by or EXTRACTIVE,
        origins=found,
        dropped=made.dropped,
        warnings=(*warnings, *written.warnings),
    )


def _nothing_but(origin: NodeSource, dropped: Sequence[str]) -> DigestLine:
    span = _whole(origin)
    return DigestLine(f"- {write_ref(span)} nothing but {', '.join(dropped) or 'markup'}", (span,))


def read_origin(origin: NodeSource, first: int | None = None) -> EntryList:
    """The entries of a source from line `first` on, or of its whole body."""
    return origin.reading if first is None else read_text(origin.path, origin.document, first)


def read_clean(origin: NodeSource, first: int | None = None) -> EntryList:
    """The same without secrets, for the names in frontmatter."""
    text = origin.document.text
    clean = redact(text, keep_lines=True)
    # Most texts have no secret: the entries that were read already are those.
    if clean == text:
        return read_origin(origin, first)
    return read_text(origin.path, Document.from_bytes(clean.encode()), first or origin.first)


def read_text(path: str, document: Document, first: int) -> EntryList:
    """The entries of a raw log or node from line `first` on, each with the raw lines it came from."""
    day = near_day(path)
    if raw_day(path) is None:
        return read_entries(EntryText(path=path, lines=trace(document.lines[first - 1 :], first, day), day=day))
    text = document.text_from(first)
    lines = split_lines(text) if "\r" in text else TextLines(text)
    return read_entries(EntryText(path=path, lines=RawLines(path, lines, first), day=day))


# ── topics ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def topics_of(level: NodeLevel, origins: Sequence[NodeSource]) -> NodeTopics:
    """From the headings of raw logs, or from what the nodes below say."""
    if level is not NodeLevel.DAILY:
        return merged_topics(
            pair for origin in origins for pair in stated_topics(origin.path, origin.document.frontmatter.values)
        )
    reads = [read_clean(origin) for origin in origins]
    day = near_day(origins[0].path)
    return topics_of_entries(reads, day)


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


# ── frontmatter ────────────────────────────────────────────────────────────────────────────────────────────────────


def node_values(
    node: Node,
    status: NodeStatus,
    origins: Sequence[NodeSource],
    topics: NodeTopics,
    method: str,
    counter: TokenCounter,
    missing: Sequence[str] = (),
    supplements: Sequence[str] = (),
) -> dict[str, str | list[str]]:
    """A node's metadata, one line for each key, so that a later change of a value moves no line of the body."""
    values: dict[str, str | list[str]] = {"type": node.level.value, "status": status.value, "period": node.period}
    if node.level is NodeLevel.WEEKLY:
        values["dates"] = calendar.days_span(_days(origins))
    if node.level is NodeLevel.MONTHLY:
        values["weeks"] = [_label(origin.path) for origin in origins]
    values |= source_values(origins)
    values[EXTENT] = str(sum(origin.extent(counter) for origin in origins))
    values["topics"] = redact(write_topics(topic for topic, _ in topics.found))
    if node.level is NodeLevel.MONTHLY and is_summary(method):
        values[HEADED] = str(topics.headed)
    values["mentioned"] = write_mentions(day for _, day in topics.found) if node.level is not NodeLevel.DAILY else []
    values["summary"] = method
    values["supplements"] = list(supplements)
    if missing:
        values["missing-sources"] = list(missing)
    return values


def source_values(origins: Sequence[NodeSource]) -> dict[str, str | list[str]]:
    """Sources with their hashes and lengths as they were read (decision C4)."""
    return {
        "source-files": [origin.path for origin in origins],
        "source-sha256": [brief_hash(origin.path, origin.sha256) for origin in origins],
        "source-lines": [str(origin.document.line_count) for origin in origins],
    }


def _days(origins: Sequence[NodeSource]) -> list[date]:
    return [day for origin in origins if (day := parse_day(_label(origin.path))) is not None]


def node_text(values: Mapping[str, str | list[str]], body: str) -> str:
    """A node as a file."""
    return write_frontmatter(values) + body


def clean_body(body: str) -> str:
    """A new body without secrets, every line on its line: what is clean alone may be none beside its neighbours."""
    return redact(body, keep_lines=True)


def _shifted(origins: Sequence[LineOrigin], values: Mapping[str, object]) -> tuple[LineOrigin, ...]:
    """Line numbers of the body as those of the file."""
    above = len(values) + 2
    return tuple(LineOrigin(origin.line + above, origin.source) for origin in origins)
