"""The section of MEMORY.md that mirrors ROOT: ours between two markers, every byte outside as it was (C18)."""

import msgspec

from engine.errors import MemdeckError
from engine.plans.plan import Append, Change, Replace, RiskTier
from engine.text.document import Document, Unreadable, split_lines
from engine.text.safe_text import without_markers
from engine.tree.levels import ROOT_PATH
from engine.tree.nodes.copies import demoted
from engine.workspace.layout import MEMORY_MD_CAP, MEMORY_MD_PATHS
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan

START = "<!-- memdeck:root:start (mirrors memory/ROOT.md; edits inside are lost) -->"
END = "<!-- memdeck:root:end -->"
_START_BYTES, _END_BYTES = b"<!-- memdeck:root:start", b"<!-- memdeck:root:end -->"
"""Lines of MEMORY.md beyond which nothing may make it grow (decision D23): what follows is not loaded."""


class Mirrored(msgspec.Struct, frozen=True):
    """The change to MEMORY.md, if there is one, and what the operator should know."""

    change: Change | None = None
    warnings: tuple[str, ...] = ()


def plan(snapshot: Snapshot, root: bytes | None, *, number: int, requires: int | None) -> Mirrored:
    """The section as ROOT is, or will be. `requires` is the change that writes ROOT; without it nothing is inserted."""
    path = next((place for place in MEMORY_MD_PATHS if place in snapshot.files), None)
    if path is None or root is None:
        return Mirrored()
    try:
        document = Document.from_bytes(snapshot.content(path))
    except (MemdeckError, Unreadable) as error:
        return Mirrored(warnings=(f"{path} cannot be mirrored: {error.message}",))
    section = _section(root)
    span = _own_span(document.data)
    if isinstance(span, str):
        return Mirrored(warnings=(f"{path}: {span}; it is skipped",))
    needs = (requires,) if requires is not None else ()
    sources = (LineSpan(ROOT_PATH, 1, max(1, len(split_lines(root.decode())))),)
    if span is None:
        return _inserted(path, document, section, number, needs, sources) if requires is not None else Mirrored()
    made = document.replace_span(*span, section)
    if made == document.data:
        return Mirrored()
    too_long = _too_long(path, made, document)
    if too_long:
        return Mirrored(warnings=(too_long,))
    change = Replace(
        n=number,
        path=path,
        risk_tier=RiskTier.B,
        reason="our section mirrors ROOT; every byte outside of it stays",
        content=made.decode(),
        sources=sources,
        requires=needs,
    )
    return Mirrored(change)


def _inserted(
    path: str, document: Document, section: str, number: int, needs: tuple[int, ...], sources: tuple[LineSpan, ...]
) -> Mirrored:
    text = "\n" + section + "\n"
    too_long = _too_long(path, document.append(text), document)
    if too_long:
        return Mirrored(warnings=(too_long,))
    change = Append(
        n=number,
        path=path,
        risk_tier=RiskTier.C,
        reason="puts our section at the end, once; from then on only that section changes",
        content=text,
        sources=sources,
        requires=needs,
    )
    return Mirrored(change)


def _too_long(path: str, made: bytes, before: Document) -> str | None:
    lines = made.count(b"\n")
    if lines <= MEMORY_MD_CAP or lines <= len(before.lines):
        return None
    return f"{path} would have {lines} lines, over {MEMORY_MD_CAP}: not mirrored until it is pruned"


def _section(root: bytes) -> str:
    """The markers with ROOT's body between them, headings one level deeper; plain joining, nothing in it acts."""
    body = [without_markers(line) for line in Document.from_bytes(root).body_lines]
    return "\n".join([START, "## Compaction Root", *demoted(body), END])


def _own_span(data: bytes) -> tuple[int, int] | str | None:
    """Byte offsets of our section, None where there is none, or why it cannot be told."""
    starts, ends = data.count(_START_BYTES), data.count(_END_BYTES)
    if not starts and not ends:
        return None
    start, end = data.find(_START_BYTES), data.find(_END_BYTES)
    if starts != 1 or ends != 1 or end < start:
        return "its memdeck:root markers are broken"
    return start, end + len(_END_BYTES)
