"""One grammar of time: the same words mean the same wherever a time is asked for."""

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.workspace.dates import EXAMPLES, instant

NOW = datetime(2026, 3, 15, 2, 40, tzinfo=UTC)
"""A Sunday."""


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        *((text, timedelta(weeks=3)) for text in ("3w", "+3w", "3 w", "in 3 weeks", "+ 3 weeks", "In 3  Weeks")),
        *((text, timedelta(hours=-36)) for text in ("-36h", "36 hours ago", "- 36 hrs")),
        ("5m", timedelta(minutes=5)),
        ("in 90 min", timedelta(minutes=90)),
        ("2mo", timedelta(days=60)),
        ("an hour ago", timedelta(hours=-1)),
        ("in a week", timedelta(weeks=1)),
        ("1y", timedelta(days=365)),
        ("now", timedelta()),
    ],
)
def test_a_distance_is_counted_from_now(text: str, apart: timedelta) -> None:
    assert instant(text, NOW, "UTC") == NOW + apart


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("tomorrow 9:00", "2026-03-16T09:00"),
        ("tomorrow at 9:00", "2026-03-16T09:00"),
        ("yesterday", "2026-03-14T12:00"),
        ("fri 18:00", "2026-03-20T18:00"),
        ("sunday", "2026-03-22T12:00"),
        ("9:00", "2026-03-15T09:00"),
        ("2026-03-22", "2026-03-22T12:00"),
        ("2026-03-22 3:00", "2026-03-22T03:00"),
        ("2026-03-22t03:00z", "2026-03-22T03:00"),
        ("2026-03-22 03:00+02:00", "2026-03-22T01:00"),
    ],
)
def test_a_day_may_have_a_time_behind_it(text: str, means: str) -> None:
    assert instant(text, NOW, "UTC") == datetime.fromisoformat(means).replace(tzinfo=UTC)


def test_looking_back_an_unsigned_distance_and_a_weekday_are_in_the_past() -> None:
    assert instant("7d", NOW, "UTC", past=True) == NOW - timedelta(days=7)
    assert instant("+7d", NOW, "UTC", past=True) == NOW + timedelta(days=7)
    assert instant("monday", NOW, "UTC", past=True) == datetime(2026, 3, 9, 12, tzinfo=UTC)
    assert instant("sunday", NOW, "UTC", past=True) == datetime(2026, 3, 8, 12, tzinfo=UTC)


def test_a_day_alone_is_at_the_time_that_is_asked_for_in_its_zone() -> None:
    assert instant("2026-03-22", NOW, "Asia/Tokyo", day_at=time.min) == datetime(2026, 3, 21, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["", "3", "3 bananas", "in", "in 3 days ago", "2026-02-30", "25:00", "s", "9999y 1:00"]
)
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match=EXAMPLES[0]):
        instant(text, NOW, "UTC")


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_is_understood_everywhere(text: str) -> None:
    assert instant(text, NOW, "Europe/Berlin") > NOW


@given(st.text(max_size=40), st.booleans())
def test_any_text_is_an_instant_in_utc_or_refused(text: str, past: bool) -> None:
    try:
        assert instant(text, NOW, "America/New_York", past=past).tzinfo is UTC
    except UsageError as error:
        assert error.hint
