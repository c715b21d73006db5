"""Approving in the console: only a person's keys, after the diff and a quiet moment, and only what is on screen."""

from datetime import timedelta
from time import monotonic

import msgspec
import pytest
from textual import events
from textual.widgets import Input

from engine.errors import Stale
from engine.plans.diff import FileDiff
from engine.plans.plan import Append, Change, Flag, PlanState, RiskTier
from tests.prepared import prepared, three_plans
from tests.tui.conftest import (
    Deck,
    answer,
    console_of,
    deck,
    holds,
    look_through,
    press_at,
    screen_text,
    settled,
    shows,
)
from tests.values import NOW, append_plan, compaction, tree_plan
from tui.dialogs.confirm import ConfirmDialog
from tui.present.approvals.plan_head import LoadedPlan
from tui.screens.approvals.page import ApprovalsPage
from tui.screens.approvals.viewed_plans import ApprovalsState, ChangeLook, without_a_diff
from tui.widgets.key_guard import QUIET_SECONDS
from tui.widgets.word_field import WordField


def approvals(pilot: Deck) -> ApprovalsPage:
    return pilot.app.query_one(ApprovalsPage)


async def to_plan(pilot: Deck, plan_id: str) -> None:
    """Approvals, with the cursor on a plan that is read."""
    await console_of(pilot).open_plan(plan_id)
    await settled(pilot)


async def open_dialog(pilot: Deck, plan_id: str) -> ConfirmDialog:
    await to_plan(pilot, plan_id)
    await pilot.press("ctrl+a")
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog)
    while not dialog.query(WordField):
        await pilot.pause(0.01)
    return dialog


def just_asked(dialog: ConfirmDialog) -> float:
    """An instant right after the question came on screen, however long ago that was."""
    now = monotonic()
    dialog._quiet.begin(now)
    return now + 0.01


async def test_tier_b_asks_its_confirmation_then_takes_one_key() -> None:
    workspace = prepared([compaction(notes=2)])
    async with deck(workspace) as pilot:
        await open_dialog(pilot, "p-20260315-0001")
        assert "has this workspace been backed up?" in screen_text(pilot)
        await answer(pilot, "y", *"yes", "enter")
        await look_through(pilot)
        await shows(pilot, "y apply 4 changes")
        await answer(pilot, "y")
        await settled(pilot)
        approval = workspace.approvals[0]
        assert approval.target == workspace.plan("p-20260315-0001").digest
        assert approval.numbers == (1, 2, 3, 4)
        assert approval.answers[0].id == "first_run" and approval.answers[0].reason == "yes"
        assert "✓ applied" in screen_text(pilot)
        assert "✓ given   by ana on /dev/pts/1" in screen_text(pilot)


async def test_tier_c_takes_the_word_exactly_and_then_enter() -> None:
    workspace = prepared([append_plan()])
    async with deck(workspace) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0002")
        await answer(pilot, *"approved", "enter")
        assert not workspace.approvals
        assert "exactly APPROVED, in capitals" in screen_text(pilot)
        await answer(pilot, *["backspace"] * 8, *"APPROVED")
        assert "exactly APPROVED" not in screen_text(pilot), "what was said of the word before"
        assert not workspace.approvals
        assert dialog.is_current
        await answer(pilot, "enter")
        await settled(pilot)
        assert [approval.risk_tier for approval in workspace.approvals] == [RiskTier.C]


async def test_early_keys_answer_nothing() -> None:
    workspace = prepared([append_plan()])
    async with deck(workspace) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0002")
        await press_at(pilot, [*"APPROVED", "enter"], just_asked(dialog), 0.1)
        assert dialog.query_one(WordField).text == ""
        assert dialog.is_current and not workspace.approvals


async def test_a_held_key_from_before_answers_nothing() -> None:
    workspace = prepared([tree_plan()])
    async with deck(workspace) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0003")
        await press_at(pilot, ["y"] * 40, just_asked(dialog), 0.035)
        assert dialog.is_current and not workspace.approvals
        await answer(pilot, "y")
        await settled(pilot)
        assert len(workspace.approvals) == 1


async def test_enter_and_escape_are_the_safe_answers() -> None:
    workspace = prepared([tree_plan()])
    async with deck(workspace) as pilot:
        for key in ("enter", "escape"):
            await open_dialog(pilot, "p-20260315-0003")
            await answer(pilot, key)
            assert not isinstance(pilot.app.screen, ConfirmDialog)
        assert not workspace.approvals


