"""Makes the text of a node below its frontmatter: a copy of its sources, or their summary."""

from collections.abc import Sequence

import msgspec

from engine.plans.plan import LineOrigin
from engine.text.derived import NONE
from engine.text.tokens import TokenCounter
from engine.tree.levels import NodeLevel, NodeStatus
from engine.tree.nodes.copies import stretch
from engine.tree.nodes.node_frontmatter import CONCATENATED, EXTRACTIVE, VERBATIM, node_text, node_values
from engine.tree.nodes.node_sections import SummaryLine
from engine.tree.nodes.node_source import NodeSource, read_origin, source_label, whole_span
from engine.tree.nodes.node_summary import node_summary
from engine.tree.nodes.node_task import NodeWriter
from engine.tree.source_references import write_ref
from engine.tree.survey.node_state import Node
from engine.tree.survey.node_topics import NodeTopics
from engine.workspace.generated import generated_blocks


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """A node's text below its frontmatter; line numbers of `origins` count from its first line."""

    text: str
    method: str
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def copied_body(node: Node, origins: Sequence[NodeSource]) -> Body:
    """The sources one below the other, each under the comment that says where it is from (decision C8)."""
    lines: list[str] = []
    warnings: list[str] = []
    for origin in origins:
        if node.level is not NodeLevel.DAILY:
            lines += [*([""] if lines else []), f"## {source_label(origin.path)}"]
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


def summary_body(
    node: Node, origins: Sequence[NodeSource], topics: NodeTopics, counter: TokenCounter, writer: NodeWriter
) -> Body:
    """The summary of the sources; one that finds nothing says what there was instead of being empty (decision C11)."""
    written = writer.written([read_origin(origin) for origin in origins])
    around = node_text(node_values(node, NodeStatus.FIXED, origins, topics, EXTRACTIVE, counter), "")
    raw = sum(origin.extent(counter) for origin in origins)
    made = node_summary(node.level, written.reads, counter, raw_tokens=raw, overhead=counter.count(around))
    lines = list(made.lines)
    # An empty result is refused (decision C11): a log of code alone would never get its node.
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


def _nothing_but(origin: NodeSource, dropped: Sequence[str]) -> SummaryLine:
    span = whole_span(origin)
    return SummaryLine(f"- {write_ref(span)} nothing but {', '.join(dropped) or 'markup'}", (span,))
