"""Marking some changes: requirements come along and go along, and it is said."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.plan import Confirmation, Plan
from tests.values import append_plan, compaction, diff_of
from tui.present.approvals import approval_question, change_marks
from tui.present.approvals.plan_head import LoadedPlan

PLAN = compaction(notes=4)


def test_nothing_marked_means_all() -> None:
    assert change_marks.chosen(PLAN, frozenset()) == (1, 2, 3, 4, 5, 6, 7, 8)
    assert change_marks.chosen(PLAN, frozenset({3})) == (3,)


def test_a_move_takes_its_summary_along() -> None:
    marked = change_marks.toggle(PLAN, frozenset(), 4)
    assert marked.marks == {3, 4}
    assert marked.explanation == "change 3 is required by this one: marked too"


def test_a_summary_that_goes_takes_its_move_along() -> None:
    marked = change_marks.toggle(PLAN, frozenset({3, 4, 1}), 3)
    assert marked.marks == {1}
    assert marked.explanation == "change 4 requires this one: unmarked too"


def two_entries_and_a_stamp() -> Plan:
    """Two appends, and a cooldown's stamp that needs either of them."""
    entry = append_plan().changes[0]
    second, stamp = (msgspec.structs.replace(entry, n=n) for n in (2, 3))
    stamp = msgspec.structs.replace(stamp, requires_any=(1, 2))
    asked = (Confirmation("first_run", "is there a backup?"), Confirmation("cooldown", "again already?", (1, 2)))
    return msgspec.structs.replace(append_plan(), changes=(entry, second, stamp), confirmations=asked)


def test_a_stamp_goes_with_the_last_of_what_it_needs() -> None:
    plan = two_entries_and_a_stamp()
    assert change_marks.toggle(plan, frozenset({1, 2, 3}), 1).marks == {2, 3}
    last = change_marks.toggle(plan, frozenset({2, 3}), 2)
    assert last.marks == frozenset()
    assert last.explanation == "change 3 requires this one: unmarked too"
    assert change_marks.toggle(plan, frozenset(), 3).marks == {1, 2, 3}
    assert change_marks.toggle(plan, frozenset({2}), 3).marks == {2, 3}


def test_only_the_questions_about_the_marked_changes_are_asked() -> None:
    plan = two_entries_and_a_stamp()
    plan = msgspec.structs.replace(plan, changes=(*plan.changes, msgspec.structs.replace(plan.changes[0], n=4)))
    loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=tuple(map(diff_of, plan.changes)))
    asked = [
        [one.id for one in approval_question.about_plan(loaded, numbers).confirmations] for numbers in ((4,), (1,))
    ]
    assert asked == [["first_run"], ["first_run", "cooldown"]]


@given(st.lists(st.integers(1, 8), max_size=12))
def test_marks_never_lack_a_requirement(numbers: list[int]) -> None:
    for plan in (PLAN, two_entries_and_a_stamp()):
        marked: frozenset[int] = frozenset()
        for number in numbers:
            marked = change_marks.toggle(plan, marked, min(number, len(plan.changes))).marks
        assert plan.missing_requirements(tuple(marked)) == {}
