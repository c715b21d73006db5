"""Sorting, filtering, marking and hiding plans: pure, and the cursor stays where the operator left it."""

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.plan import PlanState, QueueEntry
from tests.values import NOW, append_plan, compaction, entry_of, tree_plan
from tui.present.approvals import queue_rows
from tui.present.approvals.queue_rows import QueueOrder
from tui.present.approvals.queue_state import QueueState
from tui.present.spans import plain


def entries() -> tuple[QueueEntry, ...]:
    """B of now, C of two days ago, A of an hour ago, and one that is over."""
    old = append_plan(2)
    return (
        entry_of(compaction(1)),
        entry_of(msgspec.structs.replace(old, made_at=NOW - timedelta(days=2))),
        entry_of(tree_plan(3)),
        entry_of(compaction(4, made_at=NOW - timedelta(days=9)), PlanState.APPLIED),
    )


def state(filter_: str = "") -> QueueState:
    made = QueueState()
    made.filter = filter_
    made.take(entries(), NOW)
    return made


def ids(found: tuple[QueueEntry, ...]) -> str:
    return "".join(entry.id[-1] for entry in found)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (QueueOrder.NEWEST, "1324"),
        (QueueOrder.OLDEST, "2314"),
        (QueueOrder.RISK, "2134"),
        (QueueOrder.SYSTEM, "1234"),
        (QueueOrder.TARGET, "1234"),
    ],
)
def test_orders_keep_what_is_over_below(order: QueueOrder, expected: str) -> None:
    assert ids(queue_rows.ordered(entries(), order)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tier:c", "2"),
        ("tier:", "2134"),
        ("system:tree", "3"),
        ("to:semantic", "2"),
        ("state:applied", "4"),
        ("older:1d", "24"),
        ("newer:2h", "13"),
        ("older:", "2134"),
        ("older:99999d", "2134"),
        ("compact state:pending", "1"),
        ("banana", ""),
    ],
)
def test_filters_by_risk_age_system_and_target(text: str, expected: str) -> None:
    assert ids(state(text).shown) == expected


def test_a_plan_put_off_is_hidden_until_it_is_asked_for() -> None:
    asleep = msgspec.structs.replace(entries()[0], snoozed_until=NOW + timedelta(hours=2))
    made = QueueState()
    made.take((asleep, *entries()[1:]), NOW)
    assert ids(made.shown) == "234" and queue_rows.waiting(made.shown) == 2
    assert plain(made.foot()) == "1 snoozed: P · 1 ended"
    made.with_put_off = True
    made.arrange(NOW)
    assert ids(made.shown) == "2134"
    row = made.rows(NOW, {}).row(1)
    assert "· until 04:40" in plain(row.right)


def test_marks_are_for_what_waits_and_leave_with_it() -> None:
    made = state()
    assert made.mark_all() == 3
    assert ids(made.marked) == "213"
    assert plain(made.foot()) == "3 marked · 1 ended"
    made.take((msgspec.structs.replace(entries()[0], state=PlanState.APPLIED), *entries()[1:]), NOW)
    assert ids(made.marked) == "23"
    assert made.mark_all() == 0
    made.selected = entries()[3].id
    assert not made.toggle_mark()


def test_a_marked_plan_that_the_filter_hides_is_not_decided_about() -> None:
    made = state()
    made.mark_all()
    made.filter = "tier:a"
    made.arrange(NOW)
    assert ids(made.chosen) == "3"


def test_the_cursor_stays_on_its_plan_or_takes_its_place() -> None:
    made = state()
    made.selected = entries()[2].id
    made.next_order(NOW)
    assert made.entry == entries()[2]
    made.take(tuple(entry for entry in entries() if entry != entries()[2]), NOW)
    assert made.index == 1 and made.entry in made.shown


@given(st.text(max_size=30))
def test_no_filter_breaks(text: str) -> None:
    assert set(state(text).shown) <= set(entries())


def test_titles_say_order_and_filter() -> None:
    made = state("tier:b")
    made.next_order(NOW)
    assert plain(made.title()) == "Queue ⟨1⟩ newest first /tier:b"
