"""What the Overview says of a workspace: all well, parts missing, many shards."""

from datetime import timedelta

import msgspec

from engine.views import (
    CooldownState,
    Degraded,
    DueJob,
    QueueFigures,
    SemanticBand,
    SemanticFigures,
    ShardFigures,
    TierFigures,
)
from tests.gallery.engines.queues import batch
from tests.gallery.engines.stage_engine import StageEngine
from tests.tui.fake_engine import NOW, a_status


def all_well() -> StageEngine:
    """No threshold is crossed, no plan waits, nothing is missing."""
    status = a_status()
    calm = tuple(msgspec.structs.replace(one, fired=False) for one in status.triggers)
    figures = QueueFigures(pending=0, stale=0)
    more = {"degraded": (), "skipped": (), "notes": (), "due": (), "first_run": False, "git": True}
    return StageEngine([], a_status(triggers=calm, primary_trigger=None, queue=figures, **more))


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
    engine.current = a_status(degraded=missing, due=due, cooldown=resting)
    return engine


def many_shards() -> StageEngine:
    """Seven semantic shards, one of them blocked, and figures of seven digits."""
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
    engine.current = a_status(memory_tiers=tiers)
    return engine
