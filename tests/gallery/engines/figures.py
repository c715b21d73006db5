"""What the Overview says of a workspace: all well, parts missing, many shards."""

from datetime import UTC, timedelta

import msgspec

from engine.models.cost_ledger import LedgerLine
from engine.models.cost_report import CostCurves, CostKey, cost_curves, forecast
from engine.models.model_task import Price
from engine.plans.memory_status import (
    CooldownState,
    Degraded,
    DueJob,
    QueueFigures,
    SemanticBand,
    SemanticFigures,
    ShardFigures,
    TierFigures,
    TriggerState,
)
from tests.gallery.engines.queues import batch
from tests.gallery.engines.stage_engine import StageEngine
from tests.values import NOW, a_status


def _measured(**figures: int) -> tuple[TriggerState, ...]:
    """The triggers with these figures in place of theirs; one fires whose figure is over its threshold."""
    return tuple(
        msgspec.structs.replace(one, value=value, fired=value > one.threshold)
        if one.threshold is not None and (value := figures.get(one.id, one.value)) is not None
        else one
        for one in a_status().triggers
    )


def all_well() -> StageEngine:
    """No threshold is crossed, no plan waits, nothing is missing."""
    shards = (("openclaw", 847), ("whatsapp-bot", 412))
    tiers = msgspec.structs.replace(
        a_status().memory_tiers,
        working=TierFigures(files=6, tokens=1300, oldest_days=5, eligible=0),
        episodic=TierFigures(files=14, tokens=4100, oldest_days=28, eligible=0),
        semantic=SemanticFigures(
            files=2,
            tokens=1259,
            shards=tuple(
                ShardFigures(path=f"memory/semantic/{name}.md", tokens=tokens, band=SemanticBand.OK)
                for name, tokens in shards
            ),
        ),
    )
    calm = _measured(
        semantic_hard=847,
        semantic_risk=847,
        working_files=6,
        working_tokens=1300,
        working_age=5,
        episodic_files=14,
        episodic_tokens=4100,
        episodic_age=28,
    )
    figures = QueueFigures(pending=0, stale=0)
    more = {"degraded": (), "skipped": (), "notes": (), "due": (), "first_run": False, "git": True}
    return StageEngine([], a_status(memory_tiers=tiers, triggers=calm, primary_trigger=None, queue=figures, **more))


def degraded() -> StageEngine:
    """Parts are missing, a job is overdue, and it is too soon for another run."""
    missing = (
        Degraded(id="git", what="this workspace is not a git repository", fix="git init; undo works without"),
        Degraded(id="tokenizer", what="the tokenizer is not installed: tokens are estimated", fix="memdeck doctor"),
        Degraded(id="model", what="no API key: summaries are extractive", fix="set ANTHROPIC_API_KEY"),
    )
    due = (
        DueJob(id="weekly", title="weekly dry run", next_at=NOW - timedelta(hours=20), overdue=True),
        DueJob(id="daily", title="daily dry run", next_at=NOW + timedelta(minutes=20), overdue=False),
    )
    resting = CooldownState(active=True, last=NOW - timedelta(days=1), until=NOW + timedelta(days=4))
    engine = batch()
    engine.status = a_status(degraded=missing, due=due, cooldown=resting)
    return engine


def many_shards() -> StageEngine:
    """Five semantic shards, one of them blocked, and figures of seven digits."""
    shards = (
        ("openclaw", 1290, SemanticBand.BLOCKED),
        ("whatsapp-bot-with-a-very-long-name-indeed", 1047, SemanticBand.RISK),
        ("ops", 930, SemanticBand.WARNING),
        ("people", 412, SemanticBand.OK),
        ("日本語の断片", 55, SemanticBand.OK),
    )
    figures = tuple(ShardFigures(path=f"memory/semantic/{n}.md", tokens=t, band=band) for n, t, band in shards)
    tiers = msgspec.structs.replace(
        a_status().memory_tiers,
        semantic=SemanticFigures(files=len(figures), tokens=3846, shards=figures),
        working=TierFigures(files=1300, tokens=2_900_000, oldest_days=900, eligible=1200),
    )
    engine = batch()
    over = _measured(
        semantic_hard=1290, semantic_risk=1290, working_files=1300, working_tokens=2_900_000, working_age=900
    )
    engine.status = a_status(memory_tiers=tiers, triggers=over, primary_trigger="semantic_hard")
    return engine


def paid() -> StageEngine:
    """Two months of calls: a gate that is asked each day, dry runs now and then, one call that nobody can bill."""
    engine = StageEngine()
    gate = [_call(day, "gate", "", 0.002 + 0.001 * (day % 5)) for day in range(60)]
    plans = [_call(day, "summarise", f"compact {day}", 0.04 + 0.01 * (day % 3)) for day in range(0, 60, 7)]
    lost = _call(3, "extract", "extract \x1b[31mred", 0.11)
    lines = (*gate, *plans, msgspec.structs.replace(lost, estimated=True, stop="timeout"))

    def curves(key: CostKey, days: int) -> CostCurves:
        months = forecast(Price(1.0, 5.0), Price(1.0, 5.0), Price(0.02, 0.0))
        return cost_curves(lines, key, UTC, NOW.date(), days, months)

    engine.stub.answers("costs.curves", curves)
    return engine


def _call(days: int, role: str, plan: str, usd: float) -> LedgerLine:
    at = NOW - timedelta(days=days)
    return LedgerLine(time=at, role=role, plan=plan, model="m", input=900, output=90, cache_read=300, usd=usd)
