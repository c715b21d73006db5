"""Writes the frontmatter of a node: its period, sources, topics and how its text was made."""

from collections.abc import Mapping, Sequence
from datetime import date

from engine.text.frontmatter import write_frontmatter
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter
from engine.tree import calendar
from engine.tree.levels import NodeLevel, NodeStatus
from engine.tree.nodes.node_source import KEY as EXTENT
from engine.tree.nodes.node_source import NodeSource, source_label
from engine.tree.survey.node_state import Node
from engine.tree.survey.node_topics import HEADED, NodeTopics, write_mentions
from engine.tree.survey.source_hashes import brief_hash
from engine.tree.topic_headings import write_topics
from engine.workspace.dates import parse_day

EXTRACTIVE = "extractive"
VERBATIM = "verbatim"
CONCATENATED = "concatenated"


def is_summary(method: str) -> bool:
    """Tells whether a node says less than its sources, whoever wrote it."""
    return bool(method) and method not in (VERBATIM, CONCATENATED)


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
        values["weeks"] = [source_label(origin.path) for origin in origins]
    values |= source_values(origins)
    values[EXTENT] = str(sum(origin.extent(counter) for origin in origins))
    # A heading may hold a secret, and frontmatter is read by every tool.
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
    return [day for origin in origins if (day := parse_day(source_label(origin.path))) is not None]


def node_text(values: Mapping[str, str | list[str]], body: str) -> str:
    """A node as a file."""
    return write_frontmatter(values) + body
