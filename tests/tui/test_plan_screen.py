"""The Approvals screen at a glance: what became of a plan, where a line came from, and hints that do not lie."""

from datetime import timedelta

import msgspec
import pytest

from engine.errors import Damaged
from engine.plans.operation import LIFETIME, Approval, ConfirmationAnswer, Witness
from engine.plans.plan import Plan, RiskTier
from tests.prepared import Prepared, prepared
from tests.tui.conftest import Deck, console_of, deck, holds, screen_text, settled, shows
from tests.values import NOW, append_plan, compaction, make_plan
from tui.keys.naming import why_not
from tui.screens.approvals.page import ApprovalsPage


def opens(pilot: Deck) -> tuple[str, str]:
    """What `enter` opens in the diff, and why it opens nothing."""
    page = pilot.app.query_one(ApprovalsPage)
    return page.plan.diff.opens, why_not(page.plan.diff, "open")


def hints(pilot: Deck) -> str:
    """The last line of the screen."""
    return screen_text(pilot).splitlines()[-1]


def approval(plan: Plan, *numbers: int) -> Approval:
    """What Ana gave a day ago for some changes of a plan."""
    return Approval(
        target=plan.digest,
        numbers=numbers,
        risk_tier=RiskTier.B,
        answers=(ConfirmationAnswer("first_run", "yes"),),
        witness=Witness(tty="/dev/pts/1", processes=("bash(1)",), user="ana", channel="console"),
        granted_at=NOW - timedelta(days=1),
        expires_at=NOW - timedelta(days=1) + LIFETIME,
        nonce="n",
    )


def applied(*numbers: int) -> Prepared:
    """A workspace with one plan, some of whose changes were applied a day before the console was opened."""
    workspace = prepared([compaction(notes=3)])
    plan, workspace.clock = workspace.plan("p-20260315-0001"), NOW - timedelta(days=1)
    workspace.engine.plans.apply(plan, approval(plan, *numbers))
    workspace.clock = NOW
    return workspace


async def test_who_approved_is_said_of_a_plan_that_was_applied_before_the_console_was_opened() -> None:
    async with deck(applied(1, 2, 3, 4, 5, 6)) as pilot:
        await pilot.press("2")
        await shows(pilot, "by ana on /dev/pts/1 at 2026-03-14 02:40 UTC", "o-20260314-0001")


async def test_enter_in_the_diff_says_what_it_opens() -> None:
    async with deck(prepared([append_plan()])) as pilot:
        await console_of(pilot).open_plan("p-20260315-0002")
        await settled(pilot)
        await pilot.press("enter")
        assert opens(pilot) == ("", "this line came from no other file")
        await pilot.press("G")
        await holds(pilot, lambda: "enter Source" in hints(pilot), "the hint for a line with a source")
        assert opens(pilot) == ("source", "")
        await pilot.press(*"kkkkkkk")
        await holds(pilot, lambda: "enter Show" in hints(pilot), "the hint for a fold")
        assert opens(pilot) == ("fold", "")


async def test_a_plan_that_cannot_be_read_says_what_to_do_and_which_keys_do_nothing() -> None:
    workspace, where = prepared([append_plan()]), "plans/p-20260315-0002.json"
    damaged = Damaged("the plan file is not the one\nthat was queued", where=where, hint="reject it")
    workspace.stub.fails("plans.load", damaged)
    async with deck(workspace) as pilot:
        await pilot.press("2")
        text = await shows(pilot, "✗ this plan cannot be read", "✗ Damaged")
        assert "where     plans/p-20260315-0002.json" in text
        assert "why       the plan file is not the one that was queued" in text
        assert "next      reject it" in text
        page = pilot.app.query_one(ApprovalsPage)
        for action in ("ask_approval", "mark", "turn(1)", "report"):
            assert why_not(page, action) == "this plan cannot be read"
        assert not why_not(page, "ask_rejection")


async def test_enter_on_an_empty_queue_says_that_nothing_is_there() -> None:
    async with deck(prepared([])) as pilot:
        await pilot.press("2")
        await shows(pilot, "No plan yet.")
        await pilot.press("enter")
        await shows(pilot, "there is nothing here to open")


