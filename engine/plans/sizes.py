"""Measures what a plan makes of memory: each file that lasts, and how many notes a memory tier holds."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from engine.plans.diff import FileDiff, RowKind
from engine.plans.flag_words import ROOT, is_lasting
from engine.plans.plan import Change, Create, Move, Plan
from engine.plans.policy.values import Limits
from engine.text.tokens import TokenCounter
from engine.workspace.layout import MEMORY_MD_PATHS, TIER_FOLDERS
from engine.workspace.values import MemoryTier

if TYPE_CHECKING:
    from engine.workspace.snapshot import Snapshot

_TITLE = "Title:"


class FileSize(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of one file before and after change `n`, and the limits it is compared with by `>`, ascending."""

    n: int
    path: str
    before: int
    after: int
    entries: int = 0
    """Semantic entries that come, less those that go."""
    limits: tuple[int, ...] = ()


class TierSize(msgspec.Struct, frozen=True):
    """The notes that a memory tier holds now, and how many of them are too many."""

    tier: MemoryTier
    files: int
    limit: int

    def after(self, changes: Iterable[Change]) -> int:
        """Gives the number of its notes once these changes are applied; none is missing twice that is gone already."""
        folder = f"{TIER_FOLDERS[self.tier]}/"
        comes = goes = 0
        for one in changes:
            made = one.to if isinstance(one, Move) else one.path if isinstance(one, Create) else ""
            comes += made.startswith(folder)
            goes += isinstance(one, Move) and one.path.startswith(folder)
        return max(0, self.files - goes) + comes


class PlanSizes(msgspec.Struct, frozen=True):
    """The files that last and that a plan changes, and the memory tiers that it fills or empties."""

    files: tuple[FileSize, ...] = ()
    tiers: tuple[TierSize, ...] = ()


def tier_sizes(plan: Plan, snapshot: "Snapshot", limits: Limits) -> tuple[TierSize, ...]:
    """Gives the tiers with a limit of files whose number of notes the plan changes."""
    limited = {MemoryTier.WORKING: limits.working.files, MemoryTier.EPISODIC: limits.episodic.files}
    sizes = (TierSize(tier, sum(1 for _ in snapshot.tier(tier)), limit) for tier, limit in limited.items())
    return tuple(size for size in sizes if size.after(plan.changes) != size.files)


def file_sizes(plan: Plan, diffs: Sequence[FileDiff], counter: TokenCounter, limits: Limits) -> tuple[FileSize, ...]:
    """Gives the sizes of the files that last, in the order of the plan's changes."""
    return tuple(_sizes(zip(plan.changes, diffs, strict=True), counter, limits))


def _sizes(pairs: Iterable[tuple[Change, FileDiff]], counter: TokenCounter, limits: Limits) -> Iterator[FileSize]:
    for change, diff in pairs:
        if isinstance(change, Move) or not is_lasting(change.path) or not diff.rows:
            continue
        before, after = _text(diff, RowKind.REMOVED), _text(diff, RowKind.ADDED)
        yield FileSize(
            n=change.n,
            path=change.path,
            before=counter.count(before),
            after=counter.count(after),
            entries=_titles(diff, RowKind.ADDED) - _titles(diff, RowKind.REMOVED),
            limits=_limits(change.path, limits),
        )


def _text(diff: FileDiff, side: RowKind) -> str:
    rows = [row.text for row in diff.rows if row.kind in (RowKind.SAME, side)]
    return "\n".join([*rows, ""]) if rows else ""


def _titles(diff: FileDiff, side: RowKind) -> int:
    return sum(row.text.startswith(_TITLE) for row in diff.rows if row.kind is side)


def _limits(path: str, limits: Limits) -> tuple[int, ...]:
    if path == ROOT:
        return (limits.root_tokens,)
    if path in MEMORY_MD_PATHS:
        return ()
    return (limits.semantic.soft, limits.semantic.risk, limits.semantic.hard)
