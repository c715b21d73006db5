"""Measures the sizes after a plan: tokens of each lasting file, and notes of each memory tier."""

import re
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError
from engine.plans.flags import ROOT, is_lasting
from engine.plans.plan import Append, Change, Create, Move, Plan, Replace
from engine.plans.policy.values import Limits
from engine.text.document import decode
from engine.workspace.layout import MEMORY_MD_PATHS, TIER_FOLDERS
from engine.workspace.values import MemoryTier

if TYPE_CHECKING:
    from engine.workspace.snapshot import Snapshot

_TITLE = re.compile(r"^Title:", re.MULTILINE)


class FileSize(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of one file before and after some changes, and its limits in rising order, compared with `>`."""

    path: str
    changes: tuple[int, ...]
    before: int
    after: int
    entries: int = 0  # semantic entries that come, less those that go
    limits: tuple[int, ...] = ()

    @property
    def is_over(self) -> bool:
        """Tells whether it ends above the second of its limits, or above its only one."""
        return any(self.after > limit for limit in self.limits[1:] or self.limits)


Count = Callable[[str], int]  # counts the tokens of a text


class WrittenFile(msgspec.Struct, frozen=True, kw_only=True):
    """A lasting file as it is, and all changes of a plan to it, in order."""

    path: str
    text: str
    changes: tuple[Create | Append | Replace, ...]
    limits: tuple[int, ...] = ()

    def size(self, numbers: Collection[int], count: Count) -> FileSize | None:
        """Measures the file after these changes; None where they do not change it."""
        chosen = [change for change in self.changes if change.n in numbers]
        after = self.text
        for change in chosen:
            after = after + change.content if isinstance(change, Append) else change.content
        if after == self.text:
            return None
        return FileSize(
            path=self.path,
            changes=tuple(change.n for change in chosen),
            before=count(self.text),
            after=count(after),
            entries=_titles(after) - _titles(self.text),
            limits=self.limits,
        )


class TierSize(msgspec.Struct, frozen=True):
    """The number of notes in a memory tier now, and its limit."""

    tier: MemoryTier
    files: int
    limit: int

    def after(self, changes: Iterable[Change]) -> int:
        """Gives the number of its notes after these changes, at least 0."""
        folder = f"{TIER_FOLDERS[self.tier]}/"
        comes = goes = 0
        for change in changes:
            made = change.to if isinstance(change, Move) else change.path if isinstance(change, Create) else ""
            comes += made.startswith(folder)
            goes += isinstance(change, Move) and change.path.startswith(folder)
        return max(0, self.files - goes) + comes


class PlanSizes(msgspec.Struct, frozen=True):
    """The lasting files that a plan changes, and the memory tiers that it fills or empties."""

    lasting: tuple[WrittenFile, ...] = ()
    tiers: tuple[TierSize, ...] = ()
    count: Count = len

    def files(self, numbers: Iterable[int]) -> tuple[FileSize, ...]:
        """Measures each file once after these changes; files over a limit come first."""
        chosen = frozenset(numbers)
        sizes = (file.size(chosen, self.count) for file in self.lasting)
        return tuple(sorted((size for size in sizes if size is not None), key=lambda size: not size.is_over))


def tier_sizes(plan: Plan, snapshot: "Snapshot", limits: Limits) -> tuple[TierSize, ...]:
    """Gives the memory tiers with a limit whose number of notes the plan changes."""
    limited = {MemoryTier.WORKING: limits.working.files, MemoryTier.EPISODIC: limits.episodic.files}
    sizes = (TierSize(tier, sum(1 for _ in snapshot.tier(tier)), limit) for tier, limit in limited.items())
    return tuple(size for size in sizes if size.after(plan.changes) != size.files)


def lasting_files(plan: Plan, read: Callable[[str], bytes], limits: Limits) -> tuple[WrittenFile, ...]:
    """Reads the lasting files that a plan writes, in the order of its changes, without those that are no text."""
    writes: dict[str, list[Create | Append | Replace]] = {}
    for change in plan.changes:
        if not isinstance(change, Move) and is_lasting(change.path):
            writes.setdefault(change.path, []).append(change)
    texts = {path: "" if isinstance(changes[0], Create) else _text(path, read) for path, changes in writes.items()}
    return tuple(
        WrittenFile(path=path, text=text, changes=tuple(writes[path]), limits=_limits(path, limits))
        for path, text in texts.items()
        if text is not None
    )


def _text(path: str, read: Callable[[str], bytes]) -> str | None:
    try:
        return decode(read(path))
    except MemdeckError:
        return None


def _titles(text: str) -> int:
    return len(_TITLE.findall(text))


def _limits(path: str, limits: Limits) -> tuple[int, ...]:
    if path == ROOT:
        return (limits.root_tokens,)
    semantic = limits.semantic
    return () if path in MEMORY_MD_PATHS else (semantic.soft, semantic.risk, semantic.hard)
