"""Samples are few, bounded, and survive any damage to their file."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from engine.errors import Refused
from engine.monitoring import trends as module
from engine.monitoring.gauges import GaugeLimit, GaugeReading, gauges_of
from engine.monitoring.trends import HEARTBEAT, MOST, GaugeSample, TrendLog, thinned, trends
from engine.plans.policy.values import Limits
from engine.state.database import StateDatabase
from tests.values import a_status

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


def gauge(value: int, name: str = "working.files") -> GaugeReading:
    return GaugeReading(id=name, unit="files", value=value, limits=(GaugeLimit("pressure", 10),))


def test_a_status_has_a_gauge_for_each_tier_shard_and_limit() -> None:
    found = {item.id: item for item in gauges_of(a_status(), Limits())}
    assert found["working.files"].value == 13
    assert found["episodic.oldest"].limits == (GaugeLimit("pressure", 45),)
    assert found["semantic:memory/semantic/openclaw.md"].limits[-1] == GaugeLimit("hard", 1200)
    assert "root.tokens" not in found, "there is no ROOT"


def test_an_empty_tier_has_no_oldest_a17() -> None:
    tiers = a_status().memory_tiers
    empty = msgspec.structs.replace(tiers, working=msgspec.structs.replace(tiers.working, oldest_days=None))
    assert "working.oldest" not in {item.id for item in gauges_of(a_status(memory_tiers=empty), Limits())}


def test_a_sample_is_taken_on_change_and_every_hour(tmp_path: Path) -> None:
    log = TrendLog(StateDatabase(tmp_path))
    assert log.record([gauge(1)], NOW)
    assert not log.record([gauge(1)], NOW + timedelta(minutes=30))
    assert log.record([gauge(2)], NOW + timedelta(minutes=31))
    assert not log.record([gauge(3)], NOW + timedelta(minutes=31, seconds=20)), "a minute between two at least"
    assert log.record([gauge(2)], NOW + timedelta(minutes=31) + HEARTBEAT)
    assert [sample.values["working.files"] for sample in TrendLog(StateDatabase(tmp_path)).samples()] == [1, 2, 2]


def test_a_clock_set_back_teaches_nothing(tmp_path: Path) -> None:
    log = TrendLog(StateDatabase(tmp_path))
    log.record([gauge(1)], NOW)
    assert not log.record([gauge(9)], NOW - timedelta(days=1))


def test_it_never_grows_beyond_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 40)
    log = TrendLog(StateDatabase(tmp_path))
    for hour in range(200):
        assert log.record([gauge(hour)], NOW + timedelta(hours=hour))
    samples = log.samples()
    assert len(samples) <= 41
    assert samples[-1].values == {"working.files": 199}
    assert samples[0].at < NOW + timedelta(days=5), "of the older ones, some of each day are left"


def test_thinning_keeps_the_newest_half_and_the_days_of_the_rest() -> None:
    samples = [GaugeSample(NOW + timedelta(hours=hour), {}) for hour in range(MOST)]
    kept = thinned(samples)
    assert kept[-MOST // 2 :] == tuple(samples[-MOST // 2 :])
    older = [sample.at.date() for sample in kept[: -MOST // 2]]
    assert len(set(older)) == len(older)


def test_a_trend_ends_with_what_is_now() -> None:
    samples = [GaugeSample(NOW - timedelta(days=9 - day), {"working.files": day}) for day in range(9)]
    (trend,) = trends([gauge(9)], samples, NOW)
    assert trend.points[-1] == (NOW, 9) and trend.value == 9
    assert trend.forecast is not None
    assert trend.forecast.crossings[0].days == 1


def test_a_gauge_that_is_gone_has_no_trend_and_a_new_one_no_forecast() -> None:
    samples = [GaugeSample(NOW - timedelta(days=9 - day), {"working.files": day}) for day in range(9)]
    (trend,) = trends([gauge(5, "semantic:new.md")], samples, NOW)
    assert (trend.points, trend.forecast) == (((NOW, 5),), None)


def test_two_consoles_take_one_sample_between_them(tmp_path: Path) -> None:
    here, there = TrendLog(StateDatabase(tmp_path)), TrendLog(StateDatabase(tmp_path))
    assert here.samples() == there.samples() == ()
    assert here.record([gauge(1)], NOW)
    assert not there.record([gauge(1)], NOW + timedelta(seconds=20))
    assert len(here.samples()) == 1


def test_read_only_takes_no_sample(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="read-only"):
        TrendLog(StateDatabase(tmp_path, read_only=True)).record([gauge(1)], NOW)
    assert list(tmp_path.iterdir()) == []
