"""A forecast says when a limit is crossed, and nothing where nothing grows."""

from datetime import UTC, datetime, timedelta
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from engine.monitoring.gauges import GaugeLimit
from engine.monitoring.trends import (
    FARTHEST_DAYS,
    LEAST_SAMPLES,
    Point,
    forecast,
    since_last_fall,
    slope_interval,
    spread,
    theil_sen,
)

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
HARD = (GaugeLimit("hard", 1200),)


def daily(*values: int) -> list[Point]:
    """One value a day, the last of them now."""
    first = NOW - timedelta(days=len(values) - 1)
    return [(first + timedelta(days=day), value) for day, value in enumerate(values)]


def test_steady_growth_names_the_day() -> None:
    outlook = forecast(daily(*range(1000, 1071, 10)), HARD, NOW)
    assert outlook is not None
    assert outlook.per_week == 70
    (crossing,) = outlook.crossings
    assert (crossing.limit, crossing.value, crossing.days) == ("hard", 1200, 13)
    assert crossing.at == NOW + timedelta(days=13)


def test_the_nearest_limit_comes_first_and_those_behind_are_left_out() -> None:
    limits = (GaugeLimit("hard", 1200), GaugeLimit("soft", 900), GaugeLimit("risk", 1020))
    outlook = forecast(daily(960, 970, 980, 990, 1000), limits, NOW)
    assert outlook is not None
    assert [(crossing.limit, crossing.days) for crossing in outlook.crossings] == [("risk", 2), ("hard", 20)]


def test_a_limit_is_crossed_above_it_a1() -> None:
    outlook = forecast(daily(1199, 1199, 1200, 1200, 1200), HARD, NOW)
    assert outlook is None or [crossing.days for crossing in outlook.crossings] == [0]


def test_nothing_is_said_without_growth_or_with_too_little_to_go_by() -> None:
    assert forecast([], HARD, NOW) is None
    assert forecast(daily(5, 5, 5, 5, 5, 5), HARD, NOW) is None
    assert forecast(daily(9, 8, 8, 7, 7, 6), HARD, NOW) is None
    assert forecast(daily(*range(LEAST_SAMPLES - 1)), HARD, NOW) is None
    hours = [(NOW - timedelta(hours=9 - n), n) for n in range(10)]
    assert forecast(hours, HARD, NOW) is None, "less than a day"


def test_old_samples_and_those_of_the_future_do_not_count() -> None:
    old = [(at - timedelta(days=60), value) for at, value in daily(1, 100, 200, 300, 400)]
    ahead = [(at + timedelta(days=60), value) for at, value in daily(1, 100, 200, 300, 400)]
    assert forecast([*old, *ahead], HARD, NOW) is None


def test_one_outlier_does_not_move_it() -> None:
    plain = forecast(daily(*range(1000, 1140, 10)), HARD, NOW)
    values = list(range(1000, 1140, 10))
    values[5] = 1190
    odd = forecast(daily(*values), HARD, NOW)
    assert plain is not None and odd is not None
    # The outlier's fall back begins the history anew, and the rate stays.
    assert abs(plain.per_week - odd.per_week) < 1


def test_growth_is_measured_from_the_last_compaction_on() -> None:
    outlook = forecast(daily(9, 11, 13, 1, 2, 3, 4, 5), (GaugeLimit("pressure", 10),), NOW)
    assert outlook is not None
    assert outlook.per_week == 7
    assert outlook.crossings[0].days == 5


def test_a_busy_hour_weighs_no_more_than_a_quiet_week() -> None:
    quiet = daily(0, 10, 20, 30, 40, 50, 60)
    busy = [(NOW - timedelta(minutes=59 - n), 60) for n in range(60)]
    outlook = forecast(sorted([*quiet, *busy]), (GaugeLimit("x", 130),), NOW)
    assert outlook is not None and abs(outlook.per_week - 70) < 15


def test_what_is_ten_years_away_is_left_out() -> None:
    outlook = forecast(daily(1, 2, 3, 4, 5), (GaugeLimit("far", 10**9),), NOW)
    assert outlook is not None and outlook.crossings == ()


times = st.integers(0, 40 * 24 * 60).map(lambda minutes: NOW - timedelta(minutes=minutes))
points = st.lists(st.tuples(times, st.integers(0, 10**9)), max_size=150).map(sorted)


@given(points, st.integers(0, 10**9))
def test_it_is_total_and_crossings_lie_ahead_in_order(samples: list[Point], limit: int) -> None:
    outlook = forecast(samples, (GaugeLimit("a", limit), GaugeLimit("b", limit * 2)), NOW)
    if outlook is None:
        return
    assert outlook.per_week > 0
    days = [crossing.days for crossing in outlook.crossings]
    assert days == sorted(days) and all(0 <= day <= FARTHEST_DAYS for day in days)


@given(st.integers(1, 500), st.integers(0, 10_000), st.integers(5, 20), st.integers(1, 100_000))
def test_a_straight_line_is_followed_exactly(rate: int, start: int, days: int, ahead: int) -> None:
    line = daily(*(start + rate * day for day in range(days)))
    kept = since_last_fall(line)
    last = line[-1][1]
    outlook = forecast(line, (GaugeLimit("x", last + ahead),), NOW)
    assert len(kept) == len(line) and outlook is not None
    if ahead / rate <= FARTHEST_DAYS:
        assert abs(outlook.crossings[0].days - ceil(ahead / rate)) <= 1


@given(points)
def test_spreading_keeps_order_and_bounds_the_work(samples: list[Point]) -> None:
    kept = spread(samples)
    assert kept == sorted(kept) and set(kept) <= set(samples)
    assert len(kept) <= 40 / 28 * 96 + 2


def test_a_slope_of_nothing_is_zero() -> None:
    assert theil_sen([]) == 0.0
    assert theil_sen([(NOW, 1), (NOW, 9)]) == 0.0


def test_a_straight_line_is_certain_and_a_noisy_one_is_not() -> None:
    straight, noisy = daily(*range(100, 120)), daily(*(100 + day + day**3 % 11 for day in range(20)))
    sure, unsure = forecast(straight, HARD, NOW), forecast(noisy, HARD, NOW)
    assert sure is not None and unsure is not None
    assert sure.slowest == sure.fastest == sure.per_week
    assert unsure.slowest < unsure.per_week < unsure.fastest


def test_many_samples_of_one_day_feign_no_certainty() -> None:
    few = [(NOW - timedelta(hours=30 - hour), hour // 2) for hour in range(31)]
    outlook = forecast(few, HARD, NOW)
    assert outlook is not None
    assert outlook.slowest == 0 and outlook.fastest == 2 * outlook.per_week


@given(st.lists(st.integers(0, 5000), min_size=2, max_size=40))
def test_the_bounds_hold_the_growth(values: list[int]) -> None:
    points = daily(*values)
    low, high = slope_interval(points, theil_sen(points))
    assert low <= theil_sen(points) <= high
