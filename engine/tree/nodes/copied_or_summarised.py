"""Builds a node from its sources: copies small ones, summarises large ones."""

import re
from collections.abc import Sequence
from itertools import islice

import msgspec

from engine.plans.plan import LineOrigin
from engine.text.canonical_json import sha256_hex
from engine.text.derived import NONE
from engine.text.document import split_lines
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter
from engine.tree.levels import LEAST_BYTES, NodeLevel, NodeStatus, must_summarise, tips
from engine.tree.nodes.entries import EntryList
from engine.tree.nodes.node_frontmatter import CONCATENATED, EXTRACTIVE, VERBATIM, SummaryLine, node_text, node_values
from engine.tree.nodes.node_source import NodeSource, gather, read_origin, source_label, topics_of, with_completed
from engine.tree.nodes.node_summary import node_summary
from engine.tree.nodes.node_task import OFFLINE, NodeWriter
from engine.tree.source_references import stretch, write_ref
from engine.tree.survey.node_status import HeldNode, Node
from engine.tree.survey.node_topics import NodeTopics
from engine.tree.survey.survey import Survey
from engine.workspace.generated import generated_blocks
from engine.workspace.values import LineSpan


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """A node's text below its frontmatter. `origins` count lines from its first one."""

    text: str
    method: str
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def copied_body(node: Node, origins: Sequence[NodeSource]) -> Body:
    """Copies the sources one below the other, each under a comment that names its file and lines (decision C8)."""
    lines: list[str] = []
    warnings: list[str] = []
    is_day = node.level is NodeLevel.DAILY
    for origin in origins:
        if not is_day:
            lines += [*([""] if lines else []), f"## {source_label(origin.path)}"]
        copied, rules = stretch(origin.path, origin.document, origin.first, demote=not is_day)
        lines += copied
        warnings += [f"{origin.path}: omitted from the copy: secret ({rule})" for rule in rules]
        warnings += conflict_remarks(origin) if is_day else []
    return Body(text="\n".join(lines) + "\n", method=VERBATIM if is_day else CONCATENATED, warnings=tuple(warnings))


def conflict_remarks(origin: NodeSource) -> list[str]:
    """Warns of unresolved merge conflicts: a summary omits them, a copy shows them."""
    blocks = generated_blocks(origin.document.text)
    return [f"{origin.path}: unresolved {block}" for block in blocks if block.kind == "merge-conflict"]


def summary_body(
    node: Node, origins: Sequence[NodeSource], topics: NodeTopics, counter: TokenCounter, writer: NodeWriter
) -> Body:
    """Summarises the sources; says what they were if nothing in them can be summarised (decision C11)."""
    written = writer.written([read_origin(origin) for origin in origins])
    around = node_text(node_values(node, NodeStatus.FIXED, origins, topics, EXTRACTIVE, counter), "")
    raw = sum(origin.extent(counter) for origin in origins)
    made = node_summary(node.level, written.reads, counter, raw_tokens=raw, overhead=counter.count(around))
    lines = list(made.lines)
    # An empty result is refused (decision C11): a log of code alone would never get its node.
    if all(line.text in ("", NONE) or line.text.startswith("## ") for line in lines):
        span = origins[0].span
        lines[1] = SummaryLine(f"- {write_ref(span)} nothing but {', '.join(made.dropped) or 'markup'}", (span,))
    found = ((number, span) for number, line in enumerate(lines, 1) for span in line.spans[-1:] if span.path)
    return Body(
        text="\n".join(line.text for line in lines) + "\n",
        method=written.by or EXTRACTIVE,
        origins=tuple(LineOrigin(*pair) for pair in found),
        dropped=made.dropped,
        warnings=(*(remark for origin in origins for remark in conflict_remarks(origin)), *written.warnings),
    )


_CHARACTER = re.compile(r"\S")


