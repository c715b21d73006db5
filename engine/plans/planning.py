"""Holds what every planner is given: what was asked for, the files, the rules, the clock and the counter of tokens."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import TypeVar

import msgspec

from engine.models.model_task import ModelQuestion
from engine.plans.policy.values import Policy
from engine.plans.records.moves import Moves
from engine.text.tokens import TokenCounter
from engine.workspace.dates import zone_of
from engine.workspace.progress import steps
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Progress, Tick

T = TypeVar("T")


class ImportRequest(msgspec.Struct, frozen=True):
    """The kind of sessions to import, and the file or folder where they are.

    `only`: the folders below it that count; none named: all. `looked`: where a home of the tool was looked for.
    """

    kind: str
    path: str
    only: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()


class FolderRequest(msgspec.Struct, frozen=True):
    """The two folders of a review: the notes before and after somebody worked on them."""

    before: str
    after: str


class ReplayRequest(msgspec.Struct, frozen=True):
    """A replay by name: one of the same name goes on where it was stopped. `workers`: processes that read.

    `scheduler`: the address of a Dask cluster that reads in their place; empty for none. `branch`: it is kept on a
    branch `extract/NAME`, with each week rolled up.
    """

    name: str = "replay"
    workers: int = 1
    scheduler: str = ""
    branch: bool = False


class PlanRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a dry run. `routes` send entries, by number or by title, to a shard (decision A21)."""

    scheduled: bool = False
    routes: Mapping[int | str, str] = {}
    edits: Mapping[int, str] = {}
    """Semantic entries in the operator's words, by number (decision A15)."""
    at: datetime | None = None
    """The instant to plan for, where a plan is made again with other entries; None: now."""
    drain: bool = False
    """Several cycles of the tree in one plan (decision C6)."""
    reopen: Sequence[str] = ()
    """Fixed nodes of the tree to make anew, by path or period (decision C4)."""
    take: Sequence[str] = ()
    """Nodes of the tree to use although their claims do not hold, by path or period; files to archive or restore."""
    aggressive: bool = False
    """Summarise also what a plain flush keeps word for word (decision B13)."""
    band: str = ""
    """The band of the window that calls for a flush; empty where a person does."""
    take_flagged: bool = False
    """Let flagged lines into ROOT."""
    imported: ImportRequest | None = None
    folders: FolderRequest | None = None
    """The folders that a review compares."""
    private: bool = False
    """Let git encrypt the private folders by git-crypt, where a workspace is prepared."""
    only: Sequence[str] = ()
    """The parts of a system to plan, by name; none named: all."""
    transcripts: Sequence[str] = ()
    """The closed transcripts to extract from; none named: all."""
    left_out: Sequence[str] = ()
    """The entries that an extraction leaves out, by their ids: those that the operator refused."""
    accepted: Sequence[str] = ()
    """The inferred or proposed entries that an extraction takes, by their ids: those that the operator accepted."""
    replay: ReplayRequest = ReplayRequest()
    counted: Callable[[ModelQuestion], None] | None = None
    """Told each question that a model would be asked, in the place of asking it: how an estimate is made."""
    tick: Tick | None = None


class Planning(msgspec.Struct, frozen=True, kw_only=True):
    """The circumstances of one plan. `now` is the instant it is made for, and `simulated_clock` a what-if one (G6).

    `made_at` is the real time; None: the same as `now`. `tick` is told of progress and may raise `Cancelled`.
    `moves` are those of earlier operations.
    """

    snapshot: Snapshot
    policy: Policy
    now: datetime
    counter: TokenCounter
    simulated_clock: bool = False
    made_at: datetime | None = None
    tick: Tick | None = None
    moves: Moves = Moves()

    @property
    def today(self) -> date:
        """The day in the zone of the policy (decision G5)."""
        return self.now.astimezone(zone_of(self.policy.zone)).date()

    def report(self, stage: str, done: int, total: int | None = None) -> None:
        """Tells of progress, where somebody listens."""
        if self.tick is not None:
            self.tick(Progress(stage, done, total))

    def steps(self, items: Sequence[T], stage: str, every: int = 1) -> Iterator[T]:
        """Yields the items, and tells of each as a step of this stage."""
        return steps(items, stage, self.tick, every)
