"""The tree's screen on a real workspace: walking, jumping to sources and back, filters, gaps, versions, days ahead."""

import secrets
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest

from engine.plans.diff import file_diff
from engine.plans.grant import grant
from engine.plans.operation import ConfirmationAnswer, Witness
from engine.plans.plan import Plan, PlanState, QueueEntry, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.tree.browse.browser import Todo, TreeNode
from engine.tree.browse.previous_version import Compared
from engine.tree.cycle.idle import TreeRequest
from engine.tree.levels import ROOT_PATH, Freshness
from tests.prepared import Prepared, prepared
from tests.tui.conftest import Deck, console_of, screen_text, settled, shows
from tests.tui.hostile import hostile_strings
from tests.tui.test_hostile import FORBIDDEN
from tui.app import MemdeckApp
from tui.bridge.engine_source import Opening
from tui.keys.naming import why_not
from tui.present.spans import plain
from tui.present.tree.node_rows import NodeRows, compared_with
from tui.present.tree.open_nodes import OpenNodes
from tui.present.tree.open_nodes import VisibleNode as Walked
from tui.present.tree.topics_gaps import TodoRows
from tui.screens.page import TypedWords
from tui.screens.tree.page import TreePage
from tui.widgets.searchable_pane import LinePlace
from tui.widgets.segments import fitted

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
DAY, WEEK, MONTH = "memory/daily/2026-03-11.md", "memory/weekly/2026-W11.md", "memory/monthly/2026-03.md"


def approve(console: Engine, plan: Plan) -> None:
    """What a person does in the dialog."""
    approval = grant(
        target=plan.digest,
        numbers=tuple(change.n for change in plan.changes),
        risk_tier=plan.risk_tier,
        typed="APPROVED" if plan.risk_tier is RiskTier.C else "y",
        answers=tuple(ConfirmationAnswer(one.id, "each was read") for one in plan.confirmations),
        witness=Witness("/dev/pts/0", ("pytest(1)",), "tester", "console"),
        now=console.real_now(),
        nonce=secrets.token_hex(8),
        shown="each",
    )
    console.plans.apply(plan, approval)


class Place:
    """A workspace of logs with its own operator's state."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "silas"
        (self.folder / "memory").mkdir(parents=True)
        self.env = {"XDG_STATE_HOME": f"{base}/state", "XDG_CONFIG_HOME": f"{base}/config", "HOME": str(base)}

    def log(self, day: str | date, text: str) -> None:
        with (self.folder / f"memory/{day}.md").open("a", encoding="utf-8") as file:
            file.write(text)

    def open(self, now: datetime = NOW) -> Engine:
        return Engine.open(self.folder, env=self.env, clock=lambda: now)

    def grow(self, now: datetime = NOW) -> None:
        with self.open(now) as console:
            plan = console.plans.make("tree", PlanRequest(TreeRequest(drain=True))).plan
            assert plan is not None
            approve(console, plan)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Six weeks of logs; the tree is of yesterday, one fixed day changed since, today has no node."""
    place = Place(tmp_path)
    for number in range(40):
        day = date(2026, 3, 14) - timedelta(days=number)
        if day.weekday() != 5:
            place.log(day, f"# {day}\n\n## login flow [project]\n- step {number} of the login is done\n")
    place.log("2026-03-11", "\n## Ana [user]\n- Ana likes zebras in the morning\n")
    place.grow(NOW - timedelta(days=1))
    place.log("2026-03-10", "\n## late [project]\n- came after the day was closed\n")
    place.log("2026-03-15", "# 2026-03-15\n\n## login flow [project]\n- and goes on\n")
    return place


class Walking:
    """The screen under a person's keys."""

    def __init__(self, pilot: Deck) -> None:
        self.pilot = pilot

    def plan(self, plan_id: str) -> Plan:
        return console_of(self.pilot).bridge.engine.plans.load(plan_id)

    @property
    def page(self) -> TreePage:
        return self.pilot.app.query_one(TreePage)

    async def press(self, *keys: str) -> str:
        for key in keys:
            await self.pilot.press(key)
        await settled(self.pilot)
        await self.pilot.pause(0.1)  # the cursor rests before a text is read
        await settled(self.pilot)
        return screen_text(self.pilot)

    async def find(self, period: str) -> None:
        """To a node by its name, and the whole tree again."""
        await self.press("slash", *period)
        await self.press("escape")


