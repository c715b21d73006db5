"""Plans as the JSON that CLI.md promises: these keys stay, more may be added."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from engine.errors import MemdeckError
from engine.plans.diff import FileDiff
from engine.plans.flag_words import count_words, plan_trust, rule_words
from engine.plans.plan import Append, Change, Cost, Create, Move, Plan, PlanState, QueueEntry
from engine.plans.sizes import PlanSizes
from engine.plans.status import PlanOutcome
from engine.plans.trust import TrustLabel
from tui.cli.output import Styled, print_json, stdout
from tui.cli.settings import Settings
from tui.present.glyphs import FLAGGED
from tui.present.words import cost_words, noun

if TYPE_CHECKING:
    from engine.monitoring.comments import DiffComment
    from engine.services.engine import Engine


def plan_state(console: "Engine", plan: Plan) -> PlanState:
    """Reads the plan's state, after stale and expired ones were marked."""
    return next((entry.state for entry in console.plans.queue() if entry.id == plan.id), PlanState.PENDING)


def file_diffs(console: "Engine", plan: Plan) -> tuple[FileDiff, ...]:
    """One diff per change; none where the files have moved on since (an applied or a stale plan)."""
    try:
        return console.plans.diffs(plan)
    except MemdeckError:
        return ()


def line_counts(plan: Plan, diffs: Sequence[FileDiff]) -> dict[int, tuple[int, int]]:
    """Lines added and removed by each change, by its number; from its content where there is no diff."""
    if len(diffs) == len(plan.changes):
        return {change.n: (diff.added, diff.removed) for change, diff in zip(plan.changes, diffs, strict=True)}
    return {change.n: (_lines(change), 0) for change in plan.changes}


def plan_json(plan: Plan, state: PlanState, diffs: Sequence[FileDiff] = ()) -> dict[str, Any]:
    """`plan` and `show` for one plan."""
    counts = line_counts(plan, diffs)
    return {
        "plan": plan.id,
        "digest": plan.digest,
        "system": plan.system,
        "risk_tier": plan.risk_tier.value,
        "trigger": plan.trigger,
        "state": state.value,
        "simulated_clock": plan.simulated_clock,
        "confirmations": msgspec.to_builtins(plan.confirmations),
        "gates": msgspec.to_builtins(plan.gates),
        "changes": [_change_json(change, *counts[change.n]) for change in plan.changes],
        "cost": cost_json(plan.cost),
        "reason_no_action": None,
        "report": plan.report,
        "warnings": list(plan.warnings),
        "facts": plan.facts,
        "also": list(plan.also),
        "now": plan.now.isoformat(),
        "made_at": plan.made_at.isoformat(),
        "redoes": plan.redoes,
        "flagged": plan.flagged_lines(),
        "trust": _trust_json(plan_trust(plan)),
    }


def outcome_json(console: "Engine", system: str, outcome: PlanOutcome) -> dict[str, Any]:
    """Builds the JSON of a dry run; `"plan": null` with its reason where there is nothing to do."""
    also = [plan.id for plan in outcome.also]
    if outcome.plan is not None:
        made = plan_json(outcome.plan, plan_state(console, outcome.plan), file_diffs(console, outcome.plan))
        return made | {"also": sorted({*made["also"], *also})}
    return {
        "plan": None,
        "digest": None,
        "system": system,
        "risk_tier": None,
        "trigger": None,
        "state": None,
        "simulated_clock": console.simulated,
        "confirmations": [],
        "gates": [],
        "changes": [],
        "cost": cost_json(outcome.cost),
        "reason_no_action": outcome.reason_no_action or "nothing to do",
        "report": outcome.report,
        "warnings": [],
        "facts": outcome.facts,
        "also": also,
        "flagged": 0,
        "trust": None,
    }


def effect_json(plan: Plan, sizes: PlanSizes) -> dict[str, Any]:
    """Tells what a plan makes of memory: the tokens of files that last, the notes of memory tiers, and the limits."""
    tiers = [
        {"tier": one.tier.value, "before": one.files, "after": one.after(plan.changes), "limit": one.limit}
        for one in sizes.tiers
    ]
    return {"files": msgspec.to_builtins(sizes.files), "tiers": tiers}


def entry_json(entry: QueueEntry) -> dict[str, Any]:
    """One row of `queue --json`."""
    row: dict[str, Any] = msgspec.to_builtins(entry)
    del row["inputs"], row["policy_sha256"]
    return {"plan": row.pop("id"), **row}


def cost_json(cost: Cost) -> Mapping[str, int | float | None]:
    """The cost with dollars as numbers; `estimated_usd` is null where nothing was reckoned before."""
    return {
        "calls": cost.calls,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "usd": float(Decimal(cost.usd)),
        "estimated_usd": float(Decimal(cost.estimated_usd)) if cost.estimated_usd else None,
    }


def change_op(change: Change) -> str:
    """`create`, `append`, `replace` or `move`."""
    return type(change).__name__.lower()


def _change_json(change: Change, added: int, removed: int) -> dict[str, Any]:
    return {
        "n": change.n,
        "op": change_op(change),
        "path": change.path,
        "to": change.to if isinstance(change, Move) else None,
        "risk_tier": change.risk_tier.value,
        "added": added,
        "removed": removed,
        "sources": [str(source) for source in change.sources],
        "warnings": list(change.warnings),
        "reason": change.reason,
        "dropped": list(change.dropped),
        "requires": list(change.requires),
        "requires_any": list(change.requires_any),
        "flags": [{"line": flag.line, "rule": flag.rule, "words": rule_words([flag.rule])} for flag in change.flagged],
        "trust": _trust_json(change.trust if isinstance(change.trust, TrustLabel) else None),
    }


def _trust_json(label: TrustLabel | None) -> dict[str, str] | None:
    return {"label": label.trust.value, "why": label.why} if label is not None else None


def _lines(change: Change) -> int:
    return len(change.content.splitlines()) if isinstance(change, Create | Append) else 0


def comment_json(one: "DiffComment") -> dict[str, Any]:
    """A comment as `comment` and `show --diff` print it."""
    return {
        "plan": one.plan,
        "number": one.number,
        "change": one.lines.change,
        "path": one.lines.path,
        "first": one.lines.first,
        "last": one.lines.last,
        "old": one.lines.old,
        "quoted": list(one.lines.quoted),
        "text": one.text,
        "at": one.at.isoformat(),
    }


def print_outcome(
    settings: Settings,
    console: "Engine",
    system: str,
    outcome: PlanOutcome,
    counted: str = "change",
    more: Mapping[str, Any] | None = None,
) -> None:
    """Prints the outcome of a dry run of `system`. `counted` is the noun for the changes of a plan. `more`: keys of the
    system's own that its JSON has."""
    if settings.json:
        print_json(outcome_json(console, system, outcome) | dict(more or {}))
        return
    printer = stdout(settings.no_color)
    if outcome.report:
        printer.block(outcome.report.rstrip("\n"))
    if outcome.cost.calls:
        printer.line(f"cost: {cost_words(outcome.cost)}")
    if outcome.plan is None:
        printer.line(f"no plan: {outcome.reason_no_action or 'nothing to do'}")
    for made in filter(None, (outcome.plan, *outcome.also)):
        printer.line(
            f"queued {made.id} · {made.risk_tier.value} · {noun(len(made.changes), counted)}"
            f" · see it with `memdeck show {made.id} --diff`"
        )
        if flagged := count_words(made.changes):
            printer.line(Styled(f"{FLAGGED.glyph} {flagged}", fg="red"))
