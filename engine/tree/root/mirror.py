"""Mirrors ROOT in a section of MEMORY.md between two markers; bytes outside stay unchanged (C18)."""

from typing import Any

from engine.errors import MemdeckError
from engine.plans.plan import Append, Change, Create, Replace, RiskTier
from engine.text.document import Document, Unreadable, split_lines
from engine.text.frontmatter import read_frontmatter
from engine.text.safe_text import without_markers
from engine.tree.levels import ROOT_PATH, NodeStatus, node_place
from engine.tree.source_references import demoted, trace
from engine.tree.survey.node_topics import near_day
from engine.tree.survey.records import TreeRecords
from engine.workspace.layout import MEMORY_MD_CAP, MEMORY_MD_PATHS
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan

START = "<!-- memdeck:root:start (mirrors memory/ROOT.md; edits inside are lost) -->"
END = "<!-- memdeck:root:end -->"
_START_BYTES, _END_BYTES = b"<!-- memdeck:root:start", b"<!-- memdeck:root:end -->"


def plan(snapshot: Snapshot, root: bytes | None, *, number: int, requires: int | None) -> Change | str | None:
    """Plans the section as ROOT is or will be; a warning if it cannot be written, None if nothing changes. `requires`:
    the change that writes ROOT, without which no new section is inserted."""
    path = next((place for place in MEMORY_MD_PATHS if place in snapshot.files), None)
    if path is None or root is None:
        return None
    try:
        document = Document.from_bytes(snapshot.content(path))
    except (MemdeckError, Unreadable) as error:
        return f"{path} cannot be mirrored: {error.message}"
    # Plain joining, headings one level deeper: nothing in ROOT's body acts.
    body = demoted([without_markers(line) for line in Document.from_bytes(root).body_lines])
    section, span = "\n".join([START, "## Compaction Root", *body, END]), _own_span(document.data)
    if isinstance(span, str):
        return f"{path}: {span}; it is skipped"
    added = "\n" + section + "\n"
    made = document.replace_span(*span, section) if span is not None else document.append(added)
    if made == document.data or (span is None and requires is None):
        return None
    lines = made.count(b"\n")
    if lines > MEMORY_MD_CAP and lines > len(document.lines):
        return f"{path} would have {lines} lines, over {MEMORY_MD_CAP}: not mirrored until it is pruned"
    fields: dict[str, Any] = {"n": number, "path": path, "requires": (requires,) if requires is not None else ()}
    fields["sources"] = (LineSpan(ROOT_PATH, 1, max(1, len(split_lines(root.decode())))),)
    if span is None:
        reason = "puts our section at the end, once; from then on only that section changes"
        return Append(risk_tier=RiskTier.C, reason=reason, content=added, **fields)
    reason = "our section mirrors ROOT; every byte outside of it stays"
    return Replace(risk_tier=RiskTier.B, reason=reason, content=made.decode(), **fields)


def _own_span(data: bytes) -> tuple[int, int] | str | None:
    """Returns the byte offsets of our section, None if there is none, or a text if its markers are broken."""
    starts, ends = data.count(_START_BYTES), data.count(_END_BYTES)
    if not starts and not ends:
        return None
    start, end = data.find(_START_BYTES), data.find(_END_BYTES)
    if starts != 1 or ends != 1 or end < start:
        return "its memdeck:root markers are broken"
    return start, end + len(_END_BYTES)


def own_marks(change: Change) -> frozenset[int]:
    """Returns the numbers, from 1, of the lines that memdeck adds to a node or to MEMORY.md: frontmatter, comments
    above copied lines, markers. A comment inside a copied raw log is text."""
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
    """Returns the line number of a node's status if the operator's records agree with it; else nothing."""
    if (known := records.nodes.get(path)) is None:
        return frozenset()
    said = f"status: {(NodeStatus.FIXED if known.fixed else NodeStatus.TENTATIVE).value}"
    head = split_lines(text)[: read_frontmatter(text.encode()).body_line - 1]
    return frozenset({head.index(said) + 1}) if said in head else frozenset()