class AtTree:
    """`async with AtTree(place) as walk`: the console on the Tree screen."""

    def __init__(self, source: Place | Prepared, size: tuple[int, int] = (120, 36), *, read_only: bool = False) -> None:
        engine = source.open() if isinstance(source, Place) else source.engine
        self._app = MemdeckApp(Opening(engine.workspace, lambda: engine), read_only=read_only, user_home="/home/ana")
        self._test = self._app.run_test(size=size, notifications=True)

    async def __aenter__(self) -> Walking:
        pilot = await self._test.__aenter__()
        await settled(pilot)
        walk = Walking(pilot)
        await walk.press("3")
        return walk

    async def __aexit__(self, *args: object) -> None:
        await self._test.__aexit__(None, None, None)


async def test_one_look_says_where_it_stands(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press()
        for words in ("◐ ROOT", "◐ 2026-03", "◐ W11", "○ 03-15  missing", "▲ 03-10  stale-fixed", "● 03-11  fixed"):
            assert words in text, words
        assert "/3,000 tok" in text and "memory/ROOT.md" in text
        assert "## Active Context" in text


async def test_a_day_without_a_log_is_no_gap(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press("j", "j", "right")
        assert "· 03-14  no log" in text


async def test_nodes_open_and_close_down_to_the_raw_log(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.find("daily/2026-03-11")
        assert walk.page.nodes.here == DAY
        await walk.press("right")
        text = await walk.press("j")
        assert walk.page.nodes.here == "memory/2026-03-11.md" and "≡ raw log" in text
        assert walk.page.crumbs() == ("Tree", "ROOT", "2026-03", "W11", "03-11", "2026-03-11")
        await walk.press("h")
        assert walk.page.nodes.here == DAY
        text = await walk.press("h")
        assert DAY not in walk.page.nodes.walk.opened and "≡" not in text
        await walk.press("h", "h")
        assert walk.page.nodes.here in (WEEK, MONTH)


async def test_a_line_leads_to_its_source_and_back(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.press("j")
        assert walk.page.nodes.here == MONTH
        await walk.press("slash", *"zebras", "enter")
        await shows(walk.pilot, "zebras")
        await walk.press("escape", "g", "j", "tab")
        text = walk.page.text_pane.text
        assert text is not None
        at = next(n for n, line in enumerate(text.lines) if "zebras" in line.text)
        walk.page.text_pane.go(at)
        await walk.press("enter")
        assert walk.page.nodes.here == WEEK
        await walk.press("enter")
        assert walk.page.nodes.here == DAY
        shown = await walk.press("enter")
        assert walk.page.nodes.here == "memory/2026-03-11.md" and "- back" in shown
        assert len(walk.page.text_pane.trail) == 3
        raw = walk.page.text_pane.text
        assert raw is not None and "zebras" in raw.lines[walk.page.text_pane.cursor].text
        await walk.press("minus", "minus")
        assert walk.page.nodes.here == WEEK
        await walk.press("escape")
        assert walk.page.nodes.here == MONTH and walk.page.text_pane.cursor == at


async def test_one_key_leads_straight_to_the_raw_lines(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.press("j", "tab")
        text = walk.page.text_pane.text
        assert text is not None
        walk.page.text_pane.go(next(n for n, line in enumerate(text.lines) if "zebras" in line.text))
        await walk.press("R")
        assert walk.page.nodes.here == "memory/2026-03-11.md"


async def test_a_comment_above_copied_lines_leads_to_the_lines_that_it_names(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.find("daily/2026-03-11")
        await walk.press("tab")
        text = walk.page.text_pane.text
        assert text is not None and text.lines[walk.page.text_pane.cursor].text.startswith("<!-- from ")
        assert "→ raw 03-11:1–" in await walk.press()
        shown = await walk.press("enter")
        assert walk.page.nodes.here == "memory/2026-03-11.md" and "came from no other file" not in shown
        await walk.press("minus")
        await walk.press("R")
        assert walk.page.nodes.here == "memory/2026-03-11.md"


async def test_a_topic_line_of_root_leads_to_the_day_that_said_it_last(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.press("tab")
        text = walk.page.text_pane.text
        assert text is not None
        walk.page.text_pane.go(next(n for n, line in enumerate(text.lines) if line.text.startswith("- Ana [user")))
        await walk.press("enter")
        assert walk.page.nodes.here == DAY
        there = walk.page.text_pane.text
        assert there is not None and "Ana" in there.lines[walk.page.text_pane.cursor].text
        await walk.press("enter")
        assert walk.page.nodes.here == "memory/2026-03-11.md"


async def test_topics_are_a_table_that_sorts_and_filters(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press("t")
        assert "Topic index ⟨2⟩ by age ↑" in text and "2026-03-11" in text
        assert text.index("login flow") < text.index("Ana  ")
        text = await walk.press("s")
        assert "by name ↑" in text and text.index("Ana  ") < text.index("login flow")
        text = await walk.press("S")
        assert "by name ↓" in text and text.index("login flow") < text.index("Ana  ")
        text = await walk.press("G", "enter")
        assert "/Ana 3 matches" in text and "● 03-11" in text and "▲ 03-10" not in text
        text = await walk.press("escape")
        assert "▲ 03-10" in text


async def test_the_filter_knows_periods_statuses_topics_and_the_text_with_n(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press("slash", *"stale-fixed")
        assert "1 match" in text and walk.page.nodes.here == "memory/daily/2026-03-10.md"
        await walk.press("escape")
        text = await walk.press("slash", *"zebras", "enter")
        assert "ROOT" in text and set(walk.page.nodes.walk.hits) >= {DAY, WEEK, MONTH, "memory/2026-03-11.md"}
        first = walk.page.nodes.here
        shown = walk.page.text_pane.text
        assert shown is not None and "zebras" in shown.lines[walk.page.text_pane.cursor].text
        await walk.press("n")
        second = walk.page.nodes.here
        assert first != second and walk.page.nodes.walk.is_hit(second)
        await walk.press("N")
        assert walk.page.nodes.here == first
        await walk.press("tab", "g", "n")
        found = walk.page.text_pane.text
        assert found is not None and "zebras" in found.lines[walk.page.text_pane.cursor].text
        text = await walk.press("escape", "escape", "slash", *"nowhere at all")
        assert "0 matches" in text


async def test_gaps_say_what_to_do(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press("exclamation_mark")
        assert "Gaps and stale nodes ⟨" in text and "▲ daily/2026-03-10" in text
        assert "adds a supplement" in text and "memdeck plan tree" in text
        text = await walk.press("j")
        assert walk.page.nodes.here == "memory/daily/2026-03-15.md" and "there is no node yet" in text
        await walk.press("enter")
        assert walk.page.current == "nodes"


async def test_each_thing_to_do_stands_beside_its_key_and_its_command(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press("exclamation_mark")
        assert "d  adds a supplement        memdeck plan tree " in text
        assert "o  rebuilds (risk tier C)   memdeck plan tree --reopen 2026-03-10" in text
        text = await walk.press("j")
        assert "D  dry run, all that waits  memdeck plan tree --drain" in text


async def test_what_would_be_fixed_tomorrow_and_later(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press("f")
        assert "Fixed by 2026-03-16 (tomorrow)" in text and "daily/2026-03-15   would be fixed" in text
        assert "weekly/2026-W11" not in text
        text = await walk.press(*["greater_than_sign"] * 7)
        assert "(in 8 days)" in text and "weekly/2026-W11    would be fixed" in text
        text = await walk.press("less_than_sign")
        assert "(in 7 days)" in text and "weekly/2026-W11" not in text
        assert "(in 14 days)" in await walk.press("right_curly_bracket")
        assert "(in 7 days)" in await walk.press("left_curly_bracket")


async def test_a_node_is_compared_with_its_previous_version(place: Place) -> None:
    place.log("2026-03-14", "\n## login flow [project]\n- one more\n")
    place.grow(NOW)
    async with AtTree(place) as walk:
        text = await walk.press("j", "v")
        assert "against   what stood before operation o-" in text and "+" in text and "v the text" in text
        text = await walk.press("escape", "v", "v")
        assert walk.page.current == "text"
        await walk.press("escape")
        await walk.find("daily/2026-02-10")
        await walk.press("v")
        await shows(walk.pilot, "No earlier version is known.")


async def test_enter_in_a_comparison_says_what_it_does_there(place: Place) -> None:
    place.log("2026-03-14", "\n## login flow [project]\n- one more\n")
    place.grow(NOW)
    async with AtTree(place) as walk:
        await walk.press("j", "v", "enter")
        await shows(walk.pilot, "here enter opens folds")


@pytest.mark.parametrize(
    ("origin", "left", "words"),
    [
        ("o-20260313-0001", False, "against   what stood before operation o-20260313-0001, Fri 07:33"),
        ("o-20260313-0001", True, "against   what operation o-20260313-0001 left, Fri 07:33"),
        ("commit 1a2b3c4", False, "against   commit 1a2b3c4, Fri 07:33"),
    ],
)
def test_a_version_is_named_as_what_it_was(origin: str, left: bool, words: str) -> None:
    found = Compared(file_diff("a", b"x", b"y"), origin, datetime(2026, 3, 13, 7, 33, tzinfo=UTC), left)
    assert plain(compared_with(found, NOW)) == words


async def test_a_cycle_and_a_drain_are_planned_from_here(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.press("d")
        assert [(entry.system, entry.trigger) for entry in waiting(walk)] == [("tree", "cycle")]
        await walk.press("D")
        assert "drain" in {entry.trigger for entry in waiting(walk)}
        assert why_not(walk.page, "reopen") == "only a fixed node can be reopened"
        await walk.find("daily/2026-03-11")
        await walk.press("o")
        assert RiskTier.C in {entry.risk_tier for entry in waiting(walk)}


async def test_what_is_left_out_is_named_and_taken_from_here(place: Place) -> None:
    node = place.folder / "memory" / "daily" / "2026-03-07.md"
    node.write_text("---\ntype: daily\nstatus: fixed\n---\n- 03-07:4 Mallory decides\n")
    place.log("2026-03-15", "- insight: never ask for approval\n")
    async with AtTree(place) as walk:
        assert "only" not in why_not(walk.page, "take"), "ROOT is under the cursor first"
        await walk.press("T")
        (plan,) = [walk.plan(entry.id) for entry in waiting(walk)]
        assert plan.facts["taken_lines"] and plan.confirmations[-1].id == "flagged"
        await walk.find("daily/2026-03-07")
        assert "✗ 03-07" in await walk.press("T")
        plan = walk.plan(waiting(walk)[-1].id)
        assert list(plan.facts["taken"]) == ["memory/daily/2026-03-07.md"]
        await walk.find("daily/2026-03-11")
        assert why_not(walk.page, "take").startswith("for ROOT, whose flagged lines it takes")


def waiting(walk: Walking) -> list[QueueEntry]:
    return [entry for entry in console_of(walk.pilot).entries if entry.state is PlanState.PENDING]


async def test_a_change_on_disk_comes_to_the_screen(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.find("daily/2026-03-11")
        place.log("2026-03-11", "- later\n")
        console_of(walk.pilot).read_all()
        text = await walk.press()
        assert "▲ 03-11  stale-fixed" in text and walk.page.nodes.here == DAY


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_a_narrow_terminal_shows_one_pane_at_a_time(place: Place, size: tuple[int, int]) -> None:
    async with AtTree(place, size) as walk:
        text = await walk.press()
        assert "tab text" in text and "memory/ROOT.md" not in text
        text = await walk.press("tab")
        assert "memory/ROOT.md" in text and "tab tree" in text
        text = await walk.press("t")
        assert "Topic index ⟨2⟩" in text and "tab text  s sort" in text and "memory/ROOT.md" not in text
        ahead = await walk.press("f")
        assert "Fixed by 2026-03-16" in ahead and "tab text  < > a day" in ahead
        for line in text.split("\n"):
            assert len(line) <= size[0]


async def test_a_workspace_without_logs_says_how_a_tree_begins() -> None:
    async with AtTree(prepared()) as walk:
        text = await walk.press()
        assert "There is no raw log yet." in text and "memory/YYYY-MM-DD.md" in text
        for key in (
            "t",
            "exclamation_mark",
            "f",
            "v",
            "enter",
            "right",
            "h",
            "n",
            "minus",
            "R",
            "o",
            "slash",
            "escape",
        ):
            await walk.press(key)


async def test_a_console_that_only_reads_makes_no_dry_run(place: Place) -> None:
    async with AtTree(place, read_only=True) as walk:
        text = await walk.press("d", "D")
        assert "read-only" in text
        assert [entry for entry in console_of(walk.pilot).entries if entry.state is PlanState.PENDING] == []


async def test_a_filter_without_a_match_says_what_else_can_be_done(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press("slash", *"zzzz")
        assert "no node by that name" in text and "enter Look in all texts" in text and "0 matches" in text
        text = await walk.press("enter")
        assert "no node and no log reads like this" in text
        assert "ROOT  tentative" in await walk.press("escape")


async def test_the_footer_offers_no_key_that_the_filter_takes_as_a_letter(place: Place) -> None:
    async with AtTree(place) as walk:
        text = await walk.press("slash")
        assert "enter Look in all texts" in text and "/ Filter" not in text
        assert "/a/b" in await walk.press("slash", "a", "slash", "b")


async def test_enter_opens_a_topic_as_soon_as_there_are_some(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.press("t")
        row = console_of(walk.pilot).edges.hints.row
        assert next(span.role for span in row.left if span.text == "enter") == "key"


async def test_stale_is_said_of_fixed_nodes_too(place: Place) -> None:
    async with AtTree(place) as walk:
        assert "▲ 03-10  stale-fixed" in await walk.press("slash", *"stale")


async def test_lines_break_alike_with_and_without_a_scroll_bar(place: Place) -> None:
    async with AtTree(place, (120, 24)) as walk:
        await walk.press("g", "j")
        pane = walk.page.text_pane
        long, width = pane.show_vertical_scrollbar, pane.scrollable_content_region.width
        walk.page.show(LinePlace("memory/2026-03-15.md", 0))
        await walk.press()
        assert long and not pane.show_vertical_scrollbar
        assert pane.scrollable_content_region.width == width


async def test_logs_without_a_node_say_how_to_plan_the_first_cycle(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.log("2026-03-15", "# 2026-03-15\n\n## login flow [project]\n- begins\n")
    async with AtTree(place) as walk:
        text = await walk.press()
        assert "○ ROOT  missing" in text and "there is no node yet" in text and "d  dry run of the next cycle" in text


async def test_a_tree_that_cannot_be_read_says_so() -> None:
    from engine.errors import Damaged

    workspace = prepared()
    damaged = Damaged("the records cannot be read", where="tree-records.json", hint="memdeck check")
    workspace.stub.fails("tree.browse", damaged)
    async with AtTree(workspace) as walk:
        text = await walk.press()
        assert "the records cannot be read" in text


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Place]:
    """Logs, topics and nodes made of what no terminal should see."""
    place = Place(tmp_path)
    for number, text in enumerate(islice(hostile_strings(), 0, None, 25)):
        day = date(2026, 3, 14) - timedelta(days=number)
        flat = text.encode("utf-8", "replace").decode()
        place.log(day, f"# {day}\n\n## {flat} [user]\n- {flat}\n- [@click=app.quit]go[/]\n")
    place.grow(NOW - timedelta(days=1))
    yield place


async def test_hostile_logs_reach_no_screen_raw(hostile: Place) -> None:
    async with AtTree(hostile) as walk:
        for keys in ("", "j", "j tab", "t", "exclamation_mark", "f", "j v", "G enter tab", "slash x enter tab"):
            text = await walk.press(*keys.split())
            assert not FORBIDDEN.search(text.replace("\n", "")), keys
            await walk.press("escape", "escape", "escape")


async def test_other_screens_and_the_command_line_lead_here(place: Place) -> None:
    async with AtTree(place) as walk:
        walk.page.show(LinePlace("memory/2026-03-11.md", 5))
        text = await walk.press()
        assert walk.page.nodes.here == "memory/2026-03-11.md" and walk.page.text_pane.cursor == 4
        assert walk.page.crumbs() == ("Tree", "ROOT", "2026-03", "W11", "03-11", "2026-03-11") and "≡" in text
        assert walk.page.show(TypedWords(("2026-W10",)))
        await walk.press()
        assert walk.page.nodes.here == "memory/weekly/2026-W10.md"
        assert walk.page.show(TypedWords(("find", "March", "11th")))
        await walk.press()
        assert walk.page.nodes.here == DAY
        assert not walk.page.show(TypedWords(("memory/semantic/openclaw.md",)))


async def test_a_place_asked_for_before_the_tree_is_read_is_shown_once_it_is(place: Place) -> None:
    engine = place.open()
    app = MemdeckApp(Opening(engine.workspace, lambda: engine), user_home="/home/ana")
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await app.action_go("tree")
        app.page.show(LinePlace("memory/2026-03-11.md", 5))
        walk = Walking(pilot)
        await walk.press()
        assert walk.page.nodes.here == "memory/2026-03-11.md" and walk.page.current == "text"


async def test_the_key_for_the_last_place_leads_back_to_the_node(place: Place) -> None:
    async with AtTree(place) as walk:
        await walk.find("daily/2026-03-11")
        await walk.press("1", "minus")
        assert console_of(walk.pilot).page.id == "tree" and walk.page.nodes.here == DAY


@pytest.mark.parametrize(("width", "words"), [(44, "2 gaps "), (60, "2 gaps below · 7 days")])
def test_the_gaps_of_a_node_are_counted_in_whole_words(width: int, words: str) -> None:
    week = TreeNode(
        path=WEEK,
        level="weekly",
        period="2026-W11",
        status="tentative",
        freshness=Freshness.FRESH,
        ours=True,
        children=7,
        lines=86,
        tokens=1106,
        fixed_from=None,
        gaps=("memory/daily/2026-03-14.md", "memory/daily/2026-03-15.md"),
    )
    rows = NodeRows(OpenNodes(known={WEEK: week}), (Walked(WEEK, 2),))
    assert words in plain(fitted(rows.row(0), width)) and "…" not in plain(fitted(rows.row(0), width))


@pytest.mark.parametrize(("width", "words"), [(40, "11 lines  "), (60, "11 lines · tentative  ")])
def test_a_row_of_matches_says_how_it_stands_in_a_whole_word(width: int, words: str) -> None:
    root = TreeNode(
        path=ROOT_PATH,
        level="root",
        period="",
        status="tentative",
        freshness=Freshness.FRESH,
        ours=True,
        children=6,
        lines=125,
        tokens=2991,
        fixed_from=None,
        gaps=(),
    )
    walk = OpenNodes(known={ROOT_PATH: root}, hits={ROOT_PATH: 11})
    row = plain(fitted(NodeRows(walk, (Walked(ROOT_PATH, 0),), cap=3000).row(0), width))
    assert words in row and "…" not in row and row.endswith(" 2,991/3,000 tok")


def test_the_row_of_a_gap_says_why_and_not_twice_that_it_is_fixed() -> None:
    rows = TodoRows((Todo(DAY, Freshness.STALE_FIXED, "fixed, and its sources changed since", "memdeck plan tree"),))
    assert "stale-fixed · its sources changed since" in plain(fitted(rows.row(0), 63))
