"""Holds what every planner is given: the files, the rules, the clock and the counter of tokens."""

from datetime import date, datetime

import msgspec

from engine.plans.policy.values import Policy
from engine.plans.records.moves import Moves
from engine.text.tokens import TokenCounter
from engine.workspace.dates import zone_of
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Progress, Tick


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

    def report(self, stage: str, done: int, total: int) -> None:
        """Tells of progress, where somebody listens."""
        if self.tick is not None:
            self.tick(Progress(stage, done, total))
