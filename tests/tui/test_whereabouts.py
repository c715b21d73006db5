"""Where one is: the crumbs say it, `esc` leads out of it, `-` leads back to it; a long look shows how far it is."""

from tests.prepared import prepared, three_plans
from tests.ready_demo import Demo
from tests.tui.conftest import Deck, console_of, deck, holds, screen_text, settled, shows
from tests.tui.test_history import past_workspace
from tests.values import compaction
from tui.screens.approvals.queue_pane import QueuePane


def crumbs(pilot: Deck) -> tuple[str, ...]:
    return console_of(pilot).page.crumbs()


async def test_approvals_names_the_plan_and_the_change_on_the_way_in_and_out(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        await pilot.press("2")
        assert crumbs(pilot) == ("Approvals",)
        await pilot.press("enter", "right")
        await settled(pilot)
        name, plan, change = crumbs(pilot)
        under = pilot.app.query_one(QueuePane).state.selected
        assert (name, plan) == ("Approvals", under) and change.startswith("2/")
        assert f"Approvals › {plan} › {change}" in screen_text(pilot)
        await pilot.press("escape")
        assert crumbs(pilot) == ("Approvals",)


async def test_the_last_place_is_the_plan_the_change_and_the_pane(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        await pilot.press("2", "j")
        await settled(pilot)
        await pilot.press("enter", "right")
        await settled(pilot)
        there = crumbs(pilot)
        await pilot.press("7", "2", "escape", "g")
        await settled(pilot)
        assert crumbs(pilot) != there
        await pilot.press("7")
        await settled(pilot)
        await pilot.press("minus")
        assert crumbs(pilot) == ("Approvals",)
        await pilot.press("enter", "minus")
        assert crumbs(pilot) == ("Approvals",), "`enter` led in, `-` leads back out"
        await pilot.press("minus")
        assert len(crumbs(pilot)) == 3


async def test_history_names_the_operation_and_its_file() -> None:
    workspace = past_workspace()
    async with deck(workspace) as pilot:
        await pilot.press("7")
        await settled(pilot)
        assert crumbs(pilot) == ("History",)
        await pilot.press("enter")
        await settled(pilot)
        name, operation, file = crumbs(pilot)
        assert (name, operation) == ("History", workspace.operations[-1].id) and file.startswith("1/")
        there = crumbs(pilot)
        await pilot.press("1", "minus")
        await settled(pilot)
        assert crumbs(pilot) == there
        await pilot.press("tab")
        assert crumbs(pilot) == ("History", "Audit log")


async def test_overview_names_its_panes(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        assert crumbs(pilot) == ("Overview",)
        await pilot.press("tab", "tab")
        assert crumbs(pilot) == ("Overview", "Due")


async def test_esc_leads_out_of_a_what_if_date_from_any_screen(demo: Demo) -> None:
    async with deck(demo.open_today()) as pilot:
        await pilot.press("t", *"sunday", "enter")
        await shows(pilot, "WHAT-IF")
        for key in ("2", "3", "7"):
            await pilot.press(key)
            await settled(pilot)
        assert "WHAT-IF" in screen_text(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert "WHAT-IF" not in screen_text(pilot)


async def test_a_long_look_at_the_history_says_how_far_it_is_and_keeps_nothing_from_being_done() -> None:
    workspace = prepared([compaction(1)])
    go_on = workspace.stub.waits("history.verify")
    async with deck(workspace) as pilot:
        await pilot.press("7")
        await shows(pilot, "reading the history", "verifying the audit log", "esc cancel")
        assert console_of(pilot).bridge.work is None, "no key waits for it"
        go_on.set()
        await settled(pilot)
        await shows(pilot, "no record yet")
        await holds(pilot, lambda: "reading the history" not in screen_text(pilot), "the end of the look")


async def test_a_mark_is_seen_in_the_diff_also_on_a_small_terminal() -> None:
    async with deck(three_plans(), size=(80, 24)) as pilot:
        await pilot.press("2", "enter", "enter")
        await settled(pilot)
        assert "✓ " not in screen_text(pilot).splitlines()[1]
        await pilot.press("escape", "space", "enter")
        await settled(pilot)
        title = screen_text(pilot).splitlines()[1]
        assert "✓ " in title and "marked" in screen_text(pilot)
