"""The what-if clock: what can be typed, what it means, and the badge that nobody overlooks."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ready_demo import NOW as TODAY
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, screen_text, settled
from tests.values import NOW, a_status
from tui.bridge.state_reader import ReadState
from tui.dialogs.what_if import AskInstant
from tui.present.overview.what_if import banner, instant
from tui.present.spans import plain
from tui.screens.overview.page import OverviewPage


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("sunday", "2026-03-22T12:00"),
        ("Mon", "2026-03-16T12:00"),
        ("fri 18:00", "2026-03-20T18:00"),
        ("+3d", "2026-03-18T02:40"),
        ("+2w", "2026-03-29T02:40"),
        ("+36h", "2026-03-16T14:40"),
        ("-1 day", "2026-03-14T02:40"),
        ("tomorrow", "2026-03-16T12:00"),
        ("today 23:59", "2026-03-15T23:59"),
        ("03:00", "2026-03-15T03:00"),
        ("2026-03-22", "2026-03-22T12:00"),
        ("2026-03-22 03:00", "2026-03-22T03:00"),
        ("2026-03-22T03:00Z", "2026-03-22T03:00"),
        ("2026-03-22T03:00+02:00", "2026-03-22T01:00"),
    ],
)
def test_a_date_a_weekday_or_a_distance_names_an_instant(text: str, means: str) -> None:
    """2026-03-15, which is now, is a Sunday: its own name means a week from today."""
    assert instant(text, NOW, "UTC") == datetime.fromisoformat(means).replace(tzinfo=UTC)


def test_days_are_those_of_the_workspaces_zone_also_across_a_clock_change() -> None:
    assert instant("2026-03-30", NOW, "Europe/Berlin") == datetime(2026, 3, 30, 10, 0, tzinfo=UTC)
    late = datetime(2026, 3, 15, 20, 0, tzinfo=UTC)
    assert instant("tomorrow", late, "Asia/Tokyo") == datetime(2026, 3, 17, 3, 0, tzinfo=UTC), "there it is the 16th"


@pytest.mark.parametrize(
    "text", ["", "x", "banana", "2026-02-30", "+99999d", "25:00", "s", "2026-13-01", "sunday banana"]
)
def test_what_is_no_date_says_what_can_be_typed(text: str) -> None:
    found = instant(text, NOW, "UTC")
    assert isinstance(found, str) and "try 3d" in found


@given(st.text(max_size=40))
def test_nothing_typed_breaks_it(text: str) -> None:
    found = instant(text, NOW, "America/New_York")
    assert isinstance(found, str) or found.tzinfo is UTC


def test_the_banner_says_which_day_how_far_and_the_way_back() -> None:
    row = banner(NOW + timedelta(days=7), NOW, "UTC", step="day")
    assert plain(row.left) == " WHAT-IF  Sun 22 Mar 02:40 UTC · in 7 d " and row.left[0].role == "readonly"
    assert "esc now" in plain(row.right) and "←/→ day" in plain(row.right) and "simulated" in plain(row.extra)
    assert "esc" not in plain(banner(NOW, NOW, "UTC", step="").right)
    assert "3 d ago" in plain(banner(NOW - timedelta(days=3), NOW, "UTC", step="day").left)


async def test_t_shows_another_day_with_a_badge_and_esc_comes_back(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    assert engine.plans.make("compact").plan is not None
    async with deck(engine) as pilot:
        await pilot.press("t", *"sunday")
        assert isinstance(pilot.app.screen, AskInstant)
        assert "12:00 UTC" in screen_text(pilot)
        await pilot.press("enter")
        await settled(pilot)
        page = pilot.app.query_one(OverviewPage)
        assert engine.now() > NOW + timedelta(days=5)
        assert page.has_class("what-if") and screen_text(pilot).count("WHAT-IF") >= 2
        made = next(line for line in screen_text(pilot).splitlines() if "notes → episodic" in line)
        assert "now" not in made.rpartition("notes → episodic")[2], "a plan that waits is as old as it would be then"
        await pilot.press("escape")
        await settled(pilot)
        assert not engine.simulated
        assert "WHAT-IF" not in screen_text(pilot) and not page.has_class("what-if")


async def test_what_is_no_date_does_not_leave_the_dialog_and_esc_supposes_nothing(demo: Demo) -> None:
    engine = demo.open_today()
    async with deck(engine) as pilot:
        await pilot.press("t", *"banana", "enter")
        assert isinstance(pilot.app.screen, AskInstant) and "no date" in screen_text(pilot)
        assert "fri 18:00, 2026-03-22 03:00" in screen_text(pilot), "no example is broken in two"
        await pilot.press("escape")
        await settled(pilot)
        assert not engine.simulated
        assert console_of(pilot).status is not None and "WHAT-IF" not in screen_text(pilot)


async def test_arrows_scrub_the_clock_by_hours_days_and_weeks_and_all_moves_with_it(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    async with deck(engine) as pilot:
        page = pilot.app.query_one(OverviewPage)
        app = console_of(pilot)

        async def after(*keys: str) -> timedelta:
            for key in keys:
                await pilot.press(key)
            await settled(pilot)
            assert app.status is not None
            return timedelta(minutes=round((app.status.now - TODAY) / timedelta(minutes=1)))

        eligible = app.status.memory_tiers.working.eligible if app.status else 0
        assert await after("right") == timedelta(days=1)
        assert page.has_class("what-if") and "←/→ day" in screen_text(pilot)
        assert await after("right", "right", "right") == timedelta(days=4)
        assert app.status is not None and app.status.memory_tiers.working.eligible > eligible
        assert f"{app.status.memory_tiers.working.eligible} eligible" in screen_text(pilot)
        assert await after("s", "right") == timedelta(days=11)
        assert "←/→ week" in screen_text(pilot)
        assert await after("s", "left", "left") == timedelta(days=10, hours=22)
        assert await after("3", "shift+right") == timedelta(days=10, hours=23)
        assert await after("1", "escape") == timedelta()
        assert not engine.simulated and not page.has_class("what-if")


async def test_back_at_now_the_clock_is_put_away(demo: Demo) -> None:
    engine = demo.open_today()
    async with deck(engine) as pilot:
        for key in ("right", "right", "left", "left"):
            await pilot.press(key)
            await settled(pilot)
        assert "WHAT-IF" not in screen_text(pilot)
        await pilot.press("left")
        await settled(pilot)
        assert "WHAT-IF" in screen_text(pilot) and "ago" in screen_text(pilot)


async def test_a_held_key_ends_where_it_was_let_go_and_lists_no_file(
    own_demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = own_demo.open_today()
    async with deck(engine) as pilot:
        monkeypatch.setattr(engine.status, "read", lambda tick=None: pytest.fail("the workspace was listed"))
        await pilot.press(*["right"] * 25)
        await settled(pilot)
        status = console_of(pilot).status
        assert status is not None and round((status.now - TODAY) / timedelta(days=1)) == 25


async def test_while_an_instant_is_supposed_nothing_is_set_going(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    async with deck(engine) as pilot:
        app, queued = console_of(pilot), len(engine.plans.queue())
        app.flows.clock.next_step()
        for _ in range(3):
            await pilot.press("right")
            await settled(pilot)
        assert app.status is not None
        job = msgspec.structs.replace(app.status.due[0], overdue=True)
        app.flows.due_work.run_due(msgspec.structs.replace(app.status, due=(job,)))
        assert app.bridge.work is None and len(engine.plans.queue()) == queued


async def test_the_clock_stays_within_its_years(demo: Demo) -> None:
    engine = demo.open_today()
    async with deck(engine) as pilot:
        app = console_of(pilot)
        for edge in (datetime(2200, 12, 31, tzinfo=UTC), datetime(1990, 1, 1, tzinfo=UTC)):
            app.flows.clock.suppose(edge)
            app.flows.clock.scrub(1 if edge.year == 2200 else -1)
            await settled(pilot)
            assert engine.now() == edge


def test_a_picture_that_only_grew_older_is_shown_again_after_some_minutes() -> None:
    seen = ReadState(a_status(), (), None)
    later = [msgspec.structs.replace(seen.status, now=seen.status.now + timedelta(minutes=n)) for n in (2, 10)]
    assert [ReadState(status, (), None).same_as(seen) for status in later] == [True, False]
