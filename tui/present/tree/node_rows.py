"""Shows the tree as rows: a sign for the state of each node, its size, and its problem in words."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.tree.browse.browser import RAW, TreeNode
from engine.tree.browse.previous_version import Compared
from engine.tree.levels import ROOT_PATH, Freshness, NodeLevel, NodeStatus
from tui.present.diff import fact
from tui.present.glyphs import (
    DAMAGED,
    FIXED,
    FORGED,
    MISSING,
    NEEDS_SUMMARY,
    NO_LOG,
    ORPHAN,
    RAW_LOG,
    STALE,
    STALE_FIXED,
    TENTATIVE,
    UNREADABLE,
    Sign,
)
from tui.present.spans import LazyRows, Line, ListRow, Span, fitting, hint, plain
from tui.present.tree.open_nodes import OpenNodes, VisibleNode
from tui.present.words import clock, count, noun, safe, short_count, text_lines, words_of

READING: Line = (Span("reading…", "muted"),)

_AMISS: Mapping[Freshness, tuple[Sign, str]] = {
    Freshness.STALE: (STALE, "sources changed after it"),
    Freshness.STALE_FIXED: (STALE_FIXED, "sources changed since"),
    Freshness.DAMAGED: (DAMAGED, "changed by another program"),
    Freshness.ORPHAN: (ORPHAN, "its sources are gone"),
    Freshness.FORGED: (FORGED, "its claims do not hold"),
}


def sign(node: TreeNode) -> Sign:
    """Returns the sign of a node: its problem if it has one, else its state."""
    if node.level == RAW:
        return RAW_LOG if node.status else UNREADABLE
    if node.freshness in _AMISS and node.status != NodeStatus.NEEDS_SUMMARIZATION:
        return _AMISS[node.freshness][0]
    match node.status:
        case NodeStatus.FIXED:
            return FIXED
        case NodeStatus.TENTATIVE:
            return TENTATIVE
        case NodeStatus.NEEDS_SUMMARIZATION:
            return NEEDS_SUMMARY
        case _:
            return MISSING if is_gap(node) else NO_LOG


def is_gap(node: TreeNode) -> bool:
    """Tells whether a node is missing although its day has logs; a day without a log has no gap."""
    return not node.status and bool(node.children or node.gaps)


def label(node: TreeNode) -> str:
    """Returns the shortest name among siblings: `ROOT`, `2026-03`, `W11`, `03-16`, a log's own name."""
    match node.level:
        case NodeLevel.ROOT.value:
            return "ROOT"
        case NodeLevel.WEEKLY.value:
            return node.period.rpartition("-")[2]
        case NodeLevel.DAILY.value:
            return node.period[5:]
        case _:
            return safe(node.period)


_BELOW = words_of("below")


def below(node: TreeNode) -> str:
    """Returns `5 weeks`; empty for raw logs and for days with one log, which is usual."""
    if node.level == RAW or (node.level == NodeLevel.DAILY and node.children < 2):
        return ""
    return noun(node.children, _BELOW[node.level]) if node.children else ""


def state_words(node: TreeNode) -> str:
    """Returns `tentative` or `fixed, its sources changed since`: the state and the problem."""
    state = sign(node)
    if node.level == RAW or not node.status:
        return state.word
    words = [node.status.replace("-", " ")] if node.freshness in _AMISS else [state.word]
    if node.freshness in _AMISS:
        words.append(_AMISS[node.freshness][1])
    if node.freshness is Freshness.UNKNOWN:
        words.append("by another tool")
    if node.gaps:
        words.append(f"{noun(len(node.gaps), 'gap')} below")
    return ", ".join(words)


