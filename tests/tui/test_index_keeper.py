"""What the console says of the index while it works on it a slice at a time."""

from threading import Thread
from threading import enumerate as enumerate_threads
from typing import cast

from engine.workspace.values import Progress
from tests.prepared import told
from tests.tui.conftest import deck
from tui.bridge.engine_threads import Bridge
from tui.bridge.index_keeper import IndexKeeper


def test_each_slice_counts_on_from_where_the_one_before_it_stopped() -> None:
    keeper = IndexKeeper(cast("Bridge", None))
    for step in (Progress("indexing", 0, 60, 0, 900), Progress("indexing", 3, 60, 40, 900)):
        keeper._tick(step)
        assert keeper.progress == step
    keeper._tick(Progress("indexing", 1, 57, 10, 860))
    assert keeper.progress == Progress("indexing", 4, 60, 50, 900)
    keeper._tick(Progress("embedding", 5, 70))
    assert keeper.progress == Progress("embedding", 5, 70)


async def test_a_console_that_is_left_ends_the_thread_that_keeps_the_index() -> None:
    """It waits half a minute for a change, and would hold the whole workspace for as long."""
    before = _keepers()
    async with deck(told()):
        (keeper,) = _keepers() - before
    keeper.join(5)
    assert not keeper.is_alive()


def _keepers() -> set[Thread]:
    return {thread for thread in enumerate_threads() if thread.name == "index"}