async def test_a_paste_is_refused_and_said() -> None:
    workspace = prepared([append_plan()])
    async with deck(workspace) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0002")
        await answer(pilot, *"APPR")
        pilot.app.post_message(events.Paste("APPROVED\n"))
        await pilot.pause()
        assert dialog.query_one(WordField).text == ""
        assert "pasted, not typed" in screen_text(pilot)
        await answer(pilot, "enter")
        assert not workspace.approvals


async def test_a_paste_without_brackets_is_refused_too() -> None:
    workspace = prepared([append_plan()])
    async with deck(workspace) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0002")
        await pilot.pause(QUIET_SECONDS + 0.1)
        await press_at(pilot, [*"APPROVED", "enter"], monotonic(), 0.001)
        assert dialog.is_current and not workspace.approvals
        assert "pasted, not typed" in screen_text(pilot)


async def test_a_paste_into_a_one_key_question_is_no_key() -> None:
    workspace = prepared([tree_plan()])
    async with deck(workspace) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0003")
        pilot.app.post_message(events.Paste("y"))
        await pilot.pause()
        assert dialog.is_current and not workspace.approvals


@pytest.mark.parametrize("place", ["overview", "approvals", "dialog b", "dialog c"])
async def test_banana_typed_anywhere_approves_nothing(place: str) -> None:
    workspace = three_plans()
    async with deck(workspace) as pilot:
        if place.startswith("dialog"):
            await open_dialog(pilot, "p-20260315-0003" if place.endswith("b") else "p-20260315-0002")
        elif place == "approvals":
            await to_plan(pilot, "p-20260315-0001")
        await answer(pilot, *"banana", "enter")
        await settled(pilot)
        assert not workspace.approvals
        assert all(entry.state is PlanState.PENDING for entry in workspace.engine.plans.queue())


async def test_a_confirmation_without_a_reason_goes_no_further() -> None:
    workspace = prepared([compaction(notes=1)])
    async with deck(workspace) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0001")
        await answer(pilot, "y", "enter")
        assert dialog.query_one("#reason", Input).has_focus
        assert "a reason is recorded" in screen_text(pilot)
        assert not workspace.approvals


async def test_a_plan_that_goes_stale_voids_its_dialog_and_says_why() -> None:
    """G10."""
    workspace = prepared([append_plan()])
    async with deck(workspace) as pilot:
        await open_dialog(pilot, "p-20260315-0002")
        await answer(pilot, *"APPROVE")
        workspace.write("memory/semantic/openclaw.md", "- another line\n")
        await shows(pilot, "memory/semantic/openclaw.md changed")
        await answer(pilot, "D", "enter")
        await settled(pilot)
        assert not workspace.approvals


async def test_only_marked_changes_are_approved_with_what_they_require() -> None:
    workspace = prepared([compaction(notes=3)])
    async with deck(workspace) as pilot:
        await to_plan(pilot, "p-20260315-0001")
        approvals(pilot).turn_to("changes")
        await pilot.press("down", "down", "down", "space")
        await shows(pilot, "2 of 6 marked")
        await pilot.press("ctrl+a")
        await answer(pilot, "y", "o", "k", "enter")
        await look_through(pilot)
        await answer(pilot, "y")
        await settled(pilot)
        assert workspace.approvals[0].numbers == (3, 4)
        await shows(pilot, "2 of 6 approved")
        assert "approves all" not in screen_text(pilot) and "marked" not in screen_text(pilot)
        approvals(pilot).turn_to("changes")
        await pilot.press("space")
        await shows(pilot, "is partly applied: there is nothing")
        assert "2 of 6 approved" in screen_text(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=str)
async def test_the_dialog_stands_below_the_diff_and_covers_none_of_it(size: tuple[int, int]) -> None:
    async with deck(prepared([append_plan()]), size) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0002")
        await settled(pilot)
        diff, box = approvals(pilot).plan.diff, dialog.query_one("#box")
        assert diff.region.height >= 11 and diff.region.bottom <= box.region.y
        assert box.region.bottom <= size[1] - 1
        await shows(pilot, "Appends 1 entry to openclaw.md", "[ APPROVED ]", "+ Title: ", "+ Durable Insight: ")
        await answer(pilot, "escape")
        await holds(pilot, lambda: approvals(pilot).plan.styles.padding.bottom == 0, "the page as it was")