class NodeRows(LazyRows[VisibleNode]):
    """Makes the rows of the visible nodes when they come into view."""

    def __init__(self, walk: OpenNodes, places: Sequence[VisibleNode], *, cap: int = 0) -> None:
        super().__init__(places)
        self._walk, self._cap = walk, cap

    def made(self, place: VisibleNode) -> ListRow:
        guides = Span("  " * place.depth, "rule")
        if (node := self._walk.known.get(place.path)) is None:
            return ListRow((guides, Span("  "), *READING))
        fold = "  " if not self._walk.can_open(node) else ("− " if place.path in self._walk.opened else "+ ")
        state = sign(node)
        hit = self._walk.is_hit(node.path)
        name = Span(label(node), "accent" if hit else ("muted" if state is NO_LOG else "strong"))
        left: Line = (guides, Span(fold, "muted"), state.mark, Span(" "), name, Span("  "), *self._words(node, state))
        return ListRow(left, self._size(node), self._extra(node, state))

    def _words(self, node: TreeNode, state: Sign) -> Line:
        if hits := self._walk.hits.get(node.path, 0):
            return (Span(noun(hits, "line"), "accent"),)
        said: Line = (Span(state.word, state.role),)
        gaps = Span(noun(len(node.gaps), "gap"), "warn")
        return (*said, Span(" · ", "rule"), gaps) if node.gaps and node.status else said

    def _size(self, node: TreeNode) -> Line:
        if not node.status:
            return ()
        if node.path == ROOT_PATH and self._cap:
            over = node.tokens > self._cap
            return (Span(f"{count(node.tokens)}/{count(self._cap)} tok", "warn" if over else "muted"),)
        return (Span(f"{short_count(node.tokens)} tok", "muted"),)

    def _extra(self, node: TreeNode, state: Sign) -> Line:
        if self._walk.hits.get(node.path):
            return () if node.level == RAW else (Span(" · ", "rule"), Span(state.word, state.role))
        foreign = "by another tool" if node.freshness is Freshness.UNKNOWN else ""
        made = safe(node.summary) if node.level == NodeLevel.DAILY else ""
        text = "".join(f" · {part}" for part in (below(node), made, foreign) if part)
        where: Line = (Span(" below", "warn"),) if node.gaps and node.status else ()
        return (*where, Span(text, "muted")) if text else where


def title(node: TreeNode, width: int = 1000) -> Line:
    """Returns `memory/weekly/2026-W12.md ◐ tentative · 412 tokens · fixed from 03-30`, with as many facts as fit."""
    name: Line = (Span(safe(node.path), "title"), Span("  "))
    facts: list[Line] = [(*name, Span(f"{sign(node).glyph} {state_words(node)}", sign(node).role))]
    if node.status:
        facts += [(Span(noun(node.lines, "line"), "muted"),), (Span(f"{count(node.tokens)} tokens", "muted"),)]
    if node.fixed_from is not None and node.level != RAW and node.status:
        facts.append((Span(f"fixed from {node.fixed_from}", "muted"),))
    if len(plain(facts[0])) > width:
        facts[0] = (*name, Span(f"{sign(node).glyph} {sign(node).word}", sign(node).role))
    return fitting(facts, Span(" · ", "rule"), width)


def compared_with(compared: Compared, now: datetime) -> Line:
    """Names the compared version: `against what stood before operation o-20260313-0001, Fri 07:33`."""
    origin = safe(compared.origin)
    if origin.startswith("o-"):
        origin = f"what operation {origin} left" if compared.left else f"what stood before operation {origin}"
    when = f", {clock(compared.at, now)}" if compared.at is not None else ""
    return fact("against", Span(origin + when))


def nothing_here(node: TreeNode) -> tuple[Line, ...]:
    """Explains why a node has no text to show."""
    if node.level == RAW:
        return (
            (Span("✗ this log cannot be read", "blocked"),),
            hint("the tree goes on without it, and its day stays tentative"),
        )
    if not is_gap(node):
        return (
            (Span("· no log was written on this day", "muted"),),
            hint("nothing is missing: days without a log have no node"),
        )
    gaps = tuple((Span(f"  {safe(gap)}", "muted"),) for gap in node.gaps[:12])
    return (
        (Span("○ there is no node yet", "warn"),),
        *text_lines("no_node"),
        *((hint("`→`  opens what it will be made of"),) if node.children else ()),
        *(((), (Span("It waits for", "muted"),), *gaps) if gaps else ()),
    )


NO_TREE = text_lines("no_tree")  # the lines for a workspace without logs and nodes

NO_TREE_TITLE: Line = (Span("Tree", "title"), Span("  not begun", "muted"))