async def test_keys_for_changes_are_dim_where_there_is_no_other() -> None:
    async with deck(prepared([append_plan(2), make_plan(4, [])])) as pilot:
        page = await at(pilot, "p-20260315-0002")
        assert why_not(page, "turn(1)") == "this plan has no other change"
        await pilot.press("left")
        await shows(pilot, "this plan has no other change")
        assert not why_not(page, "mark")
        page = await at(pilot, "p-20260315-0004")
        assert why_not(page, "turn(1)") == why_not(page, "mark") == "this plan changes nothing"
        assert "changes   none" in screen_text(pilot)
        assert "not viewed" not in screen_text(pilot)


async def at(pilot: Deck, plan_id: str) -> ApprovalsPage:
    """Approvals, with the cursor on a plan that is read."""
    await console_of(pilot).open_plan(plan_id)
    await settled(pilot)
    return pilot.app.query_one(ApprovalsPage)


async def test_a_stale_plan_says_how_it_is_made_anew() -> None:
    workspace = prepared([compaction(notes=1)])
    workspace.write("memory/working/2026-03-01-deploy.md", "another line\n")
    async with deck(workspace) as pilot:
        page = await at(pilot, "p-20260315-0001")
        assert why_not(page, "ask_approval").endswith("memory/working/2026-03-01-deploy.md changed · d plans it again")
        await shows(pilot, "✗ void  ! stale   d plans it again")


async def test_a_fold_that_the_first_letters_opened_closes_when_nothing_is_found() -> None:
    async with deck(prepared([append_plan()])) as pilot:
        await at(pilot, "p-20260315-0002")
        await pilot.press("enter")
        await shows(pilot, "··· 7 equal lines")
        await pilot.press("slash", *"line 2")
        await holds(pilot, lambda: "··· 7 equal lines" not in screen_text(pilot), "the line in the fold")
        await pilot.press("z")
        await shows(pilot, "not here", "··· 7 equal lines")
        await pilot.press("backspace", "enter")
        await holds(pilot, lambda: "··· 7 equal lines" not in screen_text(pilot), "the line in the fold again")


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_a_zoomed_head_has_all_the_room(
    size: tuple[int, int],
) -> None:
    async with deck(prepared([append_plan()]), size) as pilot:
        page = await at(pilot, "p-20260315-0002")
        page.turn_to("head")
        await settled(pilot)
        usual = page.plan.head.outer_size.height
        await pilot.press("plus")
        await holds(pilot, lambda: page.plan.head.outer_size.height == page.size.height, "a head as tall as the page")
        await pilot.press("plus")
        await holds(pilot, lambda: page.plan.head.outer_size.height == usual, "a head of its usual height")


def hinted(pilot: Deck, key: str) -> str:
    """The role in which the line of hints shows a key."""
    row = console_of(pilot).edges.hints.row
    return next((span.role for span in row.left if span.text == key), "")


async def test_a_long_source_line_goes_on_below_its_text_not_below_its_number() -> None:
    workspace = prepared([append_plan()])
    lines = "".join(f"- {n} " + "many words " * 20 + "\n" for n in range(20))
    workspace.write("memory/episodic/2026-02-01-migration.md", lines)
    async with deck(workspace, (80, 24)) as pilot:
        page = await at(pilot, "p-20260315-0002")
        page.turn_to("diff")
        await settled(pilot)
        await pilot.press("G", "enter")
        text = await shows(pilot, "memory/episodic/2026-02-01-migration.md:9 ")
        rows = [row for row in text.splitlines() if "many words" in row]
        begun = [row for row in rows if " - " in row]
        assert begun and len(rows) > len(begun)
        column = begun[0].index("- ")
        assert all(not row[2:column].strip() for row in rows if row not in begun)


@pytest.mark.parametrize("size", [(120, 36), (120, 37), (120, 38), (120, 39), (80, 24), (80, 26)])
async def test_a_toast_leaves_the_head_as_tall_as_it_is(size: tuple[int, int]) -> None:
    """The head has a share of the screen; what takes a line of it for a while must not move the diff."""
    warned = msgspec.structs.replace(append_plan(), warnings=tuple(f"warning {number}" for number in range(30)))
    async with deck(prepared([warned]), size) as pilot:
        page = await at(pilot, warned.id)
        before, tall = page.plan.head.outer_size.height, page.size.height
        pilot.app.notify("one line of news, and another\nbelow it", timeout=600)
        await holds(pilot, lambda: page.size.height < tall, "a lower page")
        page.plan.head.fit()
        await settled(pilot)
        assert page.plan.head.outer_size.height == before
