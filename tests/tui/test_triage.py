"""Many plans at once: a hundred triaged in few keys, each approved for its own digest, none of tier C among them."""

import os
from datetime import timedelta

import msgspec
import pytest
from textual.widgets import Input

from engine.errors import Stale
from engine.plans.operation import Approval, Operation
from engine.plans.plan import Plan, PlanState, RiskTier
from engine.workspace.values import Tick
from tests.prepared import Prepared, prepared
from tests.tui.conftest import Deck, answer, console_of, deck, holds, look_through, screen_text, settled, shows
from tests.values import NOW, append_plan, compaction, entry_of, tree_plan
from tui.dialogs.confirm import ConfirmDialog
from tui.keys.naming import why_not
from tui.present.approvals import batch
from tui.present.approvals.plan_head import LoadedPlan, changes_title
from tui.present.spans import plain
from tui.screens.approvals.batch import BatchScreen
from tui.screens.approvals.page import ApprovalsPage


def mixed(count: int) -> list[Plan]:
    """Plans of all tiers: of ten, five of the compactor, four of the tree, and one that appends."""
    made = []
    for number in range(1, count + 1):
        kind = number % 10
        tree, notes = tree_plan(number, first=2 * number), compaction(number, notes=2, first=2 * number)
        plan = append_plan(number, f"memory/semantic/s{number}.md") if kind == 0 else tree if kind < 5 else notes
        made.append(msgspec.structs.replace(plan, made_at=NOW - timedelta(minutes=number)))
    return made


class Keys:
    """Counts every key that a person presses."""

    def __init__(self, pilot: Deck) -> None:
        self._pilot, self.pressed = pilot, 0

    async def press(self, *keys: str) -> None:
        self.pressed += len(keys)
        await self._pilot.press(*keys)
        await settled(self._pilot)

    async def look_through(self) -> None:
        self.pressed += await look_through(self._pilot)

    async def answer(self, *keys: str) -> None:
        self.pressed += len(keys)
        await answer(self._pilot, *keys)
        await settled(self._pilot)


async def test_a_hundred_mixed_plans_in_at_most_150_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    # Most of the time would be waiting for the disk; that applies survive a crash is tested elsewhere.
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    workspace = prepared(mixed(100))
    async with deck(workspace, (140, 40)) as pilot:
        keys = Keys(pilot)
        await keys.press("2", "o", "g")
        # Two tree plans that the operator does not want, by sight, with one reason.
        await keys.press("space", "space", "r", *"old week", "enter")
        assert sum(entry.state is PlanState.REJECTED for entry in workspace.engine.plans.queue()) == 2
        # All of tiers A and B at once: those of tier C stay out by themselves. The first run is asked about once.
        await keys.press("a", "ctrl+a")
        await shows(pilot, "10 omitted: risk tier C: each is approved alone", "has this workspace been backed up?")
        await keys.answer("y", *"backed up", "enter")
        await keys.look_through()
        await shows(pilot, "Type 88")
        await keys.answer("8", "8", "enter")
        applied = [entry for entry in workspace.engine.plans.queue() if entry.state is PlanState.APPLIED]
        assert len(applied) == 88 and all(entry.risk_tier is not RiskTier.C for entry in applied)
        assert {one.target for one in workspace.approvals} == {workspace.plan(entry.id).digest for entry in applied}
        # Of the ten of tier C one is approved by its word, one refused, and the others are put off for a day.
        await keys.press("g", "ctrl+a")
        await keys.answer(*"APPROVED", "enter")
        assert workspace.approvals[-1].risk_tier is RiskTier.C
        await keys.press("g", "r", *"no", "enter")
        await keys.press("a", "p", *"1d", "enter")
        assert sum(entry.snoozed_until is not None for entry in workspace.engine.plans.queue()) == 8
        await shows(pilot, "Queue ⟨0⟩", "8 snoozed: P")
        assert keys.pressed <= 150, keys.pressed


async def batch_of(pilot: Deck, count: int) -> ConfirmDialog:
    await pilot.press("2", "a", "ctrl+a")
    await settled(pilot)
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog) and isinstance(pilot.app.screen_stack[-2], BatchScreen)
    await shows(pilot, f"Approve {count} plans")
    return dialog


def trees(count: int) -> Prepared:
    return prepared([tree_plan(number, first=2 * number) for number in range(1, count + 1)])


async def test_a_batch_lists_every_plan_and_takes_their_number_typed() -> None:
    workspace = trees(12)
    async with deck(workspace, (140, 40)) as pilot:
        dialog = await batch_of(pilot, 12)
        assert "Plans to approve ⟨12⟩" in screen_text(pilot)
        await answer(pilot, "y", "enter")
        await answer(pilot, "1", "3", "enter")
        assert "exactly 12" in screen_text(pilot)
        assert dialog.is_current and not workspace.approvals
        await answer(pilot, "backspace", "backspace", "backspace", "1", "2", "enter")
        await settled(pilot)
        assert len(workspace.approvals) == 12
        assert len({approval.nonce for approval in workspace.approvals}) == 12


async def test_the_diffs_of_a_batch_can_be_walked_through() -> None:
    async with deck(trees(3), (140, 40)) as pilot:
        await batch_of(pilot, 3)
        await pilot.press("down")
        await shows(pilot, "p-20260315-0002", " 1/2  replace memory/weekly/")
        await pilot.press("right")
        await shows(pilot, "p-20260315-0002", " 2/2  replace memory/weekly/")


