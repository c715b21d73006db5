"""Defines the values that all rooms share: workspace, file, skipped file, line range, finding, progress."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from typing import TypeVar

import msgspec


class MemoryTier(StrEnum):
    """The memory tier of a note (compactor §Tiers); not a `RiskTier`."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    ARCHIVE = "archive"


class Capability(StrEnum):
    """A layout that a workspace has, detected by its files (decision G3)."""

    COMPACTOR = "compactor"
    TREE = "tree"
    WINDOW = "window"
    AUTOPOIESIS = "autopoiesis"
    TOPICS = "topics"


class DateSource(StrEnum):
    """The source of a file's date, best first (decision G8)."""

    FRONTMATTER = "frontmatter"
    NAME = "name"
    GIT = "git"
    MTIME = "mtime"


class FileDate(msgspec.Struct, frozen=True, gc=False):
    """A file's date in the workspace's zone. `mtime` is unreliable: clones and syncs reset it."""

    day: date
    source: DateSource

    @property
    def low_confidence(self) -> bool:
        return self.source is DateSource.MTIME

    def age_days(self, today: date) -> int:
        """Returns the days from the file's date to `today`; 0 for a future date (decision G8)."""
        return max(0, (today - self.day).days)

    def is_future(self, today: date) -> bool:
        return self.day > today


class WorkspaceIdentity(msgspec.Struct, frozen=True):
    """A folder's real path, device and inode, part of every plan's digest (decision G17)."""

    path: str
    device: int
    inode: int


class FileFacts(msgspec.Struct, frozen=True, gc=False):
    """The facts about one regular, decodable `*.md` file. `path` is workspace-relative POSIX."""

    path: str
    size: int
    sha256: str
    lines: int
    tokens: int
    date: FileDate
    bom: bool = False
    crlf: bool = False
    frontmatter: dict[str, str | list[str]] = {}
    frontmatter_problem: str | None = None
    notes: tuple[str, ...] = ()  # remarks worth showing: merge-conflict markers, generated blocks, secrets found


class Skipped(msgspec.Struct, frozen=True):
    """A file or folder that was skipped, and why. `path` is workspace-relative POSIX."""

    path: str
    reason: str


class Progress(msgspec.Struct, frozen=True):
    """A step of long work. `total`: None if unknown. `size`, `total_size`: bytes, if parts differ much in size. Within
    a stage `done` never falls and `total` never changes; a finished stage never returns."""

    stage: str
    done: int
    total: int | None = None
    size: int = 0
    total_size: int = 0
    stoppable: bool = True  # false from the step on at which a cancel has no effect any more

    @property
    def share(self) -> float:
        """The finished share, 0 to 1; 0 if the total is unknown."""
        done, total = (self.size, self.total_size) if self.total_size else (self.done, self.total or 0)
        return min(1.0, done / total) if total else 0.0


Tick = Callable[[Progress], None]  # takes each step of long work; raises `Cancelled` when the operator cancelled


class LineSpan(msgspec.Struct, frozen=True, order=True):
    """Lines `start` to `end` of a file, both included, counted from 1."""

    path: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.path}:{self.start}-{self.end}"


class FindingKind(StrEnum):
    DAMAGE = "damage"
    CONFLICT = "conflict"
    LOSS = "loss"  # a file that platforms always load lost much of what it held (decision G26)
    STOPPED = "stopped"  # something that is to run gave no sign of life for twice its interval
    NOTICE = "notice"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of `check`, `doctor` or `log --verify`: its place, the fault and the fix."""

    kind: FindingKind
    id: str
    where: str
    what: str
    fix: str


def damage(what_id: str, where: str, what: str, fix: str) -> Finding:
    """Makes a finding that bytes or records differ from what was written."""
    return Finding(kind=FindingKind.DAMAGE, id=what_id, where=where, what=what, fix=fix)


def notice(what_id: str, where: str, what: str, fix: str = "") -> Finding:
    """Makes a finding that damages nothing."""
    return Finding(kind=FindingKind.NOTICE, id=what_id, where=where, what=what, fix=fix)


EVERY = 50  # items between two reports, where an item takes about a millisecond

T = TypeVar("T")


def steps(items: Sequence[T], stage: str, tick: Tick | None, every: int = EVERY) -> Iterator[T]:
    """Yields the items; calls `tick`, which may raise `Cancelled`, before every `every`-th and after the last."""
    for done, item in enumerate(items):
        if tick is not None and done % every == 0:
            tick(Progress(stage, done, len(items)))
        yield item
    if tick is not None and items:
        tick(Progress(stage, len(items), len(items)))


def phase(stage: str, tick: Tick | None) -> None:
    """Reports the name of a long step to `tick`."""
    if tick is not None:
        tick(Progress(stage, 0))
