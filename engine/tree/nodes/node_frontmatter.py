"""Defines the form of a node: its frontmatter, sections and lines (decision C26)."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.text.frontmatter import write_frontmatter
from engine.text.pattern_file import toml_file
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter
from engine.tree.levels import NodeLevel, NodeStatus, days_span
from engine.tree.nodes.node_source import KEY as EXTENT
from engine.tree.nodes.node_source import NodeSource, source_label
from engine.tree.survey.node_status import Node, brief_hash
from engine.tree.survey.node_topics import HEADED, NodeTopics, write_mentions
from engine.tree.topic_headings import write_topics
from engine.workspace.dates import parse_day
from engine.workspace.values import LineSpan

SECTIONS: dict[NodeLevel, tuple[tuple[str, str], ...]] = {
    NodeLevel(level): tuple((kind, title) for kind, title in rows)
    for level, rows in toml_file(__package__, "node_parts.toml")["sections"].items()
}
"""The sections below `## Topics` on each level: the kind of their lines, and their heading."""


class SummaryLine(msgspec.Struct, frozen=True):
    """A line of a summary, and its source lines."""

    text: str
    spans: tuple[LineSpan, ...] = ()


class NodeSummary(msgspec.Struct, frozen=True):
    """The body of a summary, and the reasons and numbers of omitted lines."""

    lines: tuple[SummaryLine, ...]
    dropped: tuple[str, ...]


EXTRACTIVE = "extractive"
VERBATIM = "verbatim"
CONCATENATED = "concatenated"


def is_summary(method: str) -> bool:
    """Tells whether a node is a summary, and not a copy, whoever wrote it."""
    return bool(method) and method not in (VERBATIM, CONCATENATED)


def node_values(
    node: Node,
    status: NodeStatus,
    origins: Sequence[NodeSource],
    topics: NodeTopics,
    method: str,
    counter: TokenCounter,
    missing: Sequence[str] = (),
) -> dict[str, str | list[str]]:
    """Returns a node's frontmatter; each value takes one line, so that a change never moves the body."""
    values: dict[str, str | list[str]] = {"type": node.level.value, "status": status.value, "period": node.period}
    if node.level is NodeLevel.WEEKLY:
        days = (parse_day(source_label(origin.path)) for origin in origins)
        values["dates"] = days_span(filter(None, days))
    if node.level is NodeLevel.MONTHLY:
        values["weeks"] = [source_label(origin.path) for origin in origins]
    # Sources with their hashes and lengths as they were read (decision C4).
    values["source-files"] = [origin.path for origin in origins]
    values["source-sha256"] = [brief_hash(origin.path, origin.sha256) for origin in origins]
    values["source-lines"] = [str(origin.document.line_count) for origin in origins]
    values[EXTENT] = str(sum(origin.extent(counter) for origin in origins))
    # A heading may hold a secret, and frontmatter is read by every tool.
    values["topics"] = redact(write_topics(topic for topic, _ in topics.found))
    if node.level is NodeLevel.MONTHLY and is_summary(method):
        values[HEADED] = str(topics.headed)
    values["mentioned"] = write_mentions(day for _, day in topics.found) if node.level is not NodeLevel.DAILY else []
    values["summary"] = method
    values["supplements"] = []
    if missing:
        values["missing-sources"] = list(missing)
    return values


def node_text(values: Mapping[str, str | list[str]], body: str) -> str:
    """Returns the text of a node's file."""
    return write_frontmatter(values) + body
