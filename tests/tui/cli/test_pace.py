"""Progress of long work in words, on a terminal and in a log file, and how it is stopped."""

import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.workspace.values import Progress
from tui.cli.progress import progress, stoppable
from tui.cli.settings import Settings
from tui.present.progress_rate import Pace
from tui.present.words import duration

COUNTS = st.integers(0, 10**12)


def test_a_step_without_sizes_says_how_many_are_done() -> None:
    assert Pace().words(Progress("listing", 120), 5.0) == "listing 120"
    assert Pace().words(Progress("reading", 1_200, 4_000), 5.0) == "reading 1,200 of 4,000"


def test_a_step_with_sizes_says_rate_and_rest_as_soon_as_they_are_known() -> None:
    pace = Pace()
    first = pace.words(Progress("indexing", 10, 60, 100_000_000, 900_000_000), 50.0)
    assert first == "indexing 10 of 60 files · 100 of 900 MB"
    later = pace.words(Progress("indexing", 20, 60, 300_000_000, 900_000_000), 150.0)
    assert later == "indexing 20 of 60 files · 300 of 900 MB · 2.0 MB/s · 5 min left"


def test_a_step_without_sizes_says_rate_and_rest_as_soon_as_they_are_known() -> None:
    pace = Pace()
    assert pace.words(Progress("summarising", 100, 4_776), 50.0) == "summarising 100 of 4,776"
    later = pace.words(Progress("summarising", 1_300, 4_776), 60.0)
    assert later == "summarising 1,300 of 4,776 · 120/s · 29 s left"


@pytest.mark.parametrize(
    "step",
    [Progress("applying", 60, 60), Progress("applying", 60), Progress("applying", 3, 60), Progress("applying", 0)],
)
def test_no_rate_is_told_when_all_is_done_or_its_end_is_not_known_or_it_is_slow(step: Progress) -> None:
    pace = Pace()
    first = pace.words(Progress(step.stage, 0, step.total), 0.0)
    assert first == pace.words(Progress(step.stage, 0, step.total), 10.0)
    assert "left" not in pace.words(step, 10.0)


@given(steps=st.lists(st.integers(0, 5_000), max_size=20), seconds=st.floats(0.0, 1e6))
def test_a_rate_is_never_below_one_nor_a_rest_of_no_time(steps: list[int], seconds: float) -> None:
    pace = Pace()
    for number, done in enumerate(sorted(steps)):
        told = pace.words(Progress("reading", done, 5_000), seconds * number)
        assert " · 0/s" not in told and " · 0 s left" not in told and "-" not in told


def test_a_new_stage_has_a_rate_of_its_own() -> None:
    pace = Pace()
    pace.words(Progress("indexing", 0, 60, 0, 900_000_000), 0.0)
    assert "MB/s" not in pace.words(Progress("embedding", 1, 60, 100_000_000, 900_000_000), 100.0)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (42, "42 s"), (360, "6 min"), (4_800, "1 h 20 min"), (3_599.9, "1 h 0 min")]
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@given(
    done=st.integers(0, 10**12), total=st.integers(0, 10**12), size=st.integers(0, 10**12), of=st.integers(0, 10**12)
)
def test_a_share_is_never_out_of_its_bar(done: int, total: int, size: int, of: int) -> None:
    assert 0.0 <= Progress("indexing", done, total, size, of).share <= 1.0


def test_where_nothing_can_be_painted_a_line_is_printed_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 1.0, 11.0, 12.0, 22.0])
    monkeypatch.setattr("tui.cli.progress.time.monotonic", lambda: next(clock))
    with progress(Settings(), lines=True) as tick:
        assert tick is not None
        for number in range(4):
            tick(Progress("indexing", number, 60, number * 10_000_000, 900_000_000))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" · ")[0] for line in lines] == ["indexing 1 of 60 files", "indexing 3 of 60 files"]
    assert "left" in lines[1] and not any("\x1b" in line or "\r" in line for line in lines)


def test_ctrl_c_ends_the_work_at_its_next_step_and_a_second_one_where_it_is() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stoppable(None, "all is kept") as tick:
        tick(Progress("indexing", 1, 2))
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(Cancelled, match="all is kept"):
            tick(Progress("indexing", 2, 2))
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
