"""Every combination of the thresholds at one below, at, and one above, against an oracle written another way."""

from datetime import UTC, datetime, timedelta
from itertools import product

from engine.compactor.limits.cooldown import MetaFile, cooldown
from engine.compactor.limits.evaluation import judge
from engine.compactor.limits.thresholds import Measurements, band_of, weekly_fires
from engine.compactor.options import CompactorHistory
from engine.compactor.quality_gates import confirmations
from engine.plans.memory_status import TierFigures
from engine.plans.policy.values import Limits

SUNDAY = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
STEPS = (-1, 0, 1)

# The oracle knows positions only: of the nine sizes, which band each is in, and whether the two semantic triggers fire.
SIZES = (899, 900, 901, 1019, 1020, 1021, 1199, 1200, 1201)
BANDS = ["ok", "ok", "warning", "warning", "warning", "risk", "risk", "risk", "blocked"]
SEMANTIC = [""] * 5 + ["semantic_risk"] * 3 + ["semantic_hard semantic_risk"]
VOLUME = ["working_files", "working_tokens", "working_age", "episodic_files", "episodic_tokens", "episodic_age"]
AT = (10, 4000, 10, 20, 8000, 45)


def oracle(size: int, steps: tuple[int, ...], scheduled: bool) -> tuple[list[str], str | None, bool, str | None]:
    """Fired triggers in order, the run's trigger, whether it acts, and its risk tier."""
    volume = [name for name, step in zip(VOLUME, steps, strict=True) if step == 1]
    semantic = SEMANTIC[size].split()
    letter = {True: "C", False: "B" if volume else None}[size > 4]
    if scheduled:
        fired = [*semantic, *volume, "weekly"]
        return fired, [*volume, *fired][0], bool(volume), letter
    return semantic + volume, [*semantic, *volume, "manual"][0], True, letter


def measured(size: int, steps: tuple[int, ...]) -> Measurements:
    values = [at + step for at, step in zip(AT, steps, strict=True)]
    return Measurements(
        working=TierFigures(files=values[0], tokens=values[1], oldest_days=values[2]),
        episodic=TierFigures(files=values[3], tokens=values[4], oldest_days=values[5]),
        semantic_tokens=SIZES[size],
    )


def test_every_combination_classifies_as_the_oracle_says() -> None:
    """3⁶ volumes × 9 semantic sizes × 3 moments of the cooldown × manual or scheduled × first run or not: 78,732."""
    limits = Limits()
    cooling = []
    for step, first_run in product(STEPS, (True, False)):
        history = CompactorHistory(applied=not first_run, last_semantic_at=SUNDAY - timedelta(hours=24, seconds=step))
        state = cooldown(MetaFile(), history, SUNDAY, limits.cooldown_hours)
        asked = [c.id for c in confirmations(first_run=first_run, cooldown=state, semantic=(1,), duplicates={})]
        cooling.append((asked, ["first_run"] * first_run + ["cooldown"] * (step == -1)))
    checked = 0
    for size, scheduled in product(range(9), (True, False)):
        weekly = weekly_fires(SUNDAY, scheduled=scheduled, last_scheduled_at=None)
        assert band_of(SIZES[size], limits.semantic) == BANDS[size]
        for steps in product(STEPS, repeat=6):
            got = judge(measured(size, steps), limits, scheduled=scheduled, weekly=weekly)
            fired = [state.id for state in got.states if state.fired]
            said = (fired, got.trigger, got.acts, got.risk_tier)
            for asked, expected in cooling:
                assert (said, asked) == (oracle(size, steps, scheduled), expected), (size, steps, scheduled)
                checked += 1
    assert checked == 78_732


def test_the_order_of_the_triggers_is_the_one_scripts_rely_on() -> None:
    everything = judge(measured(8, (1,) * 6), Limits(), scheduled=True, weekly=True)
    assert [state.id for state in everything.states] == ["semantic_hard", "semantic_risk", *VOLUME, "weekly"]
    assert all(state.fired for state in everything.states)
    assert [(state.value, state.threshold) for state in everything.states] == [
        (1201, 1200),
        (1201, 1020),
        *((at + 1, at) for at in AT),
        (None, None),
    ]
