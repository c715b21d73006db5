"""When a plan is read: at once after the first key, and of those run over none."""

import pytest

from engine.errors import Damaged
from tests.prepared import prepared
from tests.tui.conftest import Deck, console_of, deck, settled, shows
from tests.values import append_plan, tree_plan
from tui.screens.approvals import plan_pane
from tui.screens.approvals.page import ApprovalsPage


def _page(pilot: Deck) -> ApprovalsPage:
    page = console_of(pilot).page
    assert isinstance(page, ApprovalsPage)
    return page


async def test_the_first_key_reads_at_once_and_those_after_it_wait_for_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_pane, "_SETTLE_SECONDS", 3600.0)
    monkeypatch.setattr(plan_pane, "_REST_SECONDS", 3600.0)
    workspace = prepared([tree_plan(number, 2 * number) for number in range(1, 7)])
    asked = workspace.stub.asked("plans.load")

    def read() -> list[str]:
        return [plan_id for plan_id, *looks in asked if looks]

    async with deck(workspace) as pilot:
        await pilot.press("2")
        await settled(pilot)
        before = len(read())
        await pilot.press("j")
        await settled(pilot)
        page = _page(pilot)
        first = page.queue.state.selected
        assert read()[before:] == [first]
        await pilot.press("j", "j", "j")
        await settled(pilot)
        last = page.queue.state.selected
        assert last != first
        assert read()[before:] == [first], "the cursor ran over these"
        page.plan.settled()
        await settled(pilot)
        assert read()[before:] == [first, last]
        assert page.plan.in_sight(page.selection.loaded)
        page.plan.rested_long()
        await pilot.press("k")
        await settled(pilot)
        assert len(read()) == before + 3, "after a rest the next key is a first one again"


async def test_a_plan_that_cannot_be_read_says_so_for_as_long_as_one_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_pane, "_PATIENCE_SECONDS", 3600.0)
    workspace = prepared([append_plan(1)])
    hint = "reject it and make the dry run again"
    workspace.stub.fails("plans.load", Damaged("not the plan that was queued", where="p-20260315-0001", hint=hint))
    async with deck(workspace) as pilot:
        await pilot.press("2")
        await shows(pilot, "this plan cannot be read", "not the plan that was queued")
        _page(pilot).plan.show_reading("p-20260315-0001")
        await settled(pilot)
        assert "reading" not in await shows(pilot, "this plan cannot be read", "not the plan that was queued")