async def test_what_one_plan_refuses_stops_no_other() -> None:
    workspace = trees(3)
    apply = workspace.engine.plans.apply

    def refusing(plan: Plan, approval: Approval, tick: Tick | None = None) -> Operation:
        if plan.id.endswith("2"):
            raise Stale("changed after the plan was made", where="memory/a.md", hint="make the dry run again")
        return apply(plan, approval, tick)

    workspace.stub.answers("plans.apply", refusing)
    async with deck(workspace, (140, 40)) as pilot:
        await batch_of(pilot, 3)
        await answer(pilot, "3", "enter")
        await shows(pilot, "2 of 3 plans applied", "p-20260315-0002: memory/a.md: changed")


async def test_a_plan_of_tier_c_cannot_be_in_a_batch() -> None:
    plan = append_plan()
    loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=())
    item = batch.BatchItem(entry_of(plan), loaded, (1,))
    with pytest.raises(ValueError, match="alone"):
        batch.ask([item, item], [])
    workspace = prepared([append_plan(1), append_plan(2, "memory/semantic/whatsapp-bot.md")])
    async with deck(workspace) as pilot:
        await pilot.press("2", "a", "ctrl+a")
        await shows(pilot, "none of the marked plans can be approved together")
        assert not isinstance(pilot.app.screen, ConfirmDialog)


def test_a_part_of_many_changes_is_counted_with_its_thousands() -> None:
    plan = msgspec.structs.replace(tree_plan(), changes=tree_plan().changes * 7_776)
    loaded = LoadedPlan(plan=plan, digest="", diffs=())
    item = batch.BatchItem(entry_of(tree_plan()), loaded, tuple(range(1_200)))
    row = batch.BatchRows([item], frozenset()).row(0)
    assert f"1,200 of {len(plan.changes):,} changes" in plain(row.right)
    assert plain(changes_title(loaded, 1_199)).endswith(f" 1,200/{len(plan.changes):,}")


async def test_put_off_says_until_when_refuses_nonsense_and_wakes() -> None:
    workspace = trees(2)
    async with deck(workspace) as pilot:
        await pilot.press("2", "p", *"soon", "enter")
        await shows(pilot, "no time: try 3d, in 2 weeks, tomorrow 9:00")
        await pilot.press(*["backspace"] * 4, *"2h", "enter")
        await settled(pilot)
        assert sum(entry.snoozed_until is not None for entry in workspace.engine.plans.queue()) == 1
        await shows(pilot, "1 snoozed: P", "Queue ⟨1⟩")
        await pilot.press("P", "k", "p", *"wake", "enter")
        await settled(pilot)
        assert all(entry.snoozed_until is None for entry in workspace.engine.plans.queue())


async def test_marks_go_with_escape_and_read_only_says_why() -> None:
    async with deck(trees(2)) as pilot:
        await pilot.press("2", "a")
        await shows(pilot, "2 marked")
        await pilot.press("escape")
        await pilot.pause()
        assert not pilot.app.query_one(ApprovalsPage).queue.state.marked
    async with deck(trees(2), read_only=True) as pilot:
        await pilot.press("2", "a", "p")
        await shows(pilot, "--read-only")
        assert not pilot.app.screen.query(Input).filter("#reason")


async def test_marking_goes_down_the_queue_one_plan_a_key() -> None:
    async with deck(trees(5)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        for marked in (1, 2, 3):
            await pilot.press("space")
            await shows(pilot, f"{marked} marked")
        page = pilot.app.query_one(ApprovalsPage)
        assert page.queue.state.marked == page.queue.state.shown[:3]
        assert page.queue.state.index == 3


async def test_sorting_and_hiding_are_one_key_each() -> None:
    workspace = prepared(mixed(10))
    async with deck(workspace) as pilot:
        await pilot.press("2")
        await settled(pilot)
        page = pilot.app.query_one(ApprovalsPage)
        assert page.queue.state.shown[0].risk_tier.value == "C", "what is gravest comes first"
        await pilot.press("o")
        await shows(pilot, "newest first")
        assert page.queue.state.shown[0].risk_tier.value != "C"
        assert console_of(pilot).page is page


async def test_the_hints_follow_what_the_keys_can_do() -> None:
    """Asking leads to the diff, also on a narrow screen, where it is out of sight."""
    async with deck(trees(3), (80, 24)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        page = pilot.app.query_one(ApprovalsPage)
        assert why_not(page, "ask_approval") == ""
        await pilot.press("a")
        await settled(pilot)
        assert why_not(page, "ask_approval") == ""
        painted = console_of(pilot).edges.hints.row.left
        assert "key" in [span.role for span in painted if "ctrl+a" in span.text]


async def test_marks_of_before_are_not_what_a_key_on_another_row_is_about() -> None:
    async with deck(trees(5)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("space", "space")
        state = pilot.app.query_one(ApprovalsPage).queue.state
        assert state.chosen == state.shown[:2], "the key went on, and is still about what it marked"
        await pilot.press("j")
        await shows(pilot, "2 marked, not this")
        assert state.chosen == (state.shown[3],)
        await pilot.press("enter", "K", "K")
        await holds(pilot, lambda: state.index == 1, "the plan before, from the diff")
        assert state.chosen == state.shown[:2]
