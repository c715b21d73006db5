"""The Approvals screen at a glance: what became of a plan, where a line came from, and hints that do not lie."""

from datetime import timedelta

from engine.plans.approval import Approval, Witness
from engine.plans.plan import RiskTier
from tests.tui.conftest import Deck, console_of, deck, holds, screen_text, settled, shows
from tests.tui.fake_engine import NOW, FakeEngine, append_plan, compaction
from tui.screens.approvals.page import ApprovalsPage


def opens(pilot: Deck) -> tuple[str, str]:
    """What `enter` opens in the diff, and why it opens nothing."""
    page = pilot.app.query_one(ApprovalsPage)
    return page.plan.diff.opens, page.why_not("open")


def hints(pilot: Deck) -> str:
    """The last line of the screen."""
    return screen_text(pilot).splitlines()[-1]


def approval(engine: FakeEngine, plan_id: str, *numbers: int) -> Approval:
    """What Ana gave a day ago for some changes of a plan."""
    return Approval(
        target=engine.plans[plan_id].digest,
        numbers=numbers,
        risk_tier=RiskTier.B,
        answers=(),
        witness=Witness(tty="/dev/pts/1", processes=("bash(1)",), user="ana", channel="console"),
        granted_at=NOW - timedelta(days=1),
        expires_at=NOW,
        nonce="n",
    )


def applied(*numbers: int) -> FakeEngine:
    """An engine with one plan, some of whose changes were applied before the console was opened."""
    engine = FakeEngine([compaction(notes=3)])
    engine.apply(engine.plans["p-20260315-0001"], approval(engine, "p-20260315-0001", *numbers))
    return engine


async def test_who_approved_is_said_of_a_plan_that_was_applied_before_the_console_was_opened() -> None:
    async with deck(applied(1, 2, 3, 4, 5, 6)) as pilot:
        await pilot.press("2")
        await shows(pilot, "by ana on /dev/pts/1 at 2026-03-14 02:40 UTC", "o-20260315-0001")


async def test_enter_in_the_diff_says_what_it_opens() -> None:
    async with deck(FakeEngine([append_plan()])) as pilot:
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
