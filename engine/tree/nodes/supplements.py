"""Appends late lines of its sources to a fixed node, as a supplement; its old body stays unchanged (C4)."""

from collections.abc import Sequence
from datetime import date

import msgspec

from engine.text.digits import whole_number
from engine.text.document import Document
from engine.text.tokens import TokenCounter
from engine.tree.levels import NodeLevel, NodeStatus, tips
from engine.tree.nodes.copied_or_summarised import BuiltNode, clean_body
from engine.tree.nodes.node_frontmatter import node_text, node_values
from engine.tree.nodes.node_source import NodeSource, gather, read_clean, read_origin, topics_of_entries
from engine.tree.nodes.node_summary import node_summary
from engine.tree.nodes.node_task import OFFLINE, NodeWriter
from engine.tree.source_references import demoted, raw_day, stretch
from engine.tree.survey.claims import began_as
from engine.tree.survey.node_status import Node, brief_hash
from engine.tree.survey.node_topics import NodeTopics, headed_first, headed_topics, merged_topics, stated_topics
from engine.tree.survey.survey import Survey
from engine.workspace.values import LineSpan

HEADING = "Supplement"


class LatePart(msgspec.Struct, frozen=True):
    """A source that changed after a node was fixed, and its first line that the node lacks."""

    origin: NodeSource
    first: int
    whole: bool  # true if its old lines changed too, so that all of it is given again


def late_parts(node: Node, held_lines: Sequence[str], origins: Sequence[NodeSource]) -> list[LatePart]:
    """Returns the late lines of each source: those appended, or all if older lines changed too."""
    known = dict(node.known)
    lines = dict(zip((path for path, _ in node.known), held_lines, strict=False))
    parts: list[LatePart] = []
    for origin in origins:
        if (sha256 := known.get(origin.path)) is None:
            parts.append(LatePart(origin, origin.first, whole=False))
        elif brief_hash(origin.path, sha256) != brief_hash(origin.path, origin.sha256):
            before = whole_number(lines.get(origin.path, "")) or 0
            is_grown = before and _is_grown(origin, before, sha256)
            parts.append(LatePart(origin, before + 1 if is_grown else origin.first, whole=not is_grown))
    return parts


def _is_grown(origin: NodeSource, before: int, sha256: str) -> bool:
    """Tells whether a source only got lines at its end: a raw log any lines, a node supplements."""
    document = origin.document
    if raw_day(origin.path) is not None or before > document.line_count:
        return began_as(document, sha256, before)
    tail = next((line for line in document.lines[before:] if line.strip()), "")
    return tail.startswith(f"## {HEADING} ") or before == document.line_count


def supplement(
    survey: Survey, node: Node, counter: TokenCounter, today: date, writer: NodeWriter = OFFLINE
) -> BuiltNode | None:
    """Returns the fixed node with late lines appended; None if there are none or a source is unreadable."""
    document = Document.from_bytes(survey.read(node.path))
    values = document.frontmatter.values
    stated, known, method = (values.get(key, "") for key in ("source-lines", "supplements", "summary"))
    counts = stated if isinstance(stated, list) else []
    origins, missing, reasons = gather(survey, node.sources)
    parts = late_parts(node, counts, origins)
    if missing or not parts:
        return None
    lines, warnings = _section(node.level, parts, counter, today, writer)
    topics = _topics(node, document, parts)
    fresh = node_values(node, NodeStatus.FIXED, origins, topics, method if isinstance(method, str) else "", counter)
    # A source that is gone keeps its place in the list: the node was made from it.
    old = {path: (sha256, n) for (path, sha256), n in zip(node.known, counts, strict=False)}
    new = {origin.path: (origin.sha256, str(origin.document.line_count)) for origin in origins}
    whole = dict(sorted((old | new).items()))
    made = {key: fresh.get(key, value) for key, value in values.items()} | {
        "source-files": list(whole),
        "source-sha256": [brief_hash(path, sha256) for path, (sha256, _) in whole.items()],
        "source-lines": [count for _, count in whole.values()],
        "supplements": [*(known if isinstance(known, list) else []), today.isoformat()],
    }
    body = document.body if document.ends_with_newline else document.body + "\n"
    late = "\n" + clean_body("\n".join(lines)) + "\n" if lines else ""
    spans = (LineSpan(p.origin.path, p.first, max(p.first, p.origin.document.line_count)) for p in parts)
    return BuiltNode(
        content=node_text(made, body + late), values=made, spans=tuple(spans), warnings=(*reasons, *warnings)
    )


def _section(
    level: NodeLevel, parts: Sequence[LatePart], counter: TokenCounter, today: date, writer: NodeWriter
) -> tuple[list[str], list[str]]:
    """Returns the lines to append and warnings: the late lines, or their summary if they are many."""
    late = ["\n".join(part.origin.document.lines[part.first - 1 :]) for part in parts]
    warnings = [
        f"{part.origin.path}: its old lines changed too; all of it is given again" for part in parts if part.whole
    ]
    if not any(text.strip() for text in late):
        return [], warnings
    lines = [f"## {HEADING} {today.isoformat()}"]
    tokens = [counter.count(text) for text in late]
    if tips(level, sum(text.count("\n") + 1 for text in late), sum(tokens)):
        written = writer.written([read_origin(part.origin, part.first) for part in parts])
        warnings += written.warnings
        made = node_summary(level, written.reads, counter, raw_tokens=sum(tokens), every_topic=True)
        return [*lines, *demoted([line.text for line in made.lines])], warnings
    for part in parts:
        copied, rules = stretch(part.origin.path, part.origin.document, part.first, demote=True)
        lines += copied
        warnings += [f"{part.origin.path}: omitted from the copy: secret ({rule})" for rule in rules]
    return lines, warnings


def _topics(node: Node, document: Document, parts: Sequence[LatePart]) -> NodeTopics:
    pairs = stated_topics(node.path, document.frontmatter.values)
    for part in parts:
        if node.level is NodeLevel.DAILY:
            pairs += topics_of_entries([read_clean(part.origin, part.first)], date.fromisoformat(node.period)).found
        else:
            pairs += stated_topics(part.origin.path, part.origin.document.frontmatter.values)
    known = {topic.key for topic, _ in headed_topics(node.path, document.frontmatter.values)}
    late = {entry.key for part in parts for entry in read_origin(part.origin, part.first).entries} if known else set()
    return headed_first(merged_topics(pairs), known | late)