class BuiltNode(msgspec.Struct, frozen=True, kw_only=True):
    """The whole text of a node, and what the plan needs to know about it."""

    content: str
    values: dict[str, str | list[str]]
    spans: tuple[LineSpan, ...]
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        return str(self.values.get("summary", ""))

    def held(self, counter: TokenCounter) -> HeldNode:
        """Returns the node for later steps of the same run."""
        data, lines = self.content.encode(), len(split_lines(self.content))
        return HeldNode(sha256_hex(data), self.values, lines, counter.count(self.content), data)


class WaitingNode(msgspec.Struct, frozen=True):
    """A node whose sources must be summarised in a later cycle, as this one has no summary left (decision C6)."""


def build(
    survey: Survey, node: Node, counter: TokenCounter, *, due: bool, may_summarise: bool, writer: NodeWriter = OFFLINE
) -> BuiltNode | WaitingNode | None:
    """Builds a node from its sources as they are now; None if no source can be read. `due`: the calendar and the
    children let it be fixed; an unreadable source keeps it tentative. `writer`: may have a model word the sentences."""
    # One summary a level in each cycle, newest first (decision C6): the others wait, and cost no reading.
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
    body = summary_body(node, origins, topics, counter, writer) if tipped else copied_body(node, origins)
    missing = [*node.missing, *missing]
    # What cannot be read today may be read tomorrow: a fixed node would never have it (decision C19).
    status = NodeStatus.FIXED if due and not missing else NodeStatus.TENTATIVE
    values = node_values(node, status, origins, topics, body.method, counter, missing)
    if _is_sparse(node.level, body, origins):
        values["sparse"] = "true"
    # A line of the file for each key, and the two `---`, stand above the body.
    above = len(values) + 2
    return BuiltNode(
        content=node_text(values, clean_body(body.text)),
        values=values,
        spans=tuple(origin.span for origin in origins),
        origins=tuple(LineOrigin(origin.line + above, origin.source) for origin in body.origins),
        dropped=body.dropped,
        warnings=(*reasons, *body.warnings, *topics.warnings),
    )


def summarised_sources(survey: Survey, node: Node, counter: TokenCounter) -> list[EntryList]:
    """Returns the entries that a node's summary would be made from; none if it is copied or unreadable."""
    origins, _, _ = gather(survey, node.sources)
    return [read_origin(origin) for origin in origins] if origins and _tips(node, origins, counter) else []


def _tips(node: Node, origins: Sequence[NodeSource], counter: TokenCounter) -> bool:
    lines = sum(origin.document.body_line_count for origin in origins)
    tokens = sum(counter.count(origin.document.body) for origin in origins)
    return must_summarise(node.level, lines, tokens, sum(origin.extent(counter) for origin in origins))


def _surely_tips(survey: Survey, node: Node) -> bool:
    """Tells from file facts whether a day needs a summary, so that a long backlog is not read in every cycle."""
    held = [found for path, _ in node.sources if (found := survey.snapshot.files.get(path)) and not found.frontmatter]
    lines, tokens = sum(facts.lines for facts in held) - len(held), sum(facts.tokens for facts in held) - 8
    # A line for each file less, and 8 tokens, so that only what tips for certain is told without reading.
    return len(held) == len(node.sources) and node.level is NodeLevel.DAILY and tips(node.level, lines, tokens)


def _is_sparse(level: NodeLevel, body: Body, origins: Sequence[NodeSource]) -> bool:
    """Tells whether a node says less than 50 bytes: it is copied and marked, never refused (decision C11)."""
    if len(body.text.strip().encode()) < LEAST_BYTES:
        return True
    # A copied day carries a comment of ours above each log, which says nothing.
    return level is NodeLevel.DAILY and sum(_bytes_said(origin.document.body) for origin in origins) < LEAST_BYTES


def _bytes_said(body: str) -> int:
    """Returns the bytes of a stripped body, at most `LEAST_BYTES`; copies only short bodies, to save memory."""
    if sum(1 for _ in islice(_CHARACTER.finditer(body), LEAST_BYTES)) == LEAST_BYTES:
        return LEAST_BYTES
    return len(body.strip().encode())


def clean_body(body: str) -> str:
    """Masks secrets in a new body, keeping its lines: two clean lines may form a secret together."""
    return redact(body, keep_lines=True)
