"""What is there when the console stands is not gone through again, and nothing of that outlives the console."""

import gc

from tests.ready_demo import Demo
from tests.tui.conftest import deck
from tui.system.garbage_collector import Collector, resting


def test_what_is_there_is_spared_until_it_is_restored() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    collector = Collector()
    collector.spare()
    assert gc.get_freeze_count() > frozen
    assert gc.get_threshold()[2] > before[2]
    collector.spare()
    collector.restore()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_a_collector_that_spared_nothing_restores_nothing() -> None:
    before = gc.get_threshold()
    Collector().restore()
    assert gc.get_threshold() == before


def test_nothing_is_collected_until_the_console_stands() -> None:
    collector = Collector()
    with resting():
        assert not gc.isenabled()
        collector.spare()
        assert gc.isenabled()
    collector.restore()
    assert gc.isenabled()


async def test_the_console_spares_what_is_there_and_leaves_the_collector_as_it_was(demo: Demo) -> None:
    before = gc.get_threshold()
    async with deck(demo.open_today()):
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold() != before
    assert gc.get_threshold() == before
