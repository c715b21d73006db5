"""Surveys every period with its node, its sources and how they agree; from a snapshot's facts alone."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property

from engine.errors import MemdeckError
from engine.text.document import Document
from engine.tree import calendar
from engine.tree.levels import LEVELS, Freshness, NodeLevel, NodeStatus, node_path, node_place
from engine.tree.source_references import raw_day
from engine.tree.survey.claims import Reading, broken_claim, broken_hash, broken_source, read_claims
from engine.tree.survey.node_state import HeldNode, Node
from engine.tree.survey.records import TreeRecords
from engine.tree.survey.source_hashes import Source, known_sources, listed, same_sources
from engine.tree.survey.tree_files import sorted_files
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts

_UNREAD = 1 << 30
"""Lines of a file that is there, or will be made, and of which nothing more can be said."""
SMALL = 512
"""Bytes up to which a log may turn out to hold nothing but blanks."""


class Survey:
    """Judges periods one by one. What a run would write can be put on top, so that parents see their new children."""

    def __init__(
        self, snapshot: Snapshot, records: TreeRecords, today: date, taken: frozenset[str] = frozenset()
    ) -> None:
        """`taken`: paths of nodes that the operator takes although their claims do not hold."""
        self._taken = taken
        self._doubts: dict[str, str] = {}
        self.snapshot = snapshot
        self.records = records
        self.today = today
        self.tree_files = sorted_files(snapshot)
        self._written: dict[str, HeldNode] = {}
        self._blank: dict[str, bool] = {}

    def put(self, path: str, held: HeldNode) -> None:
        """Puts what this run would write on top of what is on disk."""
        self._written[path] = held

    def held(self, path: str) -> HeldNode | None:
        """A node as it is, or as this run would write it."""
        written = self._written.get(path)
        if written is not None:
            return written
        facts = self.snapshot.files.get(path)
        return HeldNode(facts.sha256, facts.frontmatter, facts.lines, facts.tokens) if facts else None

    def trusted(self, path: str) -> HeldNode | None:
        """A node from which others may be made; None for one that is not there, or is doubted and was not taken."""
        # What an agent wrote itself may claim any source: a node is made only from nodes whose claims hold, or that a
        # person took.
        return None if self.doubt(path) and not self.takes(path) else self.held(path)

    def is_there(self, path: str) -> bool:
        """Tells whether a file is in the workspace, or will be made by this run or a later one."""
        return path in self._written or self._lines_of(path) is not None

    def takes(self, path: str) -> bool:
        """Tells whether the operator takes this node whatever it claims, now or in what was approved before."""
        facts = self.snapshot.files.get(path)
        # By its hash: taken once is taken until the bytes change.
        return path in self._taken or (facts is not None and facts.sha256 in self.records.taken)

    def doubt(self, path: str) -> str:
        """Says why the claims of a node that we did not write do not hold; empty where they do, or where it is ours."""
        facts = self.snapshot.files.get(path)
        if path in self._written or facts is None or self.records.wrote(path, facts.sha256):
            return ""
        if self.records.is_fixed(path):
            return ""  # damage, which is shown as such
        if path not in self._doubts:
            self._doubts[path] = self._broken(path, facts)
        return self._doubts[path]

    def _broken(self, path: str, facts: FileFacts) -> str:
        values = facts.frontmatter
        named = broken_source(listed(values, "source-files"), self._lines_of)
        if named:
            return named
        # A tentative node may be older than its log and is made anew anyway; a fixed one would stay wrong for ever.
        if values.get("status") == NodeStatus.FIXED.value:
            known = known_sources(values)
            raw = [pair for pair in known if raw_day(pair[0]) is not None and self._sha(pair[0]) != pair[1]]
            counts = dict(zip((source for source, _ in known), listed(values, "source-lines"), strict=False))
            changed = broken_hash(raw, [counts.get(source, "") for source, _ in raw], self.snapshot.content)
            if changed:
                return changed
        return broken_claim(read_claims(path, facts.sha256, Reading(self.snapshot.content)), self._lines_of)

    def _sha(self, path: str) -> str:
        facts = self.snapshot.files.get(path)
        return facts.sha256 if facts is not None else ""

    def _lines_of(self, path: str) -> int | None:
        facts = self.snapshot.files.get(path)
        if facts is not None:
            return facts.lines
        place = node_place(path)
        # A node of this level that a later cycle will make is no missing source.
        to_come = place is not None and place[0] in LEVELS and place[1] in self.tree_files.periods[place[0]]
        return _UNREAD if path in self._unread or to_come else None

    @cached_property
    def _unread(self) -> frozenset[str]:
        """Lists what lies in the workspace and could not be read: it is there, and nothing can be said of its lines."""
        return frozenset(item.path for item in self.snapshot.skipped)

    def read(self, path: str) -> bytes:
        """The bytes of a source, as this run would write them or as the snapshot has them."""
        written = self._written.get(path)
        return written.data if written is not None and written.data is not None else self.snapshot.content(path)

    def nodes(self, level: NodeLevel) -> Iterator[Node]:
        """Every period of a level, oldest first."""
        return (self.node(level, period) for period in self.tree_files.periods[level])

    def node(self, level: NodeLevel, period: str) -> Node:
        """One period as it stands now."""
        if level is NodeLevel.DAILY:
            return self._day(period)
        return self._judged(level, period, *self._of_children(self.children(level, period)))

    def children(self, level: NodeLevel, period: str) -> tuple[tuple[NodeLevel, str], ...]:
        """The periods below that have a node or something to make one from; raw logs are no periods."""
        match level:
            case NodeLevel.WEEKLY:
                days = calendar.days_of_week(period)
                # Days without a log or a node are no gap: nothing was said on them.
                known = self._known_days
                return tuple((NodeLevel.DAILY, str(day)) for day in days if str(day) in known)
            case NodeLevel.MONTHLY:
                weeks = self.tree_files.weeks_of_month.get(period, ())
                return tuple((NodeLevel.WEEKLY, week) for week in weeks)
            case NodeLevel.ROOT:
                return tuple((NodeLevel.MONTHLY, month) for month in self.tree_files.periods[NodeLevel.MONTHLY])
            case NodeLevel.DAILY:
                return ()

    @cached_property
    def _known_days(self) -> frozenset[str]:
        return frozenset(self.tree_files.periods[NodeLevel.DAILY])

    def raws(self, period: str) -> tuple[str, ...]:
        """The readable raw logs of a day that hold anything."""
        paths = self.tree_files.raws.get(date.fromisoformat(period), ())
        return tuple(path for path in paths if not self._is_blank(path))

    def _is_blank(self, path: str) -> bool:
        facts = self.snapshot.files[path]
        # Every log would have to be read in each survey; only a small one can be blank.
        if facts.size > SMALL:
            return False
        if path not in self._blank:
            self._blank[path] = facts.size == 0 or self._reads_blank(path)
        return self._blank[path]

    def _reads_blank(self, path: str) -> bool:
        # Most small logs are told from their size alone: a log of 60 bytes without frontmatter holds something.
        facts = self.snapshot.files[path]
        if not facts.frontmatter and not facts.frontmatter_problem and facts.tokens > max(4, facts.lines):
            return False
        try:
            return not Document.from_bytes(self.snapshot.content(path)).body.strip()
        except MemdeckError:
            return False

    def _day(self, period: str) -> Node:
        files = self.snapshot.files
        raws = self.raws(period)
        missing = self.tree_files.unreadable.get(date.fromisoformat(period), ()) if self.tree_files.unreadable else ()
        sources = tuple((path, files[path].sha256) for path in raws)
        return self._judged(NodeLevel.DAILY, period, sources, missing, (), not missing)

    def _of_children(
        self, children: Sequence[tuple[NodeLevel, str]]
    ) -> tuple[tuple[Source, ...], tuple[str, ...], tuple[str, ...], bool]:
        """Sources, unreadable ones, children that are still to come, and whether all is there and fixed."""
        sources: list[Source] = []
        missing: list[str] = []
        waiting: list[str] = []
        complete = True
        for level, period in children:
            path = node_path(level, period)
            held = self.trusted(path)
            if held is None:
                if self.held(path) is not None:
                    continue  # doubted: left out, and named
                if level is not NodeLevel.DAILY or self.raws(period):
                    waiting.append(path)
                if level is NodeLevel.DAILY:
                    missing += self.tree_files.unreadable.get(date.fromisoformat(period), ())
                continue
            sources.append((path, self._sha256(path, held)))
            missing += listed(held.values, "missing-sources")
            complete = complete and self._is_fixed(path, held)
        # A parent is fixed after its last child (decision C2), and never over a source that could not be read (C19).
        complete = complete and not missing and not waiting and bool(sources)
        return tuple(sources), tuple(missing), tuple(waiting), complete

    def _sha256(self, path: str, held: HeldNode) -> str:
        """A child's hash; of a damaged one the hash that we know it by, so that damage does not spread."""
        record = self.records.nodes.get(path)
        # The parent was made from the bytes that were fixed: with those of the damage it would be stale as well.
        if record is not None and record.fixed and path not in self._written:
            return record.sha256
        return held.sha256

    def _is_fixed(self, path: str, held: HeldNode) -> bool:
        if path in self._written:
            return held.values.get("status") == NodeStatus.FIXED.value
        # The operator's records win: frontmatter may be edited by anyone (decisions §Risk tiers).
        return self.records.is_fixed(path) or held.values.get("status") == NodeStatus.FIXED.value

    def _judged(
        self,
        level: NodeLevel,
        period: str,
        sources: tuple[Source, ...],
        missing: tuple[str, ...],
        waiting: tuple[str, ...],
        complete: bool,
    ) -> Node:
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
            fixed_from=calendar.fixed_from(level, period),
            doubt="" if self.takes(path) else self.doubt(path),
        )

    def _status(self, path: str, held: HeldNode) -> NodeStatus:
        """Fixed where the records or the first frontmatter block say so (decision C9)."""
        if self._is_fixed(path, held):
            return NodeStatus.FIXED
        if held.values.get("status") == NodeStatus.NEEDS_SUMMARIZATION.value:
            return NodeStatus.NEEDS_SUMMARIZATION
        return NodeStatus.TENTATIVE

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
