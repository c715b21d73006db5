"""The arguments of every planner, and the draft that collects a plan."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

import msgspec

from engine.models.model_task import ModelQuestion
from engine.plans.plan import (
    Append,
    Change,
    Confirmation,
    Cost,
    Create,
    Input,
    LineOrigin,
    ModelOutput,
    Move,
    Plan,
    QualityGate,
    Replace,
    RiskTier,
)
from engine.plans.policy.values import Policy
from engine.plans.records.operation_fold import Moves
from engine.plans.system_request import SystemRequest
from engine.text.tokens import TokenCounter
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan, Progress, Tick, steps

T = TypeVar("T")
R = TypeVar("R", bound=SystemRequest)


class PlanRequest(msgspec.Struct, frozen=True):
    """A request for a dry run. `asked` are the system's own options, None without any."""

    asked: SystemRequest | None = None
    scheduled: bool = False  # act only under pressure, as the schedule does
    unattended: bool = False
    """Made by a schedule, a watcher or an agent: its plan never supersedes one that a person is reading."""
    at: datetime | None = None  # the instant to plan for, where a plan is made again with other entries; None: now
    counted: Callable[[ModelQuestion], None] | None = None
    """Is called with each question instead of a model, to estimate the cost."""
    tick: Tick | None = None

    def of(self, kind: type[R]) -> R:
        """Gives the options of the system with this type of request, by default an empty one."""
        return self.asked if isinstance(self.asked, kind) else kind()


class Planning(msgspec.Struct, frozen=True, kw_only=True):
    """The circumstances of one plan. `now` is its instant, what-if with `simulated_clock` (G6); `made_at` is real
    time, None for `now`. `tick` hears of progress and may cancel. `moves` are those of earlier operations."""

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
        """The day in the policy's time zone (decision G5)."""
        return self.now.astimezone(self.policy.time_zone).date()

    def report(self, stage: str, done: int, total: int | None = None) -> None:
        if self.tick is not None:
            self.tick(Progress(stage, done, total))

    def steps(self, items: Sequence[T], stage: str, every: int = 1) -> Iterator[T]:
        """Yields the items and reports each as a step of this stage."""
        return steps(items, stage, self.tick, every)


class PlanOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a dry run: queued plans, or the reason why there is none."""

    plan: Plan | None
    also: tuple[Plan, ...] = ()
    reason_no_action: str | None = None
    report: str = ""
    cost: Cost = Cost()  # the cost of making it, whether a plan came of it or not
    facts: dict[str, Any] = {}


class Draft:
    """Collects changes and inputs. A path that a change creates or moves to becomes an input that must be missing."""

    def __init__(self, planning: Planning) -> None:
        self._planning = planning
        self._snapshot = planning.snapshot
        self._inputs: dict[str, str | None] = {}
        self._made: set[str] = set()
        self.changes: list[Change] = []

    @property
    def next_number(self) -> int:
        return len(self.changes) + 1

    def add(self, change: Change) -> int:
        """Adds a change made with `n=next_number`; gives its number."""
        self.changes.append(change)
        if isinstance(change, Create):
            self._made.add(change.path)
            self._inputs.setdefault(change.path, None)
        elif change.path not in self._made:
            self.read(change.path)
        if isinstance(change, Move):
            self._inputs.setdefault(change.to, None)
        return change.n

    def write(
        self,
        kind: type[Create | Append | Replace],
        path: str,
        content: str,
        reason: str,
        tier: RiskTier = RiskTier.B,
        *,
        origins: Iterable[LineOrigin] = (),
        sources: Iterable[LineSpan] | None = None,
        requires: Iterable[int] = (),
        warnings: Iterable[str] = (),
        dropped: tuple[str, ...] = (),
    ) -> int:
        """Adds a change of a file's content; gives its number. `sources` are by default those of the origins."""
        origins = tuple(origins)
        told = tuple(dict.fromkeys(origin.source for origin in origins)) if sources is None else tuple(sources)
        change = kind(
            n=self.next_number,
            path=path,
            risk_tier=tier,
            reason=reason,
            content=content,
            sources=told,
            origins=origins,
            requires=tuple(requires),
            warnings=tuple(warnings),
            dropped=dropped,
        )
        return self.add(change)

    def move(
        self,
        path: str,
        to: str,
        reason: str,
        tier: RiskTier = RiskTier.B,
        *,
        requires: Iterable[int] = (),
        warnings: Iterable[str] = (),
    ) -> int:
        """Adds the move of a file; gives its number."""
        n, needs, told = self.next_number, tuple(requires), tuple(warnings)
        return self.add(Move(n=n, path=path, to=to, risk_tier=tier, reason=reason, requires=needs, warnings=told))

    def read(self, path: str) -> None:
        """Adds a file of the snapshot to the plan's inputs."""
        if path in self._snapshot.files:
            self._inputs.setdefault(path, self._snapshot.files[path].sha256)

    def bind(self, path: str, sha256: str | None) -> None:
        """Adds a file outside the snapshot to the plan's inputs."""
        self._inputs.setdefault(path, sha256)

    def finish(
        self,
        system: str,
        trigger: str,
        *,
        gates: Iterable[QualityGate],
        report: str,
        facts: dict[str, Any],
        zone: str | None = None,
        model: ModelOutput | None = None,
        confirmations: Iterable[Confirmation] = (),
        warnings: Iterable[str] = (),
    ) -> Plan:
        """Makes the plan. `zone` is that of the system's dates, by default the policy's."""
        planning = self._planning
        return Plan(
            system=system,
            trigger=trigger,
            workspace=self._snapshot.workspace,
            now=planning.now,
            zone=zone or planning.policy.zone,
            simulated_clock=planning.simulated_clock,
            made_at=planning.made_at or planning.now,
            policy_sha256=planning.policy.sha256,
            tokenizer=planning.counter.name,
            inputs=tuple(Input(path, sha256) for path, sha256 in sorted(self._inputs.items())),
            changes=tuple(self.changes),
            model=model,
            gates=tuple(gates),
            confirmations=tuple(confirmations),
            warnings=tuple(warnings),
            report=report,
            facts=facts,
        )

    def outcome(
        self,
        system: str,
        none: str,
        *,
        report: str,
        facts: dict[str, Any],
        trigger: str = "asked",
        gates: Iterable[QualityGate] = (),
        model: ModelOutput | None = None,
        confirmations: Iterable[Confirmation] = (),
        warnings: Iterable[str] = (),
    ) -> PlanOutcome:
        """Makes the plan; without changes the outcome has `none` as its reason."""
        if not self.changes:
            return PlanOutcome(plan=None, reason_no_action=none, report=report, facts=facts)
        plan = self.finish(
            system,
            trigger,
            gates=gates,
            report=report,
            facts=facts,
            model=model,
            confirmations=confirmations,
            warnings=warnings,
        )
        return PlanOutcome(plan=plan, report=report, facts=facts)
