"""A loss on the Overview: told first, reverted by one key, kept by another (decision G26)."""

import msgspec
import pytest

from engine.plans.memory_status import Alarm
from engine.plans.planning import PlanOutcome
from tests.gallery.engines.troubles import FALLING, LOSS
from tests.prepared import Told, told
from tests.tui.conftest import console_of, deck, settled, shows
from tests.values import a_status
from tui.present.overview.verdict import VerdictFacts, verdict
from tui.present.spans import plain


def alarmed(*alarms: object) -> Told:
    engine = told()
    engine.stub.gives("status.read", a_status(alarms=alarms))
    engine.stub.gives("status.changed", a_status(alarms=alarms))
    return engine


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_g26_a_loss_is_told_first_and_has_a_key_for_each_answer(size: tuple[int, int]) -> None:
    engine = alarmed(LOSS, FALLING)
    engine.stub.gives("alarms.accept", None)
    engine.stub.gives("revert.plan", PlanOutcome(plan=None, reason_no_action="nothing of it is left to revert"))
    kept, reverted = engine.stub.asked("alarms.accept"), engine.stub.asked("revert.plan")
    async with deck(engine, size) as pilot:
        await shows(pilot, "■ MEMORY.md lost 239 of 242 entries", "x reverts it")
        await pilot.press("x")
        await shows(pilot, "nothing of it is left to revert")
        await pilot.press("a")
        await shows(pilot, "The loss in MEMORY.md", "the alarm stays")
        await pilot.press("down", "enter")
        await settled(pilot)
        await shows(pilot, "MEMORY.md stays as it is")
    assert kept == [("MEMORY.md",)]
    assert reverted == [(("MEMORY.md",),)]


async def test_lines_that_fall_off_lead_the_headline_with_the_cure_two_keys_away() -> None:
    """It said "all within limits · nothing to do" beside a MEMORY.md of which 32 lines are not loaded."""
    over = msgspec.structs.replace(FALLING, path="MEMORY.md", fix="memdeck plan prune")
    assert plain(verdict(VerdictFacts(a_status(alarms=(over,)), waiting=0)).right).startswith("d enter prune")
    engine = alarmed(over)
    asked = engine.stub.asked("plans.make")
    async with deck(engine) as pilot:
        await shows(pilot, "■ MEMORY.md: Claude Code does not load")
        console_of(pilot).systems = (("compact", "notes"), ("prune", "MEMORY.md"))
        await pilot.press("d")
        await shows(pilot, "▌prune")
        await pilot.press("enter")
        await settled(pilot)
    assert [arguments[0] for arguments in asked] == ["prune"]


def test_the_worst_of_all_that_is_shown_leads_the_headline_with_its_cure() -> None:
    """It said "all within limits" beside a window at 91 %, and beside a MEMORY.md of 232 lines."""
    full = Alarm(id="window", path="", detail="the context window is full", fix="memdeck plan flush, then approve it")
    calm = a_status(triggers=())
    for status, worst, key in (
        (msgspec.structs.replace(calm, alarms=(full, FALLING)), "the context window is full", "d enter flush"),
        (msgspec.structs.replace(calm, memory_md={"lines": 232}), "MEMORY.md has 232 of 200 lines", "d enter prune"),
        (msgspec.structs.replace(calm, memory_md={"lines": 199}), "all within limits", "d dry run"),
    ):
        row = verdict(VerdictFacts(status, waiting=0))
        assert plain(row.left)[2:].startswith(worst) and plain(row.right).startswith(key)


async def test_g26_the_notices_have_the_step_for_each_alarm() -> None:
    async with deck(alarmed(LOSS, FALLING), (140, 45)) as pilot:
        await shows(pilot, "■ MEMORY.md: lost 239 of 242", "x reverts it  a keeps it as it is")
        await shows(pilot, "■ CLAUDE.md: Claude Code does not load", "memdeck load names them")


async def test_g26_without_a_loss_the_keys_say_why() -> None:
    async with deck(alarmed(FALLING)) as pilot:
        text = await shows(pilot, "■ CLAUDE.md: Claude Code does not load")
        assert "all within limits" not in text.split("\n")[2] and "prune" not in text.split("\n")[2]
        await pilot.press("a")
        await shows(pilot, "no loss waits for an answer")
