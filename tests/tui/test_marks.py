"""Marking some changes: requirements come along and go along, and it is said."""

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.fake_engine import compaction
from tui.viewmodels import marks

PLAN = compaction(notes=4)


def test_nothing_marked_means_all() -> None:
    assert marks.chosen(PLAN, frozenset()) == (1, 2, 3, 4, 5, 6, 7, 8)
    assert marks.chosen(PLAN, frozenset({3})) == (3,)


def test_a_move_takes_its_summary_along() -> None:
    marked = marks.toggle(PLAN, frozenset(), 4)
    assert marked.marks == {3, 4}
    assert marked.explanation == "1 change (3) marked too, this change requires it"


def test_a_summary_that_goes_takes_its_move_along() -> None:
    marked = marks.toggle(PLAN, frozenset({3, 4, 1}), 3)
    assert marked.marks == {1}
    assert marked.explanation == "1 change (4) unmarked too, it cannot go without"


@given(st.lists(st.integers(1, 8), max_size=12))
def test_marks_never_lack_a_requirement(numbers: list[int]) -> None:
    marked: frozenset[int] = frozenset()
    for number in numbers:
        marked = marks.toggle(PLAN, marked, number).marks
    assert PLAN.missing_requirements(tuple(marked)) == {}
