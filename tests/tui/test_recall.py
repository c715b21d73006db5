"""The past in the console: a slider through the days, who wrote a line, when a text came and went."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.errors import Cancelled
from engine.monitoring.recall.blame import Blame, BlamedLine, BlameOrigin, OriginKind
from engine.monitoring.recall.past_tree import PastFile
from engine.monitoring.recall.timeline import Reach, Teller
from engine.plans.plan import PlanState, Replace
from engine.services.engine import Engine
from engine.workspace.values import Progress
from tests.engine.history.repos import git, make_repo, write
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.test_supersession import applied, session
from tests.ready_demo import Demo
from tests.tui.conftest import deck, holds, settled, shows
from tui.present.history.recall_rows import NoteRows, blame_lines, days_of, reach_lines, slider
from tui.present.spans import plain
from tui.screens.history.page import HistoryPage
from tui.screens.history.recall import RecallScreen
from tui.widgets.line_list import LineList

NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path, own_home: Path) -> Path:
    folder = make_repo(tmp_path / "agent", {"memory/a.md": "one\n"}, at="2026-03-12T10:00:00Z")
    write(folder, {"memory/a.md": "one\ntwo \x1b[31m\n", "memory/b.md": "beside\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "second", at="2026-03-14T10:00:00Z")
    return folder


def test_the_slider_has_the_end_of_each_day_from_the_first_that_is_known_to_now() -> None:
    days = days_of([Reach(Teller.GIT, datetime(2026, 3, 12, 10, tzinfo=UTC)), Reach(Teller.SEEN, None)], NOW)
    assert [f"{day:%d %H:%M}" for day in days] == ["12 23:59", "13 23:59", "14 23:59", "15 09:30"]
    assert days_of([], NOW) == (NOW,)
    assert plain(slider(days, 0)).index("●") < plain(slider(days, 1)).index("●") < plain(slider(days, 3)).index("●")
    assert plain(slider((NOW,), 0)).endswith("now")


def test_the_reach_takes_one_line_of_80_columns_unless_a_source_tells_nothing() -> None:
    reaches = [Reach(teller, NOW) for teller in (Teller.GIT, Teller.OPERATION, Teller.SEEN)]
    (line,) = map(plain, reach_lines(reaches))
    assert line == "known back to: git 2026-03-15 · operations 2026-03-15 · last seen 2026-03-15"
    assert len(line) <= 78
    without = [*reaches[:2], Reach(Teller.SEEN, None, "the operator never looked")]
    assert plain(reach_lines(without)[2]) == "last seen: nothing (the operator never looked)"


async def test_the_slider_leads_through_the_days_and_the_note_is_shown_as_it_was(workspace: Path) -> None:
    with Engine.open(workspace, now=NOW) as engine:
        async with deck(engine) as pilot:
            await pilot.press("7", "r")
            await shows(pilot, "now", "memory/b.md", "two")
            await pilot.press("left", "left")
            await settled(pilot)
            text = await shows(pilot, "2026-03-13 23:59", "one")
            assert "memory/b.md" not in text and "two" not in text
            await pilot.press("d")
            await shows(pilot, "against now", "+two")
            await pilot.press("right", "b")
            await shows(pilot, "2026-03-14 23:59", "who wrote each line", "commit ")
            assert "\x1b[31m" not in await shows(pilot, "␛")
            await pilot.press("escape")
            await settled(pilot)
            assert isinstance(pilot.app.page, HistoryPage)  # type: ignore[attr-defined]


async def test_when_lists_the_answers_and_leads_to_that_day(workspace: Path) -> None:
    with Engine.open(workspace, now=NOW) as engine:
        async with deck(engine) as pilot:
            await pilot.press("7", "r", "w", *"two", "enter")
            await shows(pilot, "When “two” ⟨1⟩", "2026-03-14 10:00", "came")
            await pilot.press("enter")
            await shows(pilot, "2026-03-14 23:59", "Notes", "two")
            await pilot.press("w", *"nowhere", "enter")
            await shows(pilot, "never, as far as anybody knows")
            await pilot.press("escape")
            await shows(pilot, "Notes", "memory/b.md")


def test_a_search_is_stopped_between_answers_and_while_git_finds_nothing(workspace: Path) -> None:
    def stop(_: Progress) -> None:
        raise Cancelled("cancelled, nothing was written")

    with Engine.open(workspace) as engine, pytest.raises(Cancelled):
        list(engine.recall.when("two", stop))


async def test_x_plans_putting_a_note_back_and_taking_back_one_difference_of_the_agents(workspace: Path) -> None:
    with Engine.open(workspace) as engine:
        engine.review.looked(look=True)
        write(workspace, {"memory/b.md": "first\nbeside\nlast\n"})
        async with deck(engine) as pilot:
            await shows(pilot, "changed  b.md")
            pilot.app.query_one("#since", LineList).focus()
            await pilot.press("enter")
            await shows(pilot, "+", "first")
            await pilot.press("tab", "n", "x")
            await shows(pilot, "A plan waits for you")
            (entry,) = engine.plans.queue()
            assert engine.plans.load(entry.id).system == "revert"
            (change,) = engine.plans.load(entry.id).changes
            assert isinstance(change, Replace) and change.content in ("beside\nlast\n", "first\nbeside\n")
            await pilot.press("escape", "7", "r")
            await shows(pilot, "memory/b.md")
            await pilot.press("j", "left", "x")
            await settled(pilot)
            assert len(engine.plans.queue()) == 2


async def test_a_read_only_console_plans_no_revert(workspace: Path) -> None:
    with Engine.open(workspace) as engine:
        async with deck(engine, read_only=True) as pilot:
            await pilot.press("7", "r")
            await shows(pilot, "memory/b.md")
            await pilot.press("x")
            await shows(pilot, "read-only")
            assert engine.plans.queue() == ()


async def test_what_held_on_a_day_is_shown_beside_its_turn(own_demo: Demo) -> None:
    with own_demo.open_today() as console:
        approve(console, console.plans.make("extract").plan)
        day = console.now().date()
        answer = console.recall.held(day)
    assert answer.entries
    async with deck(own_demo.open_today()) as pilot:
        await pilot.press("7", "r")
        await holds(pilot, lambda: isinstance(pilot.app.screen, RecallScreen), "the past")
        await pilot.press("h")
        await shows(pilot, f"Held on {day}")
        await shows(pilot, answer.entries[0].text[:30])
        await pilot.press(*["down"] * 7)  # below the pairs of which one may be the other
        await shows(pilot, "raw/conversations/")
        await pilot.press("w", *"zzzz", "enter")
        await shows(pilot, "nothing is known that held then")
        await pilot.press("w", "*", "enter", "left")
        await shows(pilot, f"Held on {day - timedelta(days=1)}")
        await pilot.press("right", "right", "tab", "escape")
        await holds(pilot, lambda: isinstance(pilot.app.screen, RecallScreen), "back in the past")


@pytest.mark.parametrize(("key", "kept"), [("o", "superseded: "), ("b", "(beside: ")])
async def test_d61_o_lets_one_of_an_undecided_pair_hold_and_b_both_by_a_plan(
    tmp_path: Path, key: str, kept: str
) -> None:
    for day, text in (("03-01", "Redis for the session cache"), ("04-10", "Valkey for the cache")):
        session(tmp_path, day, f"We decided to use {text}.")
    applied(tmp_path)
    with Engine.open(tmp_path) as engine:
        async with deck(engine) as pilot:
            await pilot.press("7", "r")
            await holds(pilot, lambda: isinstance(pilot.app.screen, RecallScreen), "the past")
            await pilot.press("h")
            await shows(pilot, "again or changed? Beside it stands:")
            await pilot.press(key)
            await shows(pilot, "approve it in Approvals")
            (entry,) = (one for one in engine.plans.queue() if one.state is PlanState.PENDING)
            changes = engine.plans.load(entry.id).changes
            assert any(kept in one.content for one in changes if isinstance(one, Replace))


@pytest.mark.parametrize(("undecided", "said"), [(True, "read-only"), (False, "nothing is undecided about this entry")])
async def test_o_and_b_plan_nothing_when_read_only_or_where_nothing_is_undecided(
    tmp_path: Path, undecided: bool, said: str
) -> None:
    session(tmp_path, "03-01", "We decided to use Redis for the session cache.")
    if undecided:
        session(tmp_path, "04-10", "We decided to use Valkey for the cache.")
    applied(tmp_path)
    with Engine.open(tmp_path) as engine:
        async with deck(engine, read_only=undecided) as pilot:
            await pilot.press("7", "r")
            await holds(pilot, lambda: isinstance(pilot.app.screen, RecallScreen), "the past")
            await pilot.press("h")
            await shows(pilot, "Redis for the session cache")
            for key in ("o", "b"):
                await pilot.press(key)
                await shows(pilot, said)
            assert not [one for one in engine.plans.queue() if one.state is PlanState.PENDING]


def test_each_origin_is_named_once_above_its_lines() -> None:
    origins = [
        BlameOrigin(kind=OriginKind.COMMIT, until=NOW, ref="3c887a39a16b00"),
        BlameOrigin(kind=OriginKind.UNKNOWN, until=NOW),
    ]
    lines = tuple(BlamedLine(number, f"line {number}", origins[number > 2]) for number in (1, 2, 3))
    shown = [plain(line) for line in blame_lines(Blame("a.md", lines, ()))]
    assert shown[1:3] == ["  line 1", "  line 2"] and shown[4] == "  line 3"
    assert shown[0].startswith("commit 3c887a39a16b  20") and shown[3].startswith("unknown  before 20")


async def test_a_day_is_typed_and_a_filter_stays_until_it_is_cleared(workspace: Path) -> None:
    """Each note has its own last change: the hash of the day's commit stood beside all of them."""
    with Engine.open(workspace, now=NOW) as engine:
        async with deck(engine) as pilot:
            await pilot.press("7", "r")
            await shows(pilot, "now", "memory/b.md", "2026-03-14  git")
            await pilot.press("at", *"2026-03-12", "enter")
            await shows(pilot, "2026-03-12 23:59", "2026-03-12  git")
            await pilot.press("slash", *"b.md", "enter")
            await shows(pilot, "no note has these words", "/b.md ⟨0⟩")
            await pilot.press("at", *"2d", "enter")
            await shows(pilot, "/b.md ⟨0⟩")
            await pilot.press("at", *"2026-03-14", "enter")
            await shows(pilot, "/b.md ⟨1⟩", "memory/b.md")
            await pilot.press("slash", "enter")
            await shows(pilot, "memory/a.md", "memory/b.md")
            await pilot.press("at", *"nonsense", "enter")
            await holds(pilot, lambda: bool(pilot.app._notifications), "the refusal")


async def test_a_filter_of_the_past_stays_until_it_is_cleared_and_a_row_is_reached_by_its_number(
    workspace: Path,
) -> None:
    with Engine.open(workspace, now=NOW) as engine:
        async with deck(engine) as pilot:
            await pilot.press("7", "r")
            await shows(pilot, "memory/b.md")
            await pilot.press("slash", "b", ".", "m", "enter")
            await shows(pilot, "/b.m ⟨1⟩")
            await pilot.press("escape", "r")
            await shows(pilot, "/b.m ⟨1⟩")
            await pilot.press("slash", "enter")
            await shows(pilot, "memory/a.md", "memory/b.md")
            await pilot.press("colon", "2", "enter")
            await settled(pilot)
            assert pilot.app.screen.query_one(LineList).cursor == 1
            await pilot.press("colon", "9", "enter")
            await shows(pilot, "there is no row 9")


def test_the_name_of_a_note_stays_in_sight_where_its_folders_have_no_room() -> None:
    file = PastFile(path="memory/semantic/of/a/long/place/openclaw.md", teller=Teller.NOW, at=NOW, key="")
    shown = plain(NoteRows((file,), lambda: 30).row(0).left)
    assert shown.endswith("/openclaw.md") and "…" in shown
