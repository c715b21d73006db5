"""Surveys every period: its node, its sources and their agreement, mostly from file facts alone."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from functools import cached_property

from engine.errors import MemdeckError
from engine.text.document import Document
from engine.tree.levels import LEVELS, Freshness, NodeLevel, NodeStatus, days_of_week, fixed_from, node_path, node_place
from engine.tree.source_references import raw_day
from engine.tree.survey.claims import Reading, broken_claim, broken_hash, broken_source, read_claims
from engine.tree.survey.node_status import HeldNode, Node, Source, known_sources, listed, same_sources
from engine.tree.survey.records import TreeRecords
from engine.tree.survey.tree_files import sorted_files
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts

_UNREAD = 1 << 30  # lines of a file that is there, or will be made, and of which nothing more can be said
SMALL = 512  # bytes up to which a log may turn out to hold nothing but blanks
_MadeFrom = tuple[tuple[Source, ...], tuple[str, ...], tuple[str, ...], bool]
"""Sources, unreadable ones, children still to be made, and whether all sources are present and fixed."""


class Survey:
    """Judges one period at a time. A run adds what it will write, so that parents see their new children."""

    def __init__(
        self, snapshot: Snapshot, records: TreeRecords, today: date, taken: frozenset[str] = frozenset()
    ) -> None:
        """`taken`: paths of nodes that the operator takes although their claims do not hold."""
        self.snapshot, self.records, self.today, self._taken = snapshot, records, today, taken
        self.tree_files = sorted_files(snapshot)
        self._unread = frozenset(item.path for item in snapshot.skipped)
        self._written: dict[str, HeldNode] = {}
        self._doubts: dict[str, str] = {}
        self._blank: dict[str, bool] = {}

    def put(self, path: str, held: HeldNode) -> None:
        """Adds a node that this run will write."""
        self._written[path] = held

    def held(self, path: str) -> HeldNode | None:
        """Returns a node as this run will write it, else as it is on disk; None if there is none."""
        facts = self.snapshot.files.get(path)
        on_disk = HeldNode(facts.sha256, facts.frontmatter, facts.lines, facts.tokens) if facts else None
        return self._written.get(path, on_disk)

    def trusted(self, path: str) -> HeldNode | None:
        """Returns a node that others may be made from; None if it is missing, or doubted and not taken."""
        # What an agent wrote itself may claim any source: a node is made only from nodes whose claims hold, or that a
        # person took.
        return None if self.doubt(path) and not self.takes(path) else self.held(path)

    def is_there(self, path: str) -> bool:
        """Tells whether a file is in the workspace or will be made by this run or a later one."""
        return path in self._written or self._lines_of(path) is not None

    def takes(self, path: str) -> bool:
        """Tells whether the operator takes this node despite doubts, now or in an applied plan."""
        facts = self.snapshot.files.get(path)
        # By its hash: taken once is taken until the bytes change.
        return path in self._taken or (facts is not None and facts.sha256 in self.records.taken)

    def doubt(self, path: str) -> str:
        """Says why the claims of a node are wrong; empty if they are right or if we wrote it."""
        facts = self.snapshot.files.get(path)
        if path in self._written or facts is None or self.records.wrote(path, facts.sha256):
            return ""
        # Another fixed node of ours is damaged, which is shown as such.
        if path not in self._doubts:
            self._doubts[path] = "" if self.records.is_fixed(path) else self._broken(path, facts)
        return self._doubts[path]

    def _broken(self, path: str, facts: FileFacts) -> str:
        values, files = facts.frontmatter, self.snapshot.files
        changed = broken_source(listed(values, "source-files"), self._lines_of)
        # A tentative node may be older than its log and is made anew anyway; a fixed one would stay wrong for ever.
        if not changed and values.get("status") == NodeStatus.FIXED.value:
            known = known_sources(values)
            counts = dict(zip((source for source, _ in known), listed(values, "source-lines"), strict=False))
            logs = [(source, sha256) for source, sha256 in known if raw_day(source) is not None]
            raw = [(source, sha256) for source, sha256 in logs if source not in files or files[source].sha256 != sha256]
            changed = broken_hash(raw, [counts.get(source, "") for source, _ in raw], self.snapshot.content)
        return changed or broken_claim(read_claims(path, facts.sha256, Reading(self.snapshot.content)), self._lines_of)

    def _lines_of(self, path: str) -> int | None:
        if (facts := self.snapshot.files.get(path)) is not None:
            return facts.lines
        place = node_place(path)
        # A node of this level that a later cycle will make is no missing source.
        to_come = place is not None and place[0] in LEVELS and place[1] in self.tree_files.periods[place[0]]
        return _UNREAD if path in self._unread or to_come else None

    def read(self, path: str) -> bytes:
        """Returns the bytes of a source as this run will write them, else as the snapshot has them."""
        written = self._written.get(path)
        return written.data if written is not None and written.data is not None else self.snapshot.content(path)

    def nodes(self, level: NodeLevel) -> Iterator[Node]:
        """Yields the nodes of a level, oldest first."""
        return (self.node(level, period) for period in self.tree_files.periods[level])

    def node(self, level: NodeLevel, period: str) -> Node:
        """Returns the node of one period, which may not exist yet."""
        if level is NodeLevel.DAILY:
            return self._day(period)
        return self._judged(level, period, self._of_children(self.children(level, period)))

    def children(self, level: NodeLevel, period: str) -> tuple[tuple[NodeLevel, str], ...]:
        """Returns the periods directly below that have a node or sources; none below a day."""
        below: Iterable[str] = ()
        match level:
            case NodeLevel.WEEKLY:
                # Days without a log or a node are no gap: nothing was said on them.
                below = (day for day in map(str, days_of_week(period)) if day in self._known_days)
            case NodeLevel.MONTHLY:
                below = self.tree_files.weeks_of_month.get(period, ())
            case NodeLevel.ROOT:
                below = self.tree_files.periods[NodeLevel.MONTHLY]
            case NodeLevel.DAILY:
                return ()
        lower = [*LEVELS, NodeLevel.ROOT]
        return tuple((lower[lower.index(level) - 1], child) for child in below)

    @cached_property
    def _known_days(self) -> frozenset[str]:
        return frozenset(self.tree_files.periods[NodeLevel.DAILY])

    def raws(self, period: str) -> tuple[str, ...]:
        """Returns the readable, non-blank raw logs of a day."""
        paths = self.tree_files.raws.get(date.fromisoformat(period), ())
        return tuple(path for path in paths if not self._is_blank(path))

    def _is_blank(self, path: str) -> bool:
        facts = self.snapshot.files[path]
        plain = not facts.frontmatter and not facts.frontmatter_problem
        # Every log would have to be read in each survey; only a small one can be blank, and most of those are told by
        # their size alone: a log of 60 bytes without frontmatter holds something.
        if facts.size > SMALL or (plain and facts.tokens > max(4, facts.lines)):
            return False
        if facts.size and path not in self._blank:
            self._blank[path] = False
            with suppress(MemdeckError):
                self._blank[path] = not Document.from_bytes(self.snapshot.content(path)).body.strip()
        return not facts.size or self._blank[path]

    def _day(self, period: str) -> Node:
        files, unreadable = self.snapshot.files, self.tree_files.unreadable
        missing = unreadable.get(date.fromisoformat(period), ()) if unreadable else ()
        sources = tuple((path, files[path].sha256) for path in self.raws(period))
        return self._judged(NodeLevel.DAILY, period, (sources, missing, (), not missing))

    def _of_children(self, children: Sequence[tuple[NodeLevel, str]]) -> _MadeFrom:
        sources: list[Source] = []
        missing: list[str] = []
        waiting: list[str] = []
        complete = True
        for level, period in children:
            path, is_day = node_path(level, period), level is NodeLevel.DAILY
            if (held := self.trusted(path)) is not None:
                # Of a damaged child the hash that we know it by: the parent was made from the bytes that were fixed,
                # and with those of the damage it would be stale as well.
                record = self.records.nodes.get(path)
                fixed = record is not None and record.fixed and path not in self._written
                sources.append((path, record.sha256 if fixed and record is not None else held.sha256))
                missing += listed(held.values, "missing-sources")
                complete = complete and self._is_fixed(path, held)
            elif self.held(path) is None:  # a doubted one is left out, and named
                waiting += [path] if not is_day or self.raws(period) else []
                missing += self.tree_files.unreadable.get(date.fromisoformat(period), ()) if is_day else ()
        # A parent is fixed after its last child (decision C2), and never over a source that could not be read (C19).
        complete = complete and not missing and not waiting and bool(sources)
        return tuple(sources), tuple(missing), tuple(waiting), complete

    def _is_fixed(self, path: str, held: HeldNode) -> bool:
        # The operator's records win: frontmatter may be edited by anyone (decisions §Risk tiers).
        recorded = path not in self._written and self.records.is_fixed(path)
        return recorded or held.values.get("status") == NodeStatus.FIXED.value

    def _judged(self, level: NodeLevel, period: str, made_from: _MadeFrom) -> Node:
        sources, missing, waiting, complete = made_from
        path = node_path(level, period)
        held = self.held(path)
        known = known_sources(held.values) if held else ()
        ours = held is not None and (path in self._written or self.records.wrote(path, held.sha256))
        status = self._status(path, held) if held else None
        return Node(
            level=level,
            period=period,
            path=path,
            status=status,
            freshness=self._freshness(path, held, status, ours, sources, known, missing),
            ours=ours,
            sources=sources,
            known=known,
            missing=missing,
            waiting=waiting,
            complete=complete,
            fixed_from=fixed_from(level, period),
            doubt="" if self.takes(path) else self.doubt(path),
        )

    def _status(self, path: str, held: HeldNode) -> NodeStatus:
        """Returns fixed if the records or the first frontmatter block say so (decision C9)."""
        left = held.values.get("status") == NodeStatus.NEEDS_SUMMARIZATION.value
        other = NodeStatus.NEEDS_SUMMARIZATION if left else NodeStatus.TENTATIVE
        return NodeStatus.FIXED if self._is_fixed(path, held) else other

    def _freshness(
        self,
        path: str,
        held: HeldNode | None,
        status: NodeStatus | None,
        ours: bool,
        sources: tuple[Source, ...],
        known: tuple[Source, ...],
        missing: tuple[str, ...],
    ) -> Freshness:
        if held is None or status is None:
            return Freshness.MISSING
        # Before anything is compared: what a damaged node says of its sources counts for nothing.
        if not ours and self.records.is_fixed(path):
            return Freshness.DAMAGED
        if self.doubt(path) and not self.takes(path):
            return Freshness.FORGED
        if not sources and not missing:
            return Freshness.ORPHAN
        changed = Freshness.STALE_FIXED if status is NodeStatus.FIXED else Freshness.STALE
        # Written by another tool as a work item, whatever its sources (decision C22).
        if status is NodeStatus.NEEDS_SUMMARIZATION:
            return Freshness.STALE
        if known:
            same = same_sources(known, sources) and list(missing) == listed(held.values, "missing-sources")
            return Freshness.FRESH if same or (status is NodeStatus.FIXED and same_sources(known, sources)) else changed
        named = set(listed(held.values, "source-files"))
        if named and any(source not in named for source, _ in sources):
            return changed
        return Freshness.UNKNOWN
