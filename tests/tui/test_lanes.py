"""The lanes of the topics: why one did not activate, how they follow what is heard, and the way into the stream."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.topics.lanes import live_window, replay_window
from tests.talks import NOW, conversation, said, topics
from tests.tui.conftest import deck as console
from tests.tui.conftest import settled, shows
from tests.tui.heard import Heard
from tests.tui.test_topics import opened
from tui.present.spans import plain
from tui.present.topics.lanes import LaneRows, why
from tui.screens.topics.lanes import LanesScreen
from tui.widgets.segments import width_of


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_why_a_topic_did_not_activate(size: tuple[int, int]) -> None:
    """`4` `L`, a step to the topic and one to the message: the tier, the rule and the triggers are said."""
    made = Heard()
    async with console(made, size) as pilot:
        await opened(pilot)
        made.say(*conversation())
        await shows(pilot, "print 'done'")
        await pilot.press("L")
        await settled(pilot)
        assert isinstance(pilot.app.screen, LanesScreen)
        await pilot.press("left", "left")
        text = await shows(pilot, "Why deployment", "medium, too far")
        assert "and the invoice mail?" in text
        await pilot.press("left")
        text = await shows(pilot, "not a candidate", "its one trigger did not match", "PR|pull request|review")
        assert "I'll open it now" in text


async def test_lanes_light_up_as_messages_come_and_the_cursor_stays_where_it_was_put() -> None:
    made = Heard()
    async with console(made) as pilot:
        await opened(pilot)
        made.say(*conversation()[:2])
        await shows(pilot, "look at the tests")
        await pilot.press("L")
        await shows(pilot, "2 messages", "Why github-pr-review")
        made.say(*conversation()[2:])
        text = await shows(pilot, "5 messages", "email-triage")
        assert "injected" in text, "the cursor follows the last message"
        await pilot.press("left", "left", "left", "left")
        await shows(pilot, "can you review the PR")
        made.say(said(9, "one more"))
        text = await shows(pilot, "6 messages", "can you review the PR")
        assert "one more" not in text
        await pilot.press("f")
        await shows(pilot, "one more")


async def test_enter_leads_to_the_message_in_the_stream() -> None:
    made = Heard()
    async with console(made) as pilot:
        page = await opened(pilot)
        made.say(*conversation())
        await shows(pilot, "print 'done'")
        await pilot.press("L")
        await settled(pilot)
        await pilot.press("left", "left", "left", "left", "enter")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, LanesScreen)
        assert page.talk.place is not None and page.talk.stream.entry(page.talk.place).text.startswith("can you review")


async def test_without_a_message_the_lanes_say_so() -> None:
    async with console(Heard()) as pilot:
        await opened(pilot)
        await pilot.press("L")
        await shows(pilot, "nothing was said in this time", "0 messages")
        await pilot.press("left", "right", "j", "enter")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, LanesScreen)


@given(st.integers(20, 200), st.lists(st.integers(0, 500), max_size=20), st.integers(2, 6))
def test_lanes_and_rate_take_exactly_their_cells(room: int, numbers: list[int], height: int) -> None:
    entries = [said(number, "x") for number in sorted(set(numbers))]
    window = live_window(entries, ["a", "long" * 20], NOW + timedelta(hours=1))
    rows = LaneRows(window, room, len(window.messages) - 1 if window.messages else None)
    for index in range(len(rows)):
        assert width_of(rows.row(index).left) == rows.name + 3 + rows.cells
    lines = rows.rate(height)
    assert len(lines) == height and {width_of(line) for line in lines} == {rows.name + 3 + rows.cells}


@given(st.integers(1, 40_000), st.integers(30, 200))
def test_the_axis_has_round_times_each_once(seconds: int, room: int) -> None:
    window = replay_window([said(0, "a"), said(seconds, "b")], [], NOW)
    labels = plain(LaneRows(window, room, None).rate(2)[-1]).split()
    clocks = [label for label in labels if ":" in label]
    assert labels or room < 60
    assert len(clocks) == len(set(clocks)) or window.end - window.start > timedelta(hours=12), (
        "one day has each time once"
    )


def test_a_bar_under_the_cursor_has_no_colour_of_its_own_background() -> None:
    """A full block hides its background: in black on white it would be gone on a black screen."""
    window = live_window(conversation(), ["a"], NOW + timedelta(minutes=10))
    rows = LaneRows(window, 80, 0)
    shown = [
        *(span for number in range(len(rows)) for span in rows.row(number).left),
        *(s for line in rows.rate(3) for s in line),
    ]
    assert any(span.role == "strong" and set(span.text) <= set("█▇▆▅▄▃▂▁") for span in shown)
    assert all(span.role not in ("here", "hidden") for span in shown)


def test_each_reason_for_no_candidate_is_said() -> None:
    known = topics()
    window = live_window([said(0, "hello"), said(1, "x", injected=True)], [one.id for one in known.topics], NOW)
    lane = [lane.topic for lane in window.lanes].index("deployment")
    assert "its one trigger did not match" in " ".join(map(plain, why(window, lane, 0, known, {})))
    assert "was injected" in " ".join(map(plain, why(window, lane, 1, known, {})))
    assert "no such topic" in " ".join(map(plain, why(window, lane, 0, None, {})))
    assert "nothing was said" in " ".join(map(plain, why(window, lane, None, known, {})))
