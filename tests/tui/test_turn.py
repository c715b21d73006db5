"""A thread with long work waits while the screen's thread works, and only then."""

import asyncio
from threading import Event, Thread

import pytest

from tui.toolkit import thread_turn as module
from tui.toolkit.thread_turn import Turn


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long enough that no waiting in these tests ends by itself."""
    monkeypatch.setattr(module, "MOST_SECONDS", 600.0)


def test_without_a_loop_nobody_waits() -> None:
    Turn().wait()


def test_others_wait_while_the_screens_thread_works_and_go_on_when_it_sleeps() -> None:
    turn, went = Turn(), Event()

    def work() -> None:
        turn.wait()
        went.set()

    other = Thread(target=work, daemon=True)

    async def screen() -> None:
        other.start()
        assert not went.is_set()
        await asyncio.sleep(0)  # a callback that is due is no sleep
        assert not went.is_set()
        await asyncio.to_thread(went.wait)
        await asyncio.to_thread(turn.wait)

    with asyncio.Runner(loop_factory=turn.new_loop) as runner:
        runner.run(screen())
    other.join()
    turn.wait()


def test_a_screen_that_never_sleeps_holds_nobody_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SECONDS", 0.0)
    turn = Turn()

    async def screen() -> None:
        turn.wait()

    with asyncio.Runner(loop_factory=turn.new_loop) as runner:
        runner.run(screen())
