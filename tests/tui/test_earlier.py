"""The picture of an earlier look: shown while a large workspace is read, marked as such, and nothing comes of it."""

from threading import Event

import msgspec
import pytest

from engine.errors import Damaged
from engine.plans.memory_status import DueJob, EarlierLook, Status
from engine.workspace.values import Tick
from tests.prepared import Told, told
from tests.tui.conftest import console_of, deck, holds, screen_text, settled, shows
from tests.values import NOW, a_status, append_plan, compaction, tree_plan
from tui.app import MemdeckApp
from tui.screens.overview.page import OverviewPage


class SlowEngine(Told):
    """An engine whose first look takes until `read` is set; its look before found another number of notes."""

    def __init__(self) -> None:
        super().__init__([tree_plan(3), append_plan(2), compaction(1)])
        tiers = self.status.memory_tiers
        working = msgspec.structs.replace(tiers.working, eligible=4_321)
        tiers = msgspec.structs.replace(tiers, working=working)
        self.before(msgspec.structs.replace(self.status, memory_tiers=tiers, due=overdue(self.status)))
        self.read = Event()
        self.refuses = False
        self.stub.answers("status.read", self._slow)
        self.looks, self.runs = self.stub.asked("status.read"), self.stub.asked("schedule.run_due")

    def before(self, status: Status | None) -> None:
        """The look before found this."""
        earlier = None if status is None else EarlierLook(status, self.engine.plans.queue())
        self.stub.gives("status.earlier", earlier)

    def _slow(self, tick: Tick | None = None) -> Status:
        self.read.wait(60)
        if self.refuses:
            raise Damaged("the workspace is gone", where=str(self.folder))
        return self.status


def overdue(status: Status) -> tuple[DueJob, ...]:
    return tuple(msgspec.structs.replace(job, overdue=True) for job in status.due)


@pytest.fixture
def engine() -> SlowEngine:
    return SlowEngine()


def console(engine: Told) -> MemdeckApp:
    return MemdeckApp(engine.opening, user_home="/home/ana")


async def test_an_earlier_picture_says_of_when_it_is_until_the_workspace_was_read(engine: SlowEngine) -> None:
    app = console(engine)
    async with app.run_test(size=(120, 36)) as pilot:
        seen = await shows(pilot, "as of", "reading the workspace", "4,321 eligible", "working_files")
        assert app.status is None, "what is decided waits for the look itself"
        assert not engine.read.is_set()
        engine.read.set()
        now = await shows(pilot, "12 eligible")
        assert "as of" in seen and "as of" not in now and "4,321" not in now
        assert not pilot.app.query_one(OverviewPage)._earlier
        await settled(pilot)


async def test_nothing_runs_nor_is_asked_by_an_earlier_picture(engine: SlowEngine) -> None:
    app = console(engine)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, "as of")
        assert engine.runs == [] and not app.news.knows
        assert app.bridge.work is None, "other work may begin meanwhile"
        engine.read.set()
        await shows(pilot, "12 eligible")
        await settled(pilot)


async def test_plans_can_be_looked_at_while_the_workspace_is_read(engine: SlowEngine) -> None:
    app = console(engine)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, "as of")
        await pilot.press("2", "j")
        await shows(pilot, "p-20260315-0001", "12 creates, 12 moves")
        engine.read.set()
        await holds(pilot, lambda: app.status is not None, "the look itself")
        await settled(pilot)


async def test_where_reading_fails_the_earlier_picture_stays_and_says_of_when_it_is(engine: SlowEngine) -> None:
    engine.refuses = True
    app = console(engine)
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, "as of")
        engine.read.set()
        assert "4,321" in await shows(pilot, "the workspace is gone", "what is shown is of")
        await settled(pilot)


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_narrow_terminals_say_it_too(engine: SlowEngine, size: tuple[int, int]) -> None:
    app = console(engine)
    async with app.run_test(size=size) as pilot:
        await shows(pilot, "as of", "reading the workspace")
        engine.read.set()
        await holds(pilot, lambda: "as of" not in screen_text(pilot), "the picture of now")
        await settled(pilot)


async def test_without_an_earlier_look_there_is_only_the_word_that_it_is_read() -> None:
    engine = SlowEngine()
    engine.before(None)
    app = console(engine)
    async with app.run_test(size=(120, 36)) as pilot:
        seen = await shows(pilot, "reading the workspace…")
        assert "as of" not in seen
        await holds(pilot, lambda: app.bridge.work is not None, "work that other work waits for")
        engine.read.set()
        await shows(pilot, "12 eligible")
        await settled(pilot)


async def test_a_settled_console_shows_what_is_there_now() -> None:
    engine = told()
    engine.stub.gives("status.earlier", EarlierLook(msgspec.structs.replace(a_status(), now=NOW), ()))
    async with deck(engine) as pilot:
        assert "as of" not in screen_text(pilot)
        assert console_of(pilot).status == engine.status