async def test_the_lines_asked_about_stay_in_view_where_their_room_shrinks_afterwards() -> None:
    """The dialog took its rows after the lines were put in view, and hid two of them."""
    async with deck(prepared([append_plan()]), (120, 36)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        page = approvals(pilot)
        page.plan.show_whole(1, at_change=True)
        await shows(pilot, "+ Durable Insight: ")
        page.plan.styles.padding = (0, 0, 15, 0)
        await shows(pilot, "+ Title: ", "+ Durable Insight: ")


async def test_no_yes_counts_until_every_change_was_on_screen() -> None:
    """G22: tier B."""
    workspace = prepared([compaction(notes=6)])
    async with deck(workspace, (80, 24)) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0001")
        await answer(pilot, "y", *"yes", "enter")
        await settled(pilot)
        assert dialog._behind.shown().missing
        await answer(pilot, "y")
        assert dialog.is_current and not workspace.approvals
        await shows(pilot, "not on screen yet: ", "of 12 changes seen")
        await look_through(pilot)
        await shows(pilot, "✓ 12 of 12 changes seen")
        assert screen_text(pilot).count("12/12  ") == 1, "the heading of a change stands once"
        await answer(pilot, "y")
        await settled(pilot)
        assert [approval.shown for approval in workspace.approvals] == ["each"]


async def test_many_changes_alike_count_as_shown_with_their_group_and_the_record_says_so() -> None:
    """G22: more than 50 of one kind."""
    workspace = prepared([compaction(notes=60)])
    async with deck(workspace) as pilot:
        await open_dialog(pilot, "p-20260315-0001")
        await answer(pilot, "y", *"yes", "enter")
        await shows(pilot, "60 changes alike", "of 120 changes seen")
        await look_through(pilot)
        await answer(pilot, "y")
        await settled(pilot)
        assert [approval.shown for approval in workspace.approvals] == ["groups"]


async def test_a_plan_put_off_by_another_process_cannot_be_approved_unseen() -> None:
    """The cursor leaves it for another plan, which says nothing about what was asked."""
    workspace = prepared([compaction(notes=30), compaction(2, notes=1, first=31)])
    async with deck(workspace, (80, 24)) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0001")
        await answer(pilot, "y", *"yes", "enter")
        workspace.engine.queue.snooze("p-20260315-0001", NOW + timedelta(days=1))
        console_of(pilot).read_all()
        await shows(pilot, "■ void  this plan was snoozed meanwhile")
        assert dialog._behind.shown().targets == frozenset(dialog.targets)
        await answer(pilot, "y", "escape")
        assert not workspace.approvals


async def test_a_yes_counts_only_for_what_stands_above_the_dialog() -> None:
    workspace = prepared([tree_plan()])
    async with deck(workspace) as pilot:
        dialog = await open_dialog(pilot, "p-20260315-0003")
        approvals(pilot).selection.asked = None
        await answer(pilot, "y")
        assert dialog.is_current and not workspace.approvals
        await shows(pilot, "not on screen any more")


async def test_a_change_that_is_hidden_by_what_opens_the_dialog_is_not_seen() -> None:
    """On a narrow screen the diff of the current change would flash before the whole plan is laid out."""
    workspace = prepared([compaction(notes=12)])
    async with deck(workspace, (80, 24)) as pilot:
        await to_plan(pilot, "p-20260315-0001")
        approvals(pilot).turn_to("changes")
        await pilot.press("G", "ctrl+a")
        await settled(pilot)
        page = approvals(pilot)
        assert page.selection.loaded is not None
        assert 24 not in page.desk.seen(page.selection.loaded)


def test_a_diff_that_cannot_be_shown_is_never_seen() -> None:
    plan = append_plan()
    unreadable = FileDiff(path=plan.changes[0].path, to=None, rows=(), added=0, removed=0, note="not shown: no UTF-8")
    loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=(unreadable,))
    assert without_a_diff(loaded) == {1}
    desk = ApprovalsState()
    assert desk.unseen(loaded, (1,)) == (1,)


