"""Keys that were on their way before a question was readable never answer it."""

from hypothesis import given
from hypothesis import strategies as st

from tui.widgets.key_guard import QUIET_SECONDS, KeyGuard, TypingPace


def test_before_the_question_is_on_screen_no_key_counts() -> None:
    assert not KeyGuard().admits(1e9)


def test_a_key_in_the_quiet_time_begins_it_anew() -> None:
    quiet = KeyGuard()
    quiet.begin(10.0)
    assert not quiet.admits(10.3)
    assert not quiet.admits(10.6)
    assert quiet.admits(11.1)


def test_a_key_from_before_the_question_counts_for_nothing() -> None:
    quiet = KeyGuard()
    quiet.begin(10.0)
    assert not quiet.admits(9.0)
    assert quiet.over(10.5)


@given(st.floats(0.01, QUIET_SECONDS - 0.01), st.integers(1, 500))
def test_a_held_key_never_counts(interval: float, repeats: int) -> None:
    quiet = KeyGuard()
    quiet.begin(0.0)
    assert not any(quiet.admits(interval * press) for press in range(1, repeats + 1))


def test_a_burst_is_no_typing() -> None:
    pace = TypingPace()
    assert [pace.too_fast(0.001 * n) for n in range(8)] == [False] * 5 + [True] * 3


@given(st.lists(st.floats(0.03, 0.5), min_size=8, max_size=8))
def test_typing_is_no_burst(gaps: list[float]) -> None:
    pace, at = TypingPace(), 0.0
    for gap in gaps:
        at += gap
        assert not pace.too_fast(at)
