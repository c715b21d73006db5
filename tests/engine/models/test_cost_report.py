"""Costs by role, day and dry run, and the forecast of a month (D49, autopoiesis §12)."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.cost_ledger import LedgerLine
from engine.models.cost_report import CostKey, cost_sums, cost_total, forecast
from engine.models.price import Price

LATE = datetime(2026, 3, 14, 23, 30, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def line(
    role: str = "gate", usd: float = 0.25, plan: str = "", at: datetime | None = LATE, read: int = 0
) -> LedgerLine:
    return LedgerLine(time=at, role=role, plan=plan, model="m", input=10, output=2, cache_read=read, usd=usd)


def test_d49_costs_are_told_by_role_day_and_dry_run() -> None:
    lines = [line(), line("summarise", 0.5, "compact 1", read=30), line(at=None)]
    by = {key: {one.name: one.usd for one in cost_sums(lines, key, BERLIN)} for key in CostKey}
    assert by[CostKey.ROLE] == {"gate": 0.5, "summarise": 0.5}
    assert by[CostKey.DAY] == {"2026-03-15": 0.75, "no date": 0.25}, "the day in the zone of the policy"
    assert by[CostKey.PLAN] == {"compact 1": 0.5, "no plan": 0.5}
    total = cost_total(lines)
    assert (total.calls, total.input, total.output, total.usd, total.cache_share) == (3, 60, 6, 1.0, 0.5)


@given(st.lists(st.tuples(st.sampled_from(["gate", "summarise"]), st.floats(0, 9), st.sampled_from(["", "p"]))))
def test_every_way_of_adding_up_gives_the_same_sum(rows: list[tuple[str, float, str]]) -> None:
    lines = [line(role, usd, plan) for role, usd, plan in rows]
    for key in CostKey:
        sums = cost_sums(lines, key, BERLIN)
        assert sum(one.usd for one in sums) == pytest.approx(cost_total(lines).usd)
        assert sum(one.calls for one in sums) == len(lines)


def test_the_forecast_has_the_three_levels_and_goes_by_the_prices() -> None:
    light, medium, heavy = forecast(Price(1.0, 5.0), Price(0.02, 0.0))
    assert [one.level for one in (light, medium, heavy)] == ["light", "medium", "heavy"]
    assert light.extraction == pytest.approx(5 * 30 * (12_000 + 5 * 900) / 1e6)
    assert medium.extraction == pytest.approx(3 * light.extraction)
    assert light.lifecycle == heavy.lifecycle and light.embeddings == pytest.approx(0.136)
    twice = forecast(Price(2.0, 10.0), Price(0.04, 0.0))
    assert [one.usd for one in twice] == pytest.approx([2 * one.usd for one in (light, medium, heavy)])