def test_a_change_is_seen_once_both_ends_of_it_were() -> None:
    plan = append_plan()
    loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=())
    desk = ApprovalsState()
    assert not desk.saw(loaded, ChangeLook((1,), frozenset({"first"}))) and desk.unseen(loaded, (1,)) == (1,)
    assert desk.saw(loaded, ChangeLook((1,), frozenset({"last"}))) and desk.unseen(loaded, (1,)) == ()
    assert not desk.how_grouped(loaded, (1,))


async def test_tier_c_wants_each_of_its_changes_seen() -> None:
    first = append_plan().changes[0]
    assert isinstance(first, Append)
    long = msgspec.structs.replace(first, content=first.content * 20)
    second = msgspec.structs.replace(first, n=2, path="memory/semantic/whatsapp-bot.md")
    plan = msgspec.structs.replace(append_plan(), changes=(long, second))
    workspace = prepared([plan])
    async with deck(workspace) as pilot:
        await open_dialog(pilot, plan.id)
        await answer(pilot, *"APPROVED", "enter")
        await shows(pilot, "not on screen yet: 2 changes (1, 2)")
        assert not workspace.approvals
        await look_through(pilot)
        await answer(pilot, "enter")
        await settled(pilot)
        assert len(workspace.approvals) == 1


def test_g24_a_plan_of_tier_c_wants_what_its_other_changes_would_want_alone() -> None:
    """One change of tier C let eleven of tier B through unseen."""
    risky, made, nodes = append_plan().changes[0], compaction(notes=2).changes, tree_plan().changes

    def wanted(*changes: Change) -> list[RiskTier]:
        numbered = tuple(msgspec.structs.replace(one, n=n) for n, one in enumerate(changes, 1))
        plan = msgspec.structs.replace(append_plan(), changes=numbered)
        loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=())
        missing = ApprovalsState().unseen(loaded, tuple(one.n for one in numbered))
        return [numbered[n - 1].risk_tier for n in missing]

    assert wanted(risky, *made) == [RiskTier.C, *(one.risk_tier for one in made)]
    assert wanted(risky, *nodes) == [RiskTier.C]
    assert wanted(risky, *made, *nodes) == [RiskTier.C, *(one.risk_tier for one in (*made, *nodes))]
    assert wanted(*made) == [RiskTier.B] * len(made)
    flagged = msgspec.structs.replace(nodes[0], path="memory/ROOT.md", flags=(Flag(1, "instruction"),))
    assert wanted(*nodes) == [] and wanted(flagged) == [RiskTier.A]


async def test_a_failed_apply_is_shown_with_its_title_and_hint() -> None:
    workspace = prepared([tree_plan()])
    stale = Stale("changed after the plan was made", where="memory/weekly/2026-W11.md", hint="make the dry run again")
    workspace.stub.fails("plans.apply", stale)
    async with deck(workspace, (140, 40)) as pilot:
        await open_dialog(pilot, "p-20260315-0003")
        await answer(pilot, "y")
        await settled(pilot)
        text = screen_text(pilot)
        assert "✗ Stale: memory/weekly/2026-W11.md: changed" in text
        assert "make the dry run again" in text
        assert "Traceback" not in text


async def test_approved_is_shown_apart_from_done_while_it_runs() -> None:
    workspace = prepared([tree_plan()])
    go = workspace.stub.waits("plans.apply", "writing")
    async with deck(workspace) as pilot:
        await open_dialog(pilot, "p-20260315-0003")
        await answer(pilot, "y")
        await shows(pilot, "execution ◐ applying…", "writing 60/120")
        for key in "rp":
            await pilot.press(key)
            await shows(pilot, "wait: p-20260315-0003 is being applied")
            assert len(pilot.app.screen_stack) == 1
        go.set()
        await settled(pilot)
        assert "execution ✓ applied" in screen_text(pilot)


async def test_read_only_says_why_it_does_nothing() -> None:
    workspace = three_plans()
    async with deck(workspace, read_only=True) as pilot:
        await to_plan(pilot, "p-20260315-0003")
        assert "READ-ONLY" in screen_text(pilot)
        for key in ("ctrl+a", "r", "z"):
            await pilot.press(key)
            await pilot.pause()
            assert len(pilot.app.screen_stack) == 1
        assert "--read-only" in screen_text(pilot)
        assert not workspace.operations
        assert all(entry.state is PlanState.PENDING for entry in workspace.engine.plans.queue())


