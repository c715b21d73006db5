"""The Tier C plan of its own that each blocked shard is offered (compactor §Semantic Risk Trigger, decision A22)."""

from datetime import UTC, datetime

import msgspec

from engine.compactor.limits.evaluation import Evaluation
from engine.compactor.limits.thresholds import SEMANTIC_HARD
from engine.compactor.notes.free_names import FreeNames, obstacle
from engine.compactor.options import COMPACTOR_ZONE, CompactOptions
from engine.compactor.quality_gates import confirmations
from engine.compactor.semantic.shards import shard_figures
from engine.compactor.sharding.cut import add_sharding
from engine.plans.draft import Draft
from engine.plans.plan import Create, Plan, QualityGate, RiskTier
from engine.plans.policy.values import Policy
from engine.plans.status import SemanticBand
from engine.text.tokens import TokenCounter
from engine.workspace.snapshot import Snapshot

SYSTEM = "shard"


class Proposals(msgspec.Struct, frozen=True):
    """A plan for each blocked shard that can be cut, and what the report says of each shard above the risk line."""

    plans: tuple[Plan, ...]
    notes: dict[str, str]


def propose_sharding(
    snapshot: Snapshot,
    policy: Policy,
    now: datetime,
    *,
    counter: TokenCounter,
    evaluated: Evaluation,
    names: FreeNames,
    options: CompactOptions,
) -> Proposals:
    """Offers to cut every shard above the hard limit, and suggests it for those above the risk line."""
    plans: list[Plan] = []
    notes: dict[str, str] = {}
    blocked = obstacle(snapshot, "memory/archive")
    for shard in shard_figures(snapshot, policy.limits.semantic):
        if shard.band is SemanticBand.RISK:
            notes[shard.path] = f"{shard.tokens:,} tokens, above the risk line: consider sharding it"
        if shard.band is not SemanticBand.BLOCKED:
            continue
        draft = Draft(snapshot)
        reason = blocked or add_sharding(
            draft, snapshot, shard.path, names, counter, policy.limits.semantic, now.astimezone(UTC).date()
        )
        if reason:
            notes[shard.path] = f"{shard.tokens:,} tokens, blocked; it cannot be sharded: {reason}"
            continue
        created = sum(isinstance(change, Create) for change in draft.changes)
        notes[shard.path] = f"{shard.tokens:,} tokens, blocked: a plan of its own cuts it into {created} shards"
        plans.append(_plan(snapshot, policy, now, counter, evaluated, options, draft, shard.path))
    return Proposals(tuple(plans), notes)


def _plan(
    snapshot: Snapshot,
    policy: Policy,
    now: datetime,
    counter: TokenCounter,
    evaluated: Evaluation,
    options: CompactOptions,
    draft: Draft,
    path: str,
) -> Plan:
    parts = [change.content for change in draft.changes if isinstance(change, Create)]
    whole = "".join(parts).encode() == snapshot.content(path)
    return Plan(
        system=SYSTEM,
        trigger=SEMANTIC_HARD,
        workspace=snapshot.workspace,
        now=now,
        zone=COMPACTOR_ZONE,
        simulated_clock=options.simulated_clock,
        made_at=options.made_at or now,
        policy_sha256=policy.sha256,
        tokenizer=counter.name,
        inputs=draft.inputs(),
        changes=tuple(draft.changes),
        gates=(QualityGate("word_for_word", whole, f"{path} = its {len(parts)} new shards joined, byte for byte"),),
        confirmations=confirmations(
            first_run=evaluated.first_run,
            cooldown=evaluated.cooldown,
            semantic=tuple(change.n for change in draft.changes),
            duplicates={},
        ),
        warnings=tuple(warning for change in draft.changes for warning in change.warnings),
        report=_report(draft, path, counter),
        facts={
            "shard": path,
            "new_shards": [
                {"path": change.path, "tokens": counter.count(change.content)}
                for change in draft.changes
                if isinstance(change, Create)
            ],
            "risk_tier": RiskTier.C,
        },
    )


def _report(draft: Draft, path: str, counter: TokenCounter) -> str:
    lines = [f"Semantic sharding of {path} (dry run: nothing is written until APPROVED is typed)"]
    for change in draft.changes:
        size = f", {counter.count(change.content):,} tokens" if isinstance(change, Create) else ""
        lines.append(f"   {change.path}{size}: {change.reason}")
    return "\n".join(lines) + "\n"
