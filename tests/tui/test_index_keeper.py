"""What the console says of the index while it works on it a slice at a time."""

from typing import cast

from engine.workspace.values import Progress
from tui.bridge.index_keeper import IndexKeeper
from tui.bridge.workers import Bridge


def test_each_slice_counts_on_from_where_the_one_before_it_stopped() -> None:
    keeper = IndexKeeper(cast("Bridge", None))
    for step in (Progress("indexing", 0, 60, 0, 900), Progress("indexing", 3, 60, 40, 900)):
        keeper._tick(step)
        assert keeper.progress == step
    keeper._tick(Progress("indexing", 1, 57, 10, 860))
    assert keeper.progress == Progress("indexing", 4, 60, 50, 900)
    keeper._tick(Progress("embedding", 5, 70))
    assert keeper.progress == Progress("embedding", 5, 70)