async def test_rejecting_takes_a_reason() -> None:
    workspace = three_plans()
    async with deck(workspace) as pilot:
        await to_plan(pilot, "p-20260315-0003")
        await pilot.press("r", "enter")
        assert "write a few words" in screen_text(pilot)
        await pilot.press(*"old", "enter")
        await settled(pilot)
        assert workspace.entry("p-20260315-0003").state_reason == "old"
        assert "✗ rejected  old" in screen_text(pilot)


async def test_undo_shows_the_reverse_diff_and_takes_one_yes_g20() -> None:
    workspace = prepared([append_plan()])
    async with deck(workspace) as pilot:
        await open_dialog(pilot, "p-20260315-0002")
        await answer(pilot, *"APPROVED", "enter")
        await settled(pilot)
        await pilot.press("z")
        await settled(pilot)
        text = screen_text(pilot)
        assert "Undo o-20260315-0001" in text
        assert "− Title: Drain queues before a migration" in text
        await answer(pilot, "y")
        await settled(pilot)
        assert workspace.entry("p-20260315-0002").state is PlanState.UNDONE
        assert len(pilot.app.screen_stack) == 1


async def test_a_key_that_answers_does_nothing_besides() -> None:
    """`y` copies on every screen; the one that took an operation back did so too, once its dialog was gone."""
    workspace = prepared([tree_plan()])
    async with deck(workspace) as pilot:
        await open_dialog(pilot, "p-20260315-0003")
        await answer(pilot, "y")
        await settled(pilot)
        assert len(workspace.approvals) == 1
        assert "copy" not in screen_text(pilot) and "copied" not in screen_text(pilot)


async def test_undo_with_nothing_to_take_back_says_so() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("z")
        await settled(pilot)
        assert "there is no operation to undo" in screen_text(pilot)


async def test_keys_before_the_dialog_is_drawn_neither_answer_nor_crash() -> None:
    workspace = prepared([append_plan(), tree_plan()])
    async with deck(workspace) as pilot:
        for plan_id in ("p-20260315-0002", "p-20260315-0003"):
            await to_plan(pilot, plan_id)
            for key in ("ctrl+a", *"yAPPROVEDy", "enter", "down", "y", "escape"):
                pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
            await settled(pilot)
        assert pilot.app.is_running and not workspace.approvals


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30), (120, 36), (200, 60)])
async def test_at_every_size_the_dialog_shows_what_it_binds_to_its_field_and_the_way_out(size: tuple[int, int]) -> None:
    plan = msgspec.structs.replace(append_plan(), warnings=tuple(f"warning number {n} of the plan" for n in range(9)))
    workspace = prepared()
    plan = workspace.add(plan)
    async with deck(workspace, size) as pilot:
        await to_plan(pilot, plan.id)
        approvals(pilot).turn_to("diff")
        await pilot.pause()
        await pilot.press("ctrl+a")
        text = await shows(pilot, "Type APPROVED", "esc cancel", plan.id)
        assert f"digest {plan.digest[7:11]} {plan.digest[11:15]}" in text
        assert "warning number 0" in text or "more lines" in text


async def test_why_a_plan_of_another_day_is_over_names_the_day() -> None:
    workspace = three_plans()
    plan, workspace.clock = "p-20260315-0001", NOW - timedelta(days=8)
    workspace.set_state(plan, PlanState.APPLIED)
    workspace.clock = NOW
    async with deck(workspace) as pilot:
        await to_plan(pilot, plan)
        await pilot.press("ctrl+a")
        assert "applied since 7 Mar" in await shows(pilot, "can't be approved")


async def test_on_every_page_of_a_plan_the_top_line_says_which_change_it_is() -> None:
    async with deck(prepared([compaction(notes=6)]), (80, 24)) as pilot:
        await to_plan(pilot, "p-20260315-0001")
        page = approvals(pilot)
        page.turn_to("diff")
        page.plan.show_whole(1)
        await settled(pilot)
        diff, tops = page.plan.diff, list[str]()
        while not diff.at_end:
            line, (number,) = diff.render_line(0).text.strip("▌ "), page.plan.diff.sections[diff.section_at_top].numbers
            assert not line or line.startswith(f"{number}/12"), (line, number)
            tops.append(line)
            diff.action_page(1)
            await settled(pilot)
        assert len(tops) > 2 and any(tops)
