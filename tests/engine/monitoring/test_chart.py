"""A gauge over a span of days: what lies within it, what is expected beyond it, and what it counts."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.monitoring.chart import AHEAD, chart, within
from engine.monitoring.gauges import GaugeLimit, GaugeReading
from engine.monitoring.trends import GaugeSample, Trend, trends
from tests.ready_demo import Demo, copy, shared

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


def trend(*values: int) -> Trend:
    """A gauge with one sample a day, the last of them now."""
    days = len(values) - 1
    samples = [GaugeSample(NOW - timedelta(days=days - day), {"a": value}) for day, value in enumerate(values[:-1])]
    reading = GaugeReading(id="a", unit="files", value=values[-1], limits=(GaugeLimit("pressure", 10),))
    return trends([reading], samples, NOW)[0]


def test_a_span_begins_with_what_was_known_then() -> None:
    found = chart(trend(*range(40)), 30, NOW, ())
    assert found.points[0] == (NOW - timedelta(days=30), 9)
    assert found.points[-1] == (NOW, 39)
    assert (found.start, found.end) == (NOW - timedelta(days=30), NOW + timedelta(days=30 / AHEAD))


def test_the_forecast_begins_at_the_figure_of_now_and_widens() -> None:
    found = chart(trend(1, 3, 2, 5, 4, 6, 5, 8), 30, NOW, ())
    first, last = found.ahead[0], found.ahead[-1]
    assert (first.at, first.low, first.value, first.high) == (NOW, 8, 8, 8)
    assert last.at == found.end and last.low < last.value < last.high


def test_where_nothing_grows_nothing_is_expected() -> None:
    assert chart(trend(5, 5, 5, 5, 5, 5), 30, NOW, ()).ahead == ()


@given(st.lists(st.integers(0, 400), max_size=20), st.integers(1, 365))
def test_what_lies_within_a_span_is_in_order_and_in_it(ago: list[int], days: int) -> None:
    points = [(NOW - timedelta(days=day), day) for day in sorted(ago, reverse=True)]
    start = NOW - timedelta(days=days)
    found = within(points, start, NOW)
    assert list(found) == sorted(found, key=lambda point: point[0])
    assert all(start <= at <= NOW for at, _ in found)
    assert bool(found) == bool(points)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return copy(shared(tmp_path_factory), tmp_path_factory.mktemp("chart-demo"))


def test_a_gauge_counts_the_notes_that_its_figure_names(demo: Demo) -> None:
    with demo.open_today() as engine:
        status = engine.status.read()
        working = status.memory_tiers.working
        files = engine.status.chart("working.files", 90, status)
        assert len(files.members) == working.files == files.trend.value
        assert sum(member.eligible for member in files.members) == working.eligible == 9
        ages = [member.age_days for member in files.members]
        assert ages == sorted(ages, key=lambda age: -(age or 0)) and ages[0] == working.oldest_days
        tokens = [member.tokens for member in engine.status.chart("working.tokens", 30, status).members]
        assert sum(tokens) == working.tokens and tokens == sorted(tokens, reverse=True)


def test_a_shard_counts_its_entries_latest_first_and_root_its_sections(demo: Demo) -> None:
    with demo.open_today() as engine:
        status = engine.status.read()
        shard = next(one for one in status.memory_tiers.semantic.shards if one.path.endswith("openclaw.md"))
        entries = engine.status.chart(f"semantic:{shard.path}", 90, status).members
        lines = [entry.line for entry in entries]
        assert len(entries) > 10 and lines == sorted(lines, reverse=True)
        for entry in entries:
            text = (demo.folder / entry.path).read_text("utf-8").split("\n")
            assert entry.title in text[entry.line - 1]
        sections = engine.status.chart("root.tokens", 90, status).members
        assert sections[0].line == 1 and sum(part.lines for part in sections) >= 10


def test_a_gauge_that_there_is_not_is_refused(demo: Demo) -> None:
    with demo.open_today() as engine, pytest.raises(UsageError, match="no such gauge"):
        engine.status.chart("working.birds", 90)


def test_every_gauge_has_a_chart(demo: Demo) -> None:
    with demo.open_today() as engine:
        status = engine.status.read()
        for found in engine.status.trends(status):
            assert engine.status.chart(found.id, 365, status).trend.id == found.id
