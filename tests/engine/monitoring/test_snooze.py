"""Snoozing puts a plan off without touching it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Damaged, UsageError
from engine.monitoring.snooze import Snoozed, parse_until
from engine.plans.plan import PlanState, QueueEntry
from engine.state.database import StateDatabase
from tests.values import compaction, entry_of

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=3)


@pytest.fixture
def entries() -> tuple[QueueEntry, ...]:
    return tuple(entry_of(compaction(number)) for number in (1, 2))


def test_a_plan_sleeps_until_its_hour(tmp_path: Path, entries: tuple[QueueEntry, ...]) -> None:
    snoozed = Snoozed(StateDatabase(tmp_path))
    assert snoozed.snooze(entries[0], LATER, NOW).snoozed_until == LATER
    asleep = Snoozed(StateDatabase(tmp_path)).mark(entries, NOW)
    assert [entry.snoozed_until for entry in asleep] == [LATER, None]
    assert asleep[0].digest == entries[0].digest and asleep[0].state is entries[0].state
    assert snoozed.mark(entries, LATER) is entries, "nothing is copied where nobody sleeps"


def test_it_wakes_on_demand_and_the_past_is_forgotten(tmp_path: Path, entries: tuple[QueueEntry, ...]) -> None:
    snoozed = Snoozed(StateDatabase(tmp_path))
    snoozed.snooze(entries[0], LATER, NOW)
    snoozed.snooze(entries[1], LATER + timedelta(days=1), NOW)
    assert snoozed.snooze(entries[1], None, LATER).snoozed_until is None
    assert snoozed.all() == {}


@pytest.mark.parametrize("until", [NOW, NOW - timedelta(days=1), NOW + timedelta(days=400)])
def test_the_past_and_the_far_future_are_refused(
    tmp_path: Path, entries: tuple[QueueEntry, ...], until: datetime
) -> None:
    with pytest.raises(UsageError):
        Snoozed(StateDatabase(tmp_path)).snooze(entries[0], until, NOW)
    assert not (tmp_path / "state.db").exists()


def test_what_is_over_cannot_be_put_off(tmp_path: Path, entries: tuple[QueueEntry, ...]) -> None:
    applied = msgspec.structs.replace(entries[0], state=PlanState.APPLIED)
    with pytest.raises(UsageError, match="applied"):
        Snoozed(StateDatabase(tmp_path)).snooze(applied, LATER, NOW)


def test_a_damaged_database_wakes_everything(tmp_path: Path, entries: tuple[QueueEntry, ...]) -> None:
    (tmp_path / "state.db").write_bytes(b"no database at all")
    assert Snoozed(StateDatabase(tmp_path)).mark(entries, NOW) is entries
    with pytest.raises(Damaged):
        Snoozed(StateDatabase(tmp_path)).snooze(entries[0], LATER, NOW)


def test_an_instant_is_written_as_people_write_it() -> None:
    assert parse_until("2h", NOW) == NOW + timedelta(hours=2)
    assert parse_until(" 3D ", NOW) == NOW + timedelta(days=3)
    assert parse_until("1w", NOW) == NOW + timedelta(weeks=1)
    assert parse_until("2026-03-22", NOW) == datetime(2026, 3, 22, tzinfo=UTC)
    assert parse_until("2026-03-22T09:00:00+02:00", NOW) == datetime(2026, 3, 22, 7, tzinfo=UTC)
    assert parse_until("wake", NOW) is None
    assert parse_until("9999w", NOW) is not None


@given(st.text(max_size=20))
def test_any_other_text_is_refused_in_words(text: str) -> None:
    try:
        at = parse_until(text, NOW)
    except UsageError:
        return
    assert at is None or at.tzinfo is not None
