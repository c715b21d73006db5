"""A consolidation in the queue: opened with enter, entry by entry, and plans of reverts from there."""

from pathlib import Path

import pytest

from engine.plans.plan import PlanState, QueueEntry
from engine.services.engine import Engine
from tests.tui.conftest import Deck, console_of, deck, focused, holds, shows
from tui.keys.naming import why_not
from tui.screens.approvals.consolidation import ConsolidationScreen
from tui.screens.approvals.page import ApprovalsPage

ENTRIES = "".join(f"- decision {number} of billing stands\n" for number in range(9))
MEMORY = f"# Memory\n\n{ENTRIES}"
DREAMT = "# Memory\n\n- decision 0 of billing stands\n- NO_REPLY\n"


@pytest.fixture
def dreamt(tmp_path: Path) -> Engine:
    """A night of dreaming came after the operator looked; a plan waits too."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "SOUL.md").write_text("# Soul\n", encoding="utf-8")
    (folder / "MEMORY.md").write_text(MEMORY, encoding="utf-8")
    engine = Engine.open(folder)
    engine.plans.make("init")
    engine.review.looked(look=True)
    (folder / "MEMORY.md").write_text(DREAMT, encoding="utf-8")
    return engine


def newest(engine: Engine) -> str:
    """The whole text of what the newest revert would write."""
    plan = engine.plans.load(max(one.id for one in engine.plans.queue() if one.system == "revert"))
    return str(getattr(plan.changes[0], "content", ""))


def page(pilot: Deck) -> ApprovalsPage:
    found = console_of(pilot).page
    assert isinstance(found, ApprovalsPage)
    return found


def entry(pilot: Deck) -> QueueEntry | None:
    return page(pilot).selection.entry


async def test_it_stands_above_the_plans_with_its_account(dreamt: Engine) -> None:
    async with deck(dreamt) as pilot:
        await pilot.press("2")
        text = await shows(pilot, "◇ Unknown program  8 of 9 lost")
        assert "Queue ⟨1⟩ · 1 consolidation" in text and "2 Approvals ⟨1⟩" in text, "one count of the plans"
        assert not why_not(focused(pilot), "select"), "enter opens it"
        await shows(pilot, "9 entries = 1 kept + 0 moved + 0 merged + 8 lost; 1 new")
        await pilot.press("down")
        await shows(pilot, "init")
        await holds(pilot, lambda: (one := entry(pilot)) is not None and one.system == "init", "the plan")
        await pilot.press("up")
        await holds(pilot, lambda: page(pilot).queue.state.item is not None, "the item again")


async def test_one_entry_is_reverted_as_a_plan_from_there(dreamt: Engine) -> None:
    async with deck(dreamt) as pilot:
        await pilot.press("2")
        await shows(pilot, "Unknown program")
        await pilot.press("enter")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ConsolidationScreen), "the item")
        await shows(pilot, "in none of the notes afterwards")
        await shows(pilot, "decision 8 of billing")
        await pilot.press("down", "x")
        await holds(pilot, lambda: (one := entry(pilot)) is not None and one.system == "revert", "the plan")
        assert newest(dreamt) == DREAMT.replace("stands\n", "stands\n- decision 2 of billing stands\n", 1)
        assert (dreamt.workspace / "MEMORY.md").read_text("utf-8") == DREAMT, "nothing is changed before the yes"


async def test_marked_entries_and_all_of_it_are_reverted(dreamt: Engine) -> None:
    async with deck(dreamt) as pilot:
        await pilot.press("2")
        await shows(pilot, "Unknown program")
        await pilot.press("enter")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ConsolidationScreen), "the item")
        await pilot.press("G", "space", "g", "space")
        await shows(pilot, "2 marked")
        await pilot.press("x")
        await holds(pilot, lambda: (one := entry(pilot)) is not None and one.system == "revert", "the plan")
        assert newest(dreamt) == DREAMT.replace("- NO_REPLY\n", "- decision 1 of billing stands\n")
        await pilot.press("g", "enter")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ConsolidationScreen), "the item")
        await pilot.press("X")
        await holds(pilot, lambda: newest(dreamt) == MEMORY, "the plan of all of it")


async def test_what_is_kept_goes_from_the_queue(dreamt: Engine) -> None:
    async with deck(dreamt) as pilot:
        await pilot.press("2")
        await shows(pilot, "Unknown program")
        await pilot.press("enter")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ConsolidationScreen), "the item")
        await pilot.press("tab", "tab", "a")
        await holds(pilot, lambda: page(pilot).queue.state.items == (), "it waits no more")
        await holds(pilot, lambda: (one := entry(pilot)) is not None and one.system == "init", "the plan")
        assert [one.state for one in dreamt.plans.queue()] == [PlanState.PENDING]


async def test_a_filter_is_about_plans_alone(dreamt: Engine) -> None:
    async with deck(dreamt) as pilot:
        await pilot.press("2")
        await shows(pilot, "Unknown program")
        await pilot.press("slash", *"init", "enter")
        await holds(pilot, lambda: (one := entry(pilot)) is not None and one.system == "init", "the plan")
        await pilot.press("escape")
        await shows(pilot, "Unknown program")


async def test_a_console_that_only_reads_plans_nothing(dreamt: Engine) -> None:
    async with deck(dreamt, read_only=True) as pilot:
        await pilot.press("2")
        await shows(pilot, "Unknown program")
        await pilot.press("enter")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ConsolidationScreen), "the item")
        await pilot.press("X")
        await shows(pilot, "read-only")
        assert [one.system for one in dreamt.plans.queue()] == ["init"]
