"""Holds what every planner is given: what was asked for, the files, the rules, the clock and the counter of tokens."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import TypeVar

import msgspec

from engine.models.model_task import ModelQuestion
from engine.plans.policy.values import Policy
from engine.plans.records.operation_fold import Moves
from engine.plans.system_request import SystemRequest
from engine.text.tokens import TokenCounter
from engine.workspace.dates import zone_of
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Progress, Tick, steps

T = TypeVar("T")
R = TypeVar("R", bound=SystemRequest)


class PlanRequest(msgspec.Struct, frozen=True):
    """A request for a dry run: what is `asked` of its system, None for nothing beside its name."""

    asked: SystemRequest | None = None
    scheduled: bool = False  # act only under pressure, as the schedule does
    unattended: bool = False
    """Asked for by a schedule, a watcher or an agent: what comes of it supersedes no plan that a person looks at."""
    at: datetime | None = None  # the instant to plan for, where a plan is made again with other entries; None: now
    counted: Callable[[ModelQuestion], None] | None = None
    """Told each question that a model would be asked, in the place of asking it: how an estimate is made."""
    tick: Tick | None = None

    def of(self, kind: type[R]) -> R:
        """Gives what is asked of the system whose requests are of this kind."""
        return self.asked if isinstance(self.asked, kind) else kind()


class Planning(msgspec.Struct, frozen=True, kw_only=True):
    """The circumstances of one plan. `now` is the instant it is made for, and `simulated_clock` a what-if one (G6).
    `made_at` is the real time; None: the same as `now`. `tick` is told of progress and may raise `Cancelled`. `moves`
    are those of earlier operations."""

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
