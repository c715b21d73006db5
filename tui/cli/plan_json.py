"""Makes the JSON of plans that CLI.md promises: these keys stay, more can be added."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from engine.errors import MemdeckError
from engine.plans.diff import FileDiff
from engine.plans.flags import plan_trust
from engine.plans.plan import Append, Change, Cost, Create, Move, Plan, PlanState, QueueEntry
from engine.plans.trust_label import TrustLabel
from tui.cli.output import fields
from tui.present.diff import verb
from tui.present.flags import flags_json

if TYPE_CHECKING:
    from engine.monitoring.comments import DiffComment
    from engine.plans.planning import PlanOutcome
    from engine.plans.sizes import PlanSizes
    from engine.services.engine import Engine


def plan_state(console: "Engine", plan: Plan) -> PlanState:
    """Returns the plan's state, after stale and expired plans were marked."""
    return next((entry.state for entry in console.plans.queue() if entry.id == plan.id), PlanState.PENDING)


def file_diffs(console: "Engine", plan: Plan) -> tuple[FileDiff, ...]:
    """Returns a diff for each change; empty if the files changed since, as for an applied or stale plan."""
    try:
        return console.plans.diffs(plan)
    except MemdeckError:
        return ()


def line_counts(plan: Plan, diffs: Sequence[FileDiff]) -> dict[int, tuple[int, int]]:
    """Returns lines added and removed by the number of each change; without diffs, from its content."""
    if len(diffs) == len(plan.changes):
        return {change.n: (diff.added, diff.removed) for change, diff in zip(plan.changes, diffs, strict=True)}
    texts = {change.n: change.content for change in plan.changes if isinstance(change, Create | Append)}
    return {change.n: (len(texts.get(change.n, "").splitlines()), 0) for change in plan.changes}


def plan_json(plan: Plan, state: PlanState, diffs: Sequence[FileDiff] = ()) -> dict[str, Any]:
    """Returns the JSON of one plan, for `plan` and `show`."""
    counts = line_counts(plan, diffs)
    return {
        "plan": plan.id,
        **fields(plan, "digest system risk_tier trigger"),
        "state": state,
        **fields(plan, "simulated_clock confirmations"),
        "gates": plan.gates,
        "changes": [_change_json(change, *counts[change.n]) for change in plan.changes],
        "cost": cost_json(plan.cost),
        "reason_no_action": None,
        **fields(plan, "report warnings facts also"),
        "now": plan.now.isoformat(),
        "made_at": plan.made_at.isoformat(),
        "redoes": plan.redoes,
        "flagged": plan.flagged_lines(),
        "trust": _trust_json(plan_trust(plan)),
    }


def outcome_json(console: "Engine", system: str, outcome: "PlanOutcome") -> dict[str, Any]:
    """Returns the JSON of a dry run; without a plan `"plan": null` and the reason."""
    also = [plan.id for plan in outcome.also]
    if outcome.plan is not None:
        made = plan_json(outcome.plan, plan_state(console, outcome.plan), file_diffs(console, outcome.plan))
        return made | {"also": sorted({*made["also"], *also})}
    return {
        **dict.fromkeys(("plan", "digest")),
        "system": system,
        **dict.fromkeys(("risk_tier", "trigger", "state")),
        "simulated_clock": console.simulated,
        **{key: [] for key in ("confirmations", "gates", "changes")},
        "cost": cost_json(outcome.cost),
        "reason_no_action": outcome.reason_no_action or "nothing to do",
        "report": outcome.report,
        "warnings": [],
        "facts": outcome.facts,
        "also": also,
        "flagged": 0,
        "trust": None,
    }


def effect_json(plan: Plan, sizes: "PlanSizes") -> dict[str, Any]:
    """Returns the effect of a plan: tokens of lasting files, numbers of notes by memory tier, and limits."""
    tiers = [
        {"tier": tier.tier.value, "before": tier.files, "after": tier.after(plan.changes), "limit": tier.limit}
        for tier in sizes.tiers
    ]
    return {"files": msgspec.to_builtins(sizes.files(change.n for change in plan.changes)), "tiers": tiers}


def entry_json(entry: QueueEntry) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.to_builtins(entry)
    del row["inputs"], row["policy_sha256"]
    return {"plan": row.pop("id"), **row}


def cost_json(cost: Cost) -> Mapping[str, int | float | None]:
    """Returns a cost with dollars as numbers; `estimated_usd` is null without an estimate."""
    return {
        **fields(cost, "calls input_tokens output_tokens"),
        "usd": float(Decimal(cost.usd)),
        "estimated_usd": float(Decimal(cost.estimated_usd)) if cost.estimated_usd else None,
    }


def _change_json(change: Change, added: int, removed: int) -> dict[str, Any]:
    return {
        "n": change.n,
        "op": verb(change),
        "path": change.path,
        "to": change.to if isinstance(change, Move) else None,
        "risk_tier": change.risk_tier.value,
        "added": added,
        "removed": removed,
        "sources": [str(source) for source in change.sources],
        **fields(change, "warnings reason dropped requires requires_any"),
        "flags": flags_json(change.flagged),
        "trust": _trust_json(change.trust if isinstance(change.trust, TrustLabel) else None),
    }


def _trust_json(label: TrustLabel | None) -> dict[str, str] | None:
    return {"label": label.trust.value, "why": label.why} if label is not None else None


def comment_json(comment: "DiffComment") -> dict[str, Any]:
    """Returns a comment as `comment` and `show --diff` print it."""
    lines = fields(comment.lines, "change path first last old quoted")
    return {**fields(comment, "plan number"), **lines, "text": comment.text, "at": comment.at.isoformat()}
