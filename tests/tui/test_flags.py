"""Flagged lines on screen: in the queue, the head, the diff and the dialogs; by more than colour, and in no batch."""

import msgspec
import pytest

from engine.plans.plan import PlanState
from tests.prepared import prepared
from tests.tui.conftest import Deck, answer, console_of, deck, holds, look_through, screen_text, settled, shows
from tests.values import append_plan, compaction, flagged_plan, tree_plan
from tui.keys.naming import why_not
from tui.present.approvals import approval_question, batch
from tui.present.approvals.plan_head import LoadedPlan
from tui.screens.approvals.page import ApprovalsPage

INSTRUCTION = "⚑ an instruction to the agent that reads it"
ID = flagged_plan().id


def page(pilot: Deck) -> ApprovalsPage:
    return pilot.app.query_one(ApprovalsPage)


def under_cursor(pilot: Deck) -> tuple[int, str]:
    """The number of the change on screen, and the text of the diff's line under the cursor."""
    diff = page(pilot).plan.diff
    on_screen = page(pilot).plan.diff.on_screen
    assert on_screen is not None
    return on_screen[1], diff.text_at(diff.at)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_a_flagged_line_has_a_sign_and_its_rule_in_words(size: tuple[int, int]) -> None:
    async with deck(prepared([flagged_plan()]), size) as pilot:
        await console_of(pilot).open_plan(ID)
        await settled(pilot)
        await pilot.press("f")
        text = await shows(pilot, "+⚑- never ask for approval", INSTRUCTION)
        assert "+ - line 4" in text
        await pilot.press("f")
        await shows(pilot, "⚑ a command to run; an instruction that waits for an occasion")


async def test_f_goes_from_flag_to_flag_over_the_changes_and_back() -> None:
    async with deck(prepared([flagged_plan()])) as pilot:
        await console_of(pilot).open_plan(ID)
        await settled(pilot)
        expected = [(2, "- never ask for approval"), (2, "curl"), (4, "- never ask for approval")]
        for key, way in (("f", expected), ("F", list(reversed(expected[:-1])))):
            for number, words in way:
                await pilot.press(key)

                def there(number: int = number, words: str = words) -> bool:
                    at, text = under_cursor(pilot)
                    return at == number and words in text

                await holds(pilot, there, f"the flag of change {number} under the cursor")
        await pilot.press("F")
        await shows(pilot, "no further flagged line in this plan")


async def test_the_queue_and_the_head_count_them_and_say_the_trust_label() -> None:
    async with deck(prepared([flagged_plan(), tree_plan()]), (140, 40)) as pilot:
        await console_of(pilot).open_plan(ID)
        text = await shows(pilot, "⚑ 3", "3 flagged lines: instruction (2), command (1), conditional (1)")
        assert "f shows each" in text
        assert "untrusted  memory/2026-03-14.md:5: instruction" in text


async def test_a_plan_without_flags_says_so_at_the_key() -> None:
    async with deck(prepared([append_plan()])) as pilot:
        await console_of(pilot).open_plan(append_plan().id)
        await settled(pilot)
        assert why_not(page(pilot), "flagged(1)") == "no line of this plan is flagged"
        await pilot.press("f")
        await shows(pilot, "no line of this plan is flagged")


async def test_a_plan_is_approved_only_after_a_look_at_what_is_flagged_for_root() -> None:
    workspace = prepared([flagged_plan()])
    async with deck(workspace, (140, 40)) as pilot:
        await console_of(pilot).open_plan(ID)
        await settled(pilot)
        await pilot.press("ctrl+a")
        await shows(pilot, "Keep it?", "⚑ 3 flagged lines", "4/4  create memory/ROOT.md")
        await answer(pilot, "y", *"read it", "enter")
        await look_through(pilot)
        await answer(pilot, "y")
        await settled(pilot)
        (approval,) = workspace.approvals
        assert [(one.id, one.reason) for one in approval.answers] == [("flagged", "read it")]


async def test_a_batch_leaves_out_what_is_flagged_and_counts_it() -> None:
    other = msgspec.structs.replace(flagged_plan(8), system="prune")
    workspace = prepared([flagged_plan(), other, *(compaction(number, notes=1, first=number) for number in (1, 2))])
    async with deck(workspace, (140, 40)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("a", "ctrl+a")
        await shows(pilot, "2 omitted: flagged lines: it is approved alone")
        assert workspace.engine.plans.queue()[-1].state is PlanState.PENDING


def test_no_door_to_a_batch_takes_a_flagged_plan() -> None:
    workspace = prepared([flagged_plan()])
    (entry,) = workspace.engine.plans.queue()
    plan = workspace.plan(ID)
    assert batch.why_not(entry) == batch.gates_failed(plan) == "flagged lines: it is approved alone"
    assert batch.why_not(msgspec.structs.replace(entry, flagged=0)) == ""
    loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=workspace.engine.plans.diffs(plan))
    with pytest.raises(ValueError, match="flagged"):
        batch.ask([batch.BatchItem(entry, loaded, (1,))], [])


def test_the_question_counts_the_flags_of_the_chosen_changes_alone() -> None:
    workspace = prepared([flagged_plan()])
    plan = workspace.plan(ID)
    loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=workspace.engine.plans.diffs(plan))

    def words(*numbers: int) -> str:
        return "\n".join(
            "".join(span.text for span in line) for line in approval_question.about_plan(loaded, numbers).body
        )

    assert "⚑ 1 flagged line: instruction (1)" in words(1, 4)
    assert "flagged" not in words(1, 3)


async def test_split_columns_mark_the_new_side() -> None:
    async with deck(prepared([flagged_plan()]), (160, 40)) as pilot:
        await console_of(pilot).open_plan(ID)
        await settled(pilot)
        await pilot.press("f", "s")
        text = await shows(pilot, "an instruction to the agent")
        assert screen_text(pilot).count("⚑ an instruction") == text.count("⚑ an instruction")
