"""Writes the report of a run as the specification's text and as JSON (compactor §Reporting Requirements, A18)."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine.compactor.extraction.candidates import Offer
from engine.compactor.extraction.episodic_to_semantic import SemanticPhase
from engine.compactor.extraction.shard_choice import Weighed
from engine.compactor.limits.evaluation import Evaluation
from engine.compactor.limits.thresholds import band_of
from engine.compactor.semantic.entry import render
from engine.compactor.semantic.pollution import Duplicate
from engine.compactor.semantic.shards import ShardOutlook
from engine.plans.memory_status import CooldownState, TierFigures, TriggerState
from engine.plans.plan import RiskTier
from engine.plans.policy.values import Limits
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.values import Skipped


class CompactorRun(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a report. `sharding`: the proposal for each shard above the risk line. `plan_risk_tier`: that of
    the strictest change; `evaluated.judged.risk_tier` is from before extraction."""

    evaluated: Evaluation
    limits: Limits
    tokenizer: str
    plan_risk_tier: RiskTier | None = None
    shards: tuple[ShardOutlook, ...] = ()
    compacted: int = 0
    archived: int = 0
    nothing_kept: tuple[str, ...] = ()
    phase: SemanticPhase = SemanticPhase()
    skipped: tuple[Skipped, ...] = ()
    sharding: dict[str, str] = {}
    warnings: tuple[str, ...] = ()
    reason_no_action: str | None = None


MOST_WITHOUT_ACTION = 5
"""Most lines of a list in a report without action: 106 waiting entries made one of 209 lines."""


def report_text(run: CompactorRun) -> str:
    """Returns the whole report, safe to show line by line."""
    lines = [*_headline(run), *_status(run), "", *_evaluation(run), *_lists(run)]
    return redact("\n".join(visible_line(line) for line in lines) + "\n", keep_lines=True)


def _headline(run: CompactorRun) -> Iterator[str]:
    note = "dry run: nothing is written until it is approved" if run.reason_no_action is None else "no action"
    yield f"🗑️ Memory Compaction ({note})"
    yield f"📦 Working→Episodic: {run.compacted} files compacted"
    yield f"📚 Episodic→Semantic: {len(run.phase.appended)} insights extracted"
    yield f"📁 Archived: {run.archived} files moved"
    yield ""


def _status(run: CompactorRun) -> Iterator[str]:
    current, projected, limits = run.evaluated.measured.semantic_tokens, largest(run), run.limits.semantic
    growth, cooldown = f" → ~{projected} tokens" if projected != current else "", run.evaluated.cooldown
    yield "📊 Semantic Status:"
    yield f"   • Current size: ~{current} tokens{growth} ({run.tokenizer})"
    yield f"   • Soft limit ({limits.soft}): {_mark(max(current, projected) <= limits.soft)}"
    yield f"   • Hard limit ({limits.hard}): {_mark(max(current, projected) <= limits.hard)}"
    yield f"   • Duplicate check: {'WARNING' if run.phase.duplicates else 'PASS'}"
    yield f"   • Cooldown: {_mark(not cooldown.active and not cooldown.warning)}"


def largest(run: CompactorRun) -> int:
    """Returns the tokens of the largest shard after all appends."""
    return max((shard.projected for shard in run.shards), default=run.evaluated.measured.semantic_tokens)


def _mark(fine: bool) -> str:
    return "OK" if fine else "WARNING"


def _evaluation(run: CompactorRun) -> Iterator[str]:
    evaluated, judged = run.evaluated, run.evaluated.judged
    measured = evaluated.measured
    yield f"Working: {_tier_line(measured.working)} | {len(evaluated.working)} eligible"
    yield f"Episodic: {_tier_line(measured.episodic)} | {len(evaluated.episodic)} eligible"
    yield f"Semantic: {measured.semantic_tokens:,} tokens in the largest shard ({run.tokenizer})"
    for shard in run.shards:
        after = f" → {shard.projected:,}" if shard.projected != shard.tokens else ""
        yield f"   {shard.path}: {shard.tokens:,}{after} tokens, {band_of(shard.projected, run.limits.semantic)}"
    yield "Thresholds evaluated:"
    yield from (f"   {threshold_line(state)}" for state in judged.states)
    yield f"Trigger: {judged.trigger or 'none'}{' (scheduled run)' if judged.scheduled else ''}"
    yield f"Risk tier: {tier_text(run)}"
    yield f"Cooldown: {cooldown_line(evaluated.cooldown)}"
    if evaluated.first_run:
        yield "First run: yes, it asks for confirmation"
    if run.reason_no_action is not None:
        yield f"No action taken: {run.reason_no_action}"


def _tier_line(measure: TierFigures) -> str:
    oldest = "—" if measure.oldest_days is None else f"{measure.oldest_days} days"
    return f"{measure.files:,} files | {measure.tokens:,} tokens | oldest {oldest}"


def threshold_line(state: TriggerState) -> str:
    """Returns a line about one threshold and its value."""
    mark = "fired" if state.fired else "not met"
    if state.threshold is None:
        return f"{state.id}: {mark}" + (f" ({state.detail})" if state.detail else "")
    sign = ">" if state.fired else "≤"
    against = f"—, limit {state.threshold:,}" if state.value is None else f"{state.value:,} {sign} {state.threshold:,}"
    return f"{state.id}: {against}, {mark}"


