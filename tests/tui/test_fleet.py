"""All agents beside each other in the console: into one and back, one queue over all, a batch of several agents."""

from pathlib import Path

import pytest

from engine.plans.plan import Plan, PlanState
from engine.services.engine import Engine
from tests.prepared import Prepared, prepared
from tests.tui.conftest import Deck, answer, console_of, deck, look_through, settled, shows
from tests.values import append_plan, compaction, without_confirmations
from tui.bridge.fleet_source import FleetVisit
from tui.dialogs.confirm import ConfirmDialog
from tui.screens.approvals.batch import BatchScreen
from tui.shell.fleet import FleetScreen

Pair = tuple[Prepared, Prepared]


def beside(first: Prepared, *plans: Plan) -> Prepared:
    """Another agent of the same operator."""
    second = Prepared()
    second.engine.close()
    second.env = first.env
    second.engine = Engine.open(second.folder, env=first.env, clock=lambda: second.clock)
    for plan in plans:
        second.add(plan)
    return second


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Pair:
    first = prepared([without_confirmations(compaction(1))])
    second = beside(first, without_confirmations(compaction(1, first=4)), append_plan(2))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, first.env[name])
    file = Path(first.env["XDG_CONFIG_HOME"]) / "memdeck" / "fleet.yaml"
    file.parent.mkdir(parents=True, mode=0o700)
    file.write_text(
        f"order: listed\nagents:\n- path: {first.folder}\n  name: one\n- path: {second.folder}\n  name: two\n", "utf-8"
    )
    return first, second


async def fleet(pilot: Deck) -> FleetVisit:
    await pilot.press("0")
    await settled(pilot)
    assert isinstance(pilot.app.screen, FleetScreen)
    return console_of(pilot).visit


async def test_enter_leads_to_the_agent_and_what_was_shown_is_kept(pair: Pair) -> None:
    first, second = pair
    async with deck(first) as pilot:
        visit = await fleet(pilot)
        await shows(pilot, "2 agents, 3 plans wait", "one", "two", str(first.folder))
        await pilot.press("down", "enter")
        await pilot.pause()
    assert visit.leads_to == second.folder and visit.cursor == 1


async def test_escape_on_the_overview_leads_back_to_all_agents(pair: Pair) -> None:
    async with deck(pair[0]) as pilot:
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, FleetScreen), "nobody came from there"
        await fleet(pilot)
        await pilot.press("escape")
        await settled(pilot)
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, FleetScreen)


async def test_one_queue_over_all_is_filtered_and_a_plan_opens_in_its_agent(pair: Pair) -> None:
    async with deck(pair[0]) as pilot:
        visit = await fleet(pilot)
        await pilot.press("a", "slash", *"tier:c", "enter")
        await settled(pilot)
        await shows(pilot, "/tier:c", "two")
        await pilot.press("enter")
        await pilot.pause()
    assert (visit.leads_to, visit.plan) == (pair[1].folder, append_plan(2).id)


async def test_a_batch_of_several_agents_asks_for_each_digest_and_applies_each_in_its_own(pair: Pair) -> None:
    first, second = pair
    async with deck(first, (140, 40)) as pilot:
        await fleet(pilot)
        await pilot.press("a", "ctrl+a")
        await shows(pilot, "mark plans first")
        await pilot.press("slash", *"tier:b", "enter")
        await settled(pilot)
        await pilot.press("space", "space", "ctrl+a")
        await settled(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, ConfirmDialog) and isinstance(pilot.app.screen_stack[-2], BatchScreen)
        await shows(pilot, "Approve 2 plans", "one compact", "two compact")
        await look_through(pilot)
        await answer(pilot, "3", "enter")
        assert dialog.is_current and not first.approvals
        await answer(pilot, "backspace", "2", "enter")
        await settled(pilot)
        await shows(pilot, "2 of 2 plans applied")
    for workspace in pair:
        plan = workspace.plan(compaction(1).id)
        assert workspace.entry(plan.id).state is PlanState.APPLIED
        assert [one.target for one in workspace.approvals] == [plan.digest]
    assert second.entry(append_plan(2).id).state is PlanState.PENDING


async def test_a_plan_of_tier_c_is_in_no_batch(pair: Pair) -> None:
    async with deck(pair[0], (140, 40)) as pilot:
        await fleet(pilot)
        await pilot.press("a", "slash", *"tier:c", "enter")
        await settled(pilot)
        await pilot.press("space", "ctrl+a")
        await shows(pilot, "risk tier C: each is approved alone")
        assert isinstance(pilot.app.screen, FleetScreen)
