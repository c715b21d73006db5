"""The lines of a planned node or mirror that memdeck writes as marks: they are no claims of the text around them."""

from engine.plans.plan import Append, Change, Create, Replace
from engine.text.document import split_lines
from engine.text.frontmatter import read_frontmatter
from engine.tree.levels import NodeStatus, node_place
from engine.tree.root.mirror import END, START
from engine.tree.source_references import trace
from engine.tree.survey.node_topics import near_day
from engine.tree.survey.records import TreeRecords
from engine.workspace.layout import MEMORY_MD_PATHS


def own_marks(change: Change) -> frozenset[int]:
    """Numbers of those lines, from 1: frontmatter, comments above copied lines, and the two markers of our section. A
    comment inside a copied raw log is text, whatever it says."""
    if not isinstance(change, Create | Replace | Append):
        return frozenset()
    lines = split_lines(change.content)
    if change.path in MEMORY_MD_PATHS:
        return frozenset(number for number, line in enumerate(lines, 1) if line in (START, END))
    if node_place(change.path) is None:
        return frozenset()
    first = read_frontmatter(change.content.encode()).body_line
    traced = trace(lines[first - 1 :], first, near_day(change.path))
    return frozenset(range(1, first)) | {line.line for line in traced if line.opens is not None}


def status_lines(path: str, text: str, records: TreeRecords) -> frozenset[int]:
    """The number of the line that gives a node's status, where the operator's records say the same of that path."""
    known = records.nodes.get(path)
    if known is None:
        return frozenset()
    said = f"status: {(NodeStatus.FIXED if known.fixed else NodeStatus.TENTATIVE).value}"
    head = split_lines(text)[: read_frontmatter(text.encode()).body_line - 1]
    return frozenset({head.index(said) + 1}) if said in head else frozenset()