def tier_text(run: CompactorRun) -> str:
    """Returns the risk tier by the thresholds before extraction, and that of the plan."""
    before = f"{run.evaluated.judged.risk_tier or 'none'} by the thresholds, before extraction"
    word = ", APPROVED must be typed" if run.plan_risk_tier is RiskTier.C else ""
    return f"{before}; the plan is {run.plan_risk_tier}{word}" if run.plan_risk_tier is not None else before


def cooldown_line(state: CooldownState) -> str:
    text = "free, no semantic compaction yet"
    if state.last is not None:
        text = f"free, last semantic compaction {state.last.isoformat()}"
        if state.active and state.until is not None:
            text = f"active until {state.until.isoformat()}, asks for confirmation"
    return f"{text}; {state.warning}" if state.warning else text


def _lists(run: CompactorRun) -> Iterator[str]:
    most, phase = MOST_WITHOUT_ACTION if run.reason_no_action is not None else None, run.phase
    similar = [
        f"change {number}: “{found.title}” and “{found.other.title}” in {found.other.path} ({found.percent} %)"
        for number, many in phase.duplicates.items()
        for found in many
    ]
    told = list(map(str, phase.unfinished))
    waiting = [
        f"entry {item.number} “{item.candidate.entry.title}” from {item.candidate.source}: {item.waits}"
        for item in phase.weighed
        if item.waits
    ]
    yield from _list("Waiting entries (their files stay where they are)", waiting, most)
    yield from _list("Drafted entries that miss the schema (their files stay where they are)", told, most)
    yield from _list("Similar titles", similar)
    yield from _list("Not taken into semantic memory", [rule for rule in phase.refused if rule not in told], most)
    yield from _list("Nothing worth keeping in these notes; they go to the archive as they are", run.nothing_kept)
    yield from _list("Sharding", [f"{path}: {text}" for path, text in run.sharding.items()])
    yield from _list("Skipped", [f"{item.path}: {item.reason}" for item in run.skipped], most)
    yield from _list("Warnings", run.warnings)


def _list(title: str, items: Sequence[str], most: int | None = None) -> Iterator[str]:
    """Yields the items below their title; beyond `most` only their number."""
    if items:
        yield f"{title}:"
        yield from (f"   {item}" for item in items[:most])
    if most is not None and len(items) > most:
        yield f"   and {len(items) - most:,} more; `--json` has all"


def facts_json(run: CompactorRun) -> dict[str, Any]:
    """Returns the report as plain values for JSON."""
    evaluated, judged, phase = run.evaluated, run.evaluated.judged, run.phase
    measured, asdict = evaluated.measured, msgspec.structs.asdict
    return {
        "working": {**asdict(measured.working), "eligible": len(evaluated.working)},
        "episodic": {**asdict(measured.episodic), "eligible": len(evaluated.episodic)},
        "semantic": {
            "tokens": measured.semantic_tokens,
            "projected_tokens": largest(run),
            "shards": [_shard_json(shard, run) for shard in run.shards],
        },
        "tokenizer": run.tokenizer,
        "thresholds": [asdict(state) for state in judged.states],
        "fired": [state.id for state in judged.states if state.fired],
        "primary_trigger": judged.primary,
        "trigger": judged.trigger,
        "scheduled": judged.scheduled,
        "pressure": judged.pressure,
        "risk_tier_before_extraction": judged.risk_tier,
        "risk_tier": run.plan_risk_tier,
        "cooldown": msgspec.to_builtins(evaluated.cooldown),
        "first_run": evaluated.first_run,
        "files_compacted": run.compacted,
        "insights_extracted": len(phase.appended),
        "files_archived": run.archived,
        "nothing_kept": list(run.nothing_kept),
        "entries": [_entry_json(item, phase.appended.get(item.number)) for item in phase.weighed],
        "offers": [_offer_json(number, offer) for number, offer in phase.offers.items()],
        "waiting": [item.number for item in phase.weighed if item.waits],
        "duplicates": [_duplicate_json(n, found) for n, many in phase.duplicates.items() for found in many],
        "refused": list(phase.refused),
        "schema_errors": [{**asdict(problem), "text": redact(problem.text)} for problem in phase.unfinished],
        "skipped": [{"path": item.path, "reason": item.reason} for item in run.skipped],
        "sharding": dict(run.sharding),
        "warnings": list(run.warnings),
        "reason_no_action": run.reason_no_action,
    }


def _shard_json(shard: ShardOutlook, run: CompactorRun) -> dict[str, Any]:
    now, then = (band_of(tokens, run.limits.semantic).value for tokens in (shard.tokens, shard.projected))
    return {**msgspec.structs.asdict(shard), "band": now, "projected_band": then}


def _entry_json(item: Weighed, change: int | None) -> dict[str, Any]:
    return {
        "entry": item.number,
        "change": change,
        "title": item.candidate.entry.title,
        "from": item.candidate.source,
        "shard": item.shard,
        "why": item.why or None,
        "tokens_before": item.room.before,
        "tokens_after": item.room.after,
        "risk_tier": item.risk_tier,
        "waits": item.waits or None,
    }


def _offer_json(number: int, offer: Offer) -> dict[str, Any]:
    return {
        "entry": number,
        "title": offer.candidate.entry.title,
        "from": offer.candidate.source,
        "text": render(msgspec.structs.replace(offer.candidate.entry, provenance="")),
        "why": offer.why,
    }


def _duplicate_json(number: int, found: Duplicate) -> dict[str, Any]:
    return {
        "change": number,
        "title": found.title,
        "other_title": found.other.title,
        "other_path": found.other.path,
        "other_line": found.other.line,
        "percent": found.percent,
    }
