"""A plan while it is put together: its changes in order, and every file whose bytes mattered."""

from collections.abc import Iterable
from typing import Any

from engine.plans.plan import (
    Append,
    Change,
    Confirmation,
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
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome
from engine.workspace.values import LineSpan


class Draft:
    """Collects changes and inputs. What a change creates or moves to is an input that must be absent."""

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
        """Adds a change of a file's content; gives its number. `sources`: those of the origins where none are given."""
        origins = tuple(origins)
        told = tuple(dict.fromkeys(one.source for one in origins)) if sources is None else tuple(sources)
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
        """Binds the plan to a file of the snapshot."""
        if path in self._snapshot.files:
            self._inputs.setdefault(path, self._snapshot.files[path].sha256)

    def bind(self, path: str, sha256: str | None) -> None:
        """Binds the plan to a file the snapshot does not know."""
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
        """Makes the plan of what was collected. `zone`: that of the system's dates; None: that of the policy."""
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
        """Makes the plan of what was collected; where nothing was, `none` is the reason."""
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
