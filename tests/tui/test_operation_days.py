"""The operations as a strip over time: each change counted once, on the day on which it was made."""

from datetime import timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.operation import Operation
from tests.prepared import three_plans
from tests.tui.conftest import deck, screen_text, settled
from tests.tui.test_history import operation
from tests.values import NOW
from tui.present.count_strip import days_strip
from tui.present.spans import plain
from tui.widgets.segments import width_of


def done(days_ago: int, changes: int) -> Operation:
    one = operation(1)
    at = NOW - timedelta(days=days_ago)
    return msgspec.structs.replace(one, started_at=at, effects=one.effects[:1] * changes, done=tuple(range(changes)))


def test_the_day_with_most_changes_stands_highest_and_is_named() -> None:
    strip = plain(days_strip([done(0, 2), done(3, 5), done(3, 3), done(4, 1)], NOW, 100))
    assert strip == "11 Mar ▁▁▁███······▂▂▂ today  most on 12 Mar: 8 changes"


def test_a_single_day_and_no_day_have_no_strip() -> None:
    assert days_strip([], NOW, 100) == days_strip([done(0, 4)], NOW, 100) == days_strip([done(3, 0)], NOW, 100) == ()


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 50)), max_size=20), st.integers(10, 200))
def test_a_strip_stays_within_its_room(operations: list[tuple[int, int]], width: int) -> None:
    assert width_of(days_strip([done(*one) for one in operations], NOW, width)) <= width


async def test_history_shows_the_days_above_its_operations() -> None:
    for size in ((80, 24), (120, 36)):
        workspace = three_plans()
        made = tuple(done(number, number + 1) for number in range(6))
        workspace.stub.gives("history.operations", made)
        workspace.stub.gives("history.count", len(made))
        async with deck(workspace, size) as pilot:
            await pilot.press("7")
            await settled(pilot)
            text = screen_text(pilot)
            assert "most on 10 Mar: 6 changes" in text and text.index("most on") < text.index("Operations")
