"""Costs by role, day and dry run, and the forecast of a month (D49, autopoiesis §12)."""

from datetime import UTC, date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import PolicyError
from engine.models.cost_ledger import LedgerLine
from engine.models.cost_report import CostKey, PresentUse, cost_curves, cost_sums, cost_total, forecast
from engine.models.model_task import ModelQuestion, ModelRole, Price, estimate
from engine.plans.policy.file import parse_policy
from engine.services.policy_models import price_of
from engine.text.tokens import counter

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


def test_a_curve_has_each_day_of_its_span_and_nothing_on_a_day_without_calls() -> None:
    lines = [line(), line("summarise", 0.5, at=LATE - timedelta(days=2)), line(at=LATE - timedelta(days=3))]
    curves = cost_curves([*lines, line(at=None)], CostKey.ROLE, BERLIN, date(2026, 3, 15), 3, ())
    assert curves.first == date(2026, 3, 13)
    assert {one.sum.name: one.days for one in curves.curves} == {"summarise": (0.5, 0.0, 0.0), "gate": (0.0, 0.0, 0.25)}
    assert curves.whole.days == (0.5, 0.0, 0.25)


@given(st.lists(st.tuples(st.sampled_from(["gate", "summarise"]), st.floats(0, 9), st.sampled_from(["", "p"]))))
def test_every_way_of_adding_up_gives_the_same_sum(rows: list[tuple[str, float, str]]) -> None:
    lines = [line(role, usd, plan) for role, usd, plan in rows]
    for key in CostKey:
        sums = cost_sums(lines, key, BERLIN)
        assert sum(one.usd for one in sums) == pytest.approx(cost_total(lines).usd)
        assert sum(one.calls for one in sums) == len(lines)


def test_the_forecast_has_the_three_levels_and_goes_by_the_prices() -> None:
    light, medium, heavy = forecast(Price(1.0, 5.0), Price(1.0, 5.0), Price(0.02, 0.0))
    assert [one.level for one in (light, medium, heavy)] == ["light", "medium", "heavy"]
    assert light.extraction == pytest.approx(5 * 30 * (12_000 + 5 * 900) / 1e6)
    assert medium.extraction == pytest.approx(3 * light.extraction)
    assert light.lifecycle == heavy.lifecycle and light.embeddings == pytest.approx(0.136)
    twice = forecast(Price(2.0, 10.0), Price(2.0, 10.0), Price(0.04, 0.0))
    assert [one.usd for one in twice] == pytest.approx([2 * one.usd for one in (light, medium, heavy)])


def test_d49_each_model_has_its_own_price_in_the_forecast_the_estimate_and_the_ledger() -> None:
    llm = parse_policy(
        "llm: {provider: claude, models: {extract: small, summarise: large}, prices: {large: {input: 3, output: 15}}}",
        "policy.yaml",
    )[0].llm
    small, large = price_of(llm, "small"), price_of(llm, "large")
    assert (small, large) == (Price(1.0, 5.0), Price(3.0, 15.0))
    vectors = Price(0.0, 0.0)
    mixed, cheap = forecast(small, large, vectors)[0], forecast(small, small, vectors)[0]
    assert mixed.extraction == cheap.extraction and mixed.lifecycle == pytest.approx(3 * cheap.lifecycle)
    asked = [
        ModelQuestion(role=ModelRole.EXTRACT, model=model, system="s", prompt="p", schema={}, max_tokens=9)
        for model in ("small", "large")
    ]
    both = estimate(asked, counter("o200k_base"), partial(price_of, llm), 1.0)
    one = estimate(asked[:1], counter("o200k_base"), partial(price_of, llm), 1.0)
    assert both.usd == pytest.approx(4 * one.usd)


@pytest.mark.parametrize("prices", ["{m: 3}", "{m: {input: 1}}", "{m: {input: -1, output: 1}}", "{m: {in: 1}}"])
def test_prices_that_are_none_are_refused_with_their_key(prices: str) -> None:
    with pytest.raises(PolicyError, match="prices"):
        parse_policy(f"llm: {{prices: {prices}}}", "policy.yaml")


def test_the_present_use_is_reckoned_by_the_sizes_that_are_there() -> None:
    price = Price(1.0, 0.0)
    *levels, present = forecast(price, price, price, PresentUse(2.0, 1_000_000, 3_000_000))
    assert [month.level for month in levels] == ["light", "medium", "heavy"]
    assert (present.level, present.sessions) == ("present", 2.0)
    assert present.extraction == pytest.approx(2 * 30 * 4 * 1.0), "four extractors read each session"
    assert present.lifecycle == levels[0].lifecycle
    assert present.embeddings == pytest.approx(3.0 + 60_000 * 30 * 2 / 5 / 1e6)
