"""Messages over time: what lies in the window, and what became of each topic."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.topics.activation import TTL
from engine.topics.decision_log import LogEntry
from engine.topics.lanes import WINDOW, live_window, replay_window
from tests.talks import review, said

NOW = datetime(2026, 3, 15, 18, 0, tzinfo=UTC)


def at(minutes: int, *decisions: object) -> LogEntry:
    """A message so many minutes before now."""
    entry = said(minutes, f"message {minutes}", *decisions)  # type: ignore[arg-type]
    moment = NOW - timedelta(minutes=minutes)
    return msgspec.structs.replace(entry, key=f"k{minutes}", at=moment, said_at=moment)


def test_a_lane_holds_what_woke_a_topic_and_what_did_not() -> None:
    dropped = review(topic="b", activated=False)
    window = live_window([at(50, review(topic="a")), at(20, dropped), at(10, review(topic="b"))], ["a", "b", "c"], NOW)
    lanes = {lane.topic: lane for lane in window.lanes}
    assert list(lanes) == ["a", "b", "c"] and lanes["c"].marks == ()
    assert [(mark.message, mark.activated) for mark in lanes["b"].marks] == [(1, False), (2, True)]
    assert lanes["a"].in_force(NOW - timedelta(minutes=50), NOW - timedelta(minutes=49))
    assert not lanes["a"].in_force(NOW - timedelta(minutes=51), NOW - timedelta(minutes=50))
    assert not lanes["a"].in_force(NOW - timedelta(minutes=50) + TTL, NOW)


def test_live_is_the_last_hour_and_what_was_heard_before_where_all_is_quiet() -> None:
    window = live_window([at(90), at(59), at(1)], [], NOW)
    assert (window.start, window.end, len(window.messages)) == (NOW - WINDOW, NOW, 2)
    quiet = live_window([at(200), at(190)], [], NOW)
    assert (quiet.end, quiet.start) == (NOW, NOW - timedelta(hours=6)) and len(quiet.messages) == 2
    silent = live_window([at(3_000), at(2_000)], [], NOW)
    assert silent.end == NOW - timedelta(minutes=2_000) and len(silent.messages) == 2
    busy = live_window([at(300), at(3), at(1)], [], NOW)
    assert busy.end - busy.start == timedelta(minutes=5) and len(busy.messages) == 2
    assert live_window([], ["a"], NOW).messages == ()


def test_a_replay_is_shown_from_its_first_message_to_its_last() -> None:
    window = replay_window([at(500), at(300)], [], NOW)
    assert (window.start, window.end) == (NOW - timedelta(minutes=500), NOW - timedelta(minutes=300))
    assert replay_window([], [], NOW).messages == ()


@given(st.lists(st.integers(0, 120), max_size=40))
def test_every_message_of_the_window_is_counted_once(ago: list[int]) -> None:
    window = live_window([at(minutes) for minutes in sorted(ago, reverse=True)], [], NOW)
    assert list(window.times) == sorted(window.times) and len(window.times) == len(window.messages)
    edges = [window.start + (window.end - window.start) * part / 7 for part in range(8)]
    heard = [window.per_minute(*part) * ((part[1] - part[0]) / timedelta(minutes=1)) for part in pairwise(edges)]
    assert round(sum(heard)) == sum(at < window.end for at in window.times)
    assert window.peak <= len(window.times)
