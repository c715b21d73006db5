"""Past dry runs as pages, and two of them compared."""

import msgspec

from engine.plans.plan import Plan, PlanState
from tests.prepared import Prepared, prepared
from tests.tui.conftest import Deck, deck, settled, shows
from tests.values import NOW, append_plan, compaction, tree_plan
from tui.present.approvals import past_runs
from tui.present.spans import plain


def with_thresholds(plan: Plan, value: int, fired: bool, report: str) -> Plan:
    row = {"id": "working_files", "value": value, "threshold": 10, "fired": fired}
    return msgspec.structs.replace(plan, facts={"thresholds": [row]}, report=report)


def workspace() -> Prepared:
    """Two compactions of which the later has a note more, and a run of the tree."""
    first = with_thresholds(compaction(1, notes=1), 9, False, "# Report\nfiles 9\n")
    second = with_thresholds(compaction(2, notes=2), 13, True, "# Report\nfiles 13\n")
    return prepared([first, second, tree_plan(3)])


async def reports(pilot: Deck) -> None:
    await pilot.press("2")
    await settled(pilot)
    await pilot.press("R")
    await settled(pilot)
    await pilot.press("g", "down")
    await settled(pilot)


async def test_each_dry_run_is_a_page() -> None:
    async with deck(workspace()) as pilot:
        await reports(pilot)
        await shows(pilot, "Weekly digest and dry runs", "files 13", "Changes (4)")
        await pilot.press("down")
        await shows(pilot, "files 9", "Changes (2)")
        await pilot.press("enter", "escape", "escape")
        await pilot.pause()
        assert len(pilot.app.screen_stack) == 1


async def test_two_are_compared_the_older_first() -> None:
    async with deck(workspace(), (140, 40)) as pilot:
        await reports(pilot)
        await pilot.press("c")
        await shows(pilot, "mark one with space")
        await pilot.press("space", "down", "c")
        text = await shows(pilot, "p-20260315-0001 → p-20260315-0002", "working_files", "9 of 10 → 13 of 10, fired")
        assert "+ create  episodic/2026-03-02-deploy.md" in text
        assert "− files 9" in text and "+ files 13" in text
        await pilot.press("escape")
        await shows(pilot, "Changes (2)")


async def test_runs_of_two_systems_cannot_be_compared_and_that_is_said() -> None:
    async with deck(workspace()) as pilot:
        await reports(pilot)
        await pilot.press("space", "G", "c")
        await shows(pilot, "compare two of one system")


async def test_no_dry_run_yet_says_so() -> None:
    async with deck(prepared()) as pilot:
        await reports(pilot)
        await shows(pilot, "Digest", "No dry run yet")


def test_rows_say_what_became_of_each() -> None:
    made = prepared([append_plan()])
    made.set_state("p-20260315-0002", PlanState.REJECTED, "no")
    (entry,) = made.engine.review.reports()
    without = msgspec.structs.replace(entry, id="r-20260315-0001", state=None, risk_tier=None, changes=0)
    rows = past_runs.RunRows((entry, without), NOW, "r-20260315-0001")
    first, second = rows.row(1), rows.row(2)
    assert plain((*first.left, *first.extra)) == "  C semantic 1 change" and "✗ rejected" in plain(first.right)
    assert plain((*second.left, *second.extra)) == "✓ · semantic no plan"
