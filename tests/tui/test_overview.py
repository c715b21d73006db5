"""The Overview screen: what the agent changed, states in which nothing or not everything can be shown, all sizes."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.binding import Binding

import tui
from engine.errors import Damaged, MemdeckError, PolicyError
from engine.monitoring.agent_changes import AgentAction, AgentChange, SinceLook
from engine.monitoring.gauges import GaugeLimit, GaugeReading
from engine.monitoring.note_flags import NoteFlag, NoteFlags
from engine.monitoring.trends import GaugeSample, Trend, trends
from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.memory_status import EndedFact, Status
from engine.services.engine import Engine
from engine.text.safe_text import cell_width
from engine.workspace.values import Progress, Tick
from tests.prepared import Told, told
from tests.tui.conftest import Deck, console_of, deck, holds, screen_text, settled, shows
from tests.tui.hostile import hostile_strings
from tests.tui.test_hostile import FORBIDDEN
from tests.values import NOW, a_status
from tui.app import MemdeckApp
from tui.bridge.engine_source import Opening
from tui.bridge.engine_threads import MANY
from tui.dialogs.text_reader import TextReader
from tui.keys.caps import key_name
from tui.present.overview import agent_changes as agent
from tui.present.overview import triggers_notices as overview
from tui.present.overview.forecast import outlooks
from tui.present.overview.trends import trend_lines
from tui.present.spans import plain
from tui.screens.history.page import HistoryPage
from tui.screens.overview.agent_changes import AgentChanges
from tui.screens.overview.page import OverviewPage
from tui.screens.overview.row_details import explain_trigger
from tui.screens.page import Page
from tui.widgets.card import GaugeCard

SIZES = [(60, 16), (80, 24), (100, 30), (120, 36), (200, 60), (300, 100)]


def change(path: str, did: AgentAction = AgentAction.CHANGED, *, later: bool = False) -> AgentChange:
    before = None if did is AgentAction.ADDED else f"b{path}"
    after = None if did is AgentAction.REMOVED else f"a{path}"
    return AgentChange(path=path, did=did, before=before, after=after, size_before=9, size_after=40, later=later)


ROWS = (DiffRow(RowKind.REMOVED, 1, None, "- the old line"), DiffRow(RowKind.ADDED, None, 1, "- the new line"))


def agent_did(engine: Told, *changes: AgentChange) -> list[tuple[object, ...]]:
    """From now on the engine finds these changes of the agent; gives the calls that mark them as seen."""

    def diffs(asked: Sequence[AgentChange]) -> tuple[FileDiff, ...]:
        return tuple(FileDiff(path=one.path, to=None, rows=ROWS, added=1, removed=1) for one in asked)

    def marked(*_: object, **__: object) -> datetime:
        engine.stub.gives("review.since_looked", SinceLook(looked_at=NOW))
        return NOW

    engine.stub.gives("review.since_looked", SinceLook(looked_at=NOW, changes=changes))
    engine.stub.answers("changes.agent_diffs", diffs)
    engine.stub.answers("review.looked", marked)
    return engine.stub.asked("review.looked")


def watched() -> Told:
    """An engine whose agent changed three notes."""
    engine = told()
    notes = (
        change("memory/working/a.md"),
        change("memory/working/b.md", AgentAction.ADDED),
        change("memory/working/c.md", AgentAction.REMOVED, later=True),
    )
    agent_did(engine, *notes)
    return engine


def page_of(pilot: Deck) -> OverviewPage:
    return pilot.app.query_one(OverviewPage)


# What the agent changed


async def test_what_the_agent_changed_is_listed_with_its_lines() -> None:
    async with deck(watched()) as pilot:
        text = screen_text(pilot)
        for words in (
            "Agent changes since",
            "⟨3⟩ +3 −3",
            "~ changed  a.md  working",
            "+ new      b.md  working",
        ):
            assert words in text
        assert "− removed  c.md" in text
        assert "the agent changed 3 files" not in text, "the pane says it"


async def test_enter_opens_the_diffs_and_arrows_go_through_them() -> None:
    async with deck(watched()) as pilot:
        page_of(pilot).turn_to("since")
        await pilot.press("j", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, AgentChanges)
        assert "2/3  new memory/working/b.md" in screen_text(pilot) and "the new line" in screen_text(pilot)
        await pilot.press("tab", "right")
        await pilot.pause(0.1)
        await settled(pilot)
        assert "3/3  removed memory/working/c.md" in screen_text(pilot)
        assert "an operation of ours came after" in screen_text(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert console_of(pilot).page.id == "overview" and not console_of(pilot).in_dialog


@pytest.mark.parametrize("keys", [("m",), ("enter", "m")])
async def test_marking_counts_what_was_listed_and_no_more(keys: tuple[str, ...]) -> None:
    engine = watched()
    marked = engine.stub.asked("review.looked")
    async with deck(engine) as pilot:
        page_of(pilot).turn_to("since")
        await pilot.press(*keys)
        await settled(pilot)
        assert [len(changes) for (changes, *_) in marked] == [3]
        assert "the agent changed nothing" in screen_text(pilot)


async def test_the_first_mark_takes_everything_there_is() -> None:
    engine = told()
    marked = engine.stub.asked("review.looked")
    async with deck(engine) as pilot:
        assert "nothing to compare with yet" in screen_text(pilot)
        await pilot.press("m")
        await settled(pilot)
        assert len(marked) == 1 and "the agent changed nothing" in screen_text(pilot)
        await pilot.press("m")
        await settled(pilot)
        assert len(marked) == 1 and "changed nothing since your last look" in screen_text(pilot)


async def test_read_only_shows_changes_and_marks_nothing() -> None:
    engine = watched()
    marked = engine.stub.asked("review.looked")
    async with deck(engine, read_only=True) as pilot:
        page_of(pilot).turn_to("since")
        await pilot.press("m", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, AgentChanges)
        await pilot.press("m")
        assert isinstance(pilot.app.screen, AgentChanges)
        assert marked == []


async def test_changes_come_in_live() -> None:
    engine = told()
    agent_did(engine)
    async with deck(engine) as pilot:
        assert "the agent changed nothing" in screen_text(pilot)
        agent_did(engine, change("memory/working/a.md"))
        engine.status = msgspec.structs.replace(engine.status, notes=("memory/working/a.md: another remark",))
        engine.write("memory/working/a.md", "a\n")
        await shows(pilot, "~ changed  a.md  working", "another remark", "+1 −1")


async def test_a_large_terminal_shows_the_diff_beside_the_list() -> None:
    async with deck(watched(), (200, 60)) as pilot:
        assert "1/3  changed memory/working/a.md" in screen_text(pilot) and "the new line" in screen_text(pilot)
        page_of(pilot).turn_to("since")
        await pilot.press("j")
        assert "2/3  new memory/working/b.md" in screen_text(pilot)


async def test_zoomed_the_list_and_its_diff_share_the_room_and_other_panes_have_it_all() -> None:
    async with deck(watched(), (200, 60)) as pilot:
        page = page_of(pilot)
        page.turn_to("since")
        await pilot.press("plus")
        await settled(pilot)
        peek = page.query_one("#peek")
        assert page.pane("since").region.height > 20 and peek.region.height > 20
        for name in ("triggers", "due", "waiting"):
            page.turn_to(name)
            await settled(pilot)
            assert page.pane(name).region.height > 50 and not peek.display, name


async def test_a_lost_comparison_is_told_where_it_would_stand() -> None:
    engine = Told()
    engine.stub.fails("review.since_looked", Damaged("comparing failed", where="seen.db"))
    async with deck(engine) as pilot:
        assert "✗ Damaged" in screen_text(pilot) and "seen.db" in screen_text(pilot)
        assert "semantic shard over its risk line" in screen_text(pilot)


async def test_a_key_right_after_tab_goes_to_the_pane_that_tab_led_to() -> None:
    async with deck(watched()) as pilot:
        for key in ("tab", "enter"):
            pilot.app.post_message(events.Key(key, None))
        await settled(pilot)
        assert isinstance(pilot.app.screen, AgentChanges)


# States


async def test_reading_shows_its_progress_and_can_be_stopped_and_begun_again() -> None:
    engine, go = Told(), Event()

    def slow(tick: Tick | None = None) -> Status:
        while tick is not None and not go.wait(0.01):
            tick(Progress("reading", 3400, 10_000))
        return engine.status

    engine.stub.answers("status.read", slow)
    app = MemdeckApp(engine.opening, user_home="/home/ana")
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await shows(pilot, "reading the workspace…", "3,400/10,000", "cancel")
        await pilot.press("escape")
        await shows(pilot, "stopped", "ctrl+r reads the workspace again", "read again")
        go.set()
        await pilot.press("ctrl+r")
        await shows(pilot, "semantic shard over its risk line", "limits are crossed")


async def test_many_notes_are_counted_before_the_engine_is_there(tmp_path: Path) -> None:
    """The frame stands at once; how much there is to read follows, and keys work meanwhile."""
    engine, opened, folder = Told(), Event(), tmp_path / "memory/working"
    folder.mkdir(parents=True)
    for number in range(MANY + 1):
        (folder / f"2026-01-01-note-{number}.md").touch()

    def late() -> Engine:
        opened.wait(60)
        return engine.engine

    app = MemdeckApp(Opening(tmp_path, late), user_home="/home/ana")
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, "opening the workspace", "counting the notes 1,001")
        await pilot.press("3")
        await shows(pilot, "Tree", "counting the notes 1,001")
        opened.set()
        await holds(pilot, lambda: app.status is not None, "a picture")
        await holds(pilot, lambda: "counting" not in screen_text(pilot), "no count any more")


async def test_a_first_look_that_fails_says_what_to_do_for_as_long_as_it_stands_there() -> None:
    engine = Told()
    refused = Damaged("permission denied", where="memory/working", hint="give yourself the right to read it")
    engine.stub.fails("status.read", refused)
    engine.stub.fails("status.changed", refused)
    async with deck(engine) as pilot:
        await shows(pilot, "✗ permission denied  memory/working", "not read")
        assert "reading" not in screen_text(pilot)
        pilot.app.clear_notifications()
        await holds(pilot, lambda: not pilot.app.query("Toast"), "the toast is gone")
        await shows(pilot, "give yourself the right to read it", "ctrl+r reads the workspace again")


async def test_a_workspace_that_goes_away_is_said_once_and_what_is_shown_is_dated() -> None:
    engine = Told()
    async with deck(engine) as pilot:
        engine.stub.fails("status.changed", Damaged("the folder is gone", where="/home/ana/agents/silas"))
        for _ in range(3):
            console_of(pilot).reader.read(("memory/working/a.md",))
            await shows(pilot, "the folder is gone", "what is shown is of")
        await settled(pilot)
        assert len(pilot.app._notifications) == 1
        engine.stub.gives("status.changed", engine.status)
        console_of(pilot).reader.read(("memory/working/a.md",))
        await shows(pilot, "limits are crossed")


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30), (120, 36), (200, 60)])
async def test_of_a_problem_only_whole_words_are_told(size: tuple[int, int]) -> None:
    """What finds no room beside what is wrong and the way on is left out, not cut short."""
    where = "/home/ana/agents/" + "a-very-long-folder-name/" * 4
    engine = Told()
    async with deck(engine, size) as pilot:
        engine.stub.fails("status.changed", Damaged("the folder is gone", where=where))
        console_of(pilot).reader.read(("memory/working/a.md",))
        await shows(pilot, "✗ the folder is gone", "ctrl+r read again")
        told = next(line for line in screen_text(pilot).splitlines() if "✗ the folder is gone" in line)
        assert "…" not in told
        assert ("what is shown is of" in told) == (size[0] >= 80) and (where in told) == (size[0] >= 200)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Damaged("no workspace here", where="/w", hint="name a folder"), ("No workspace to show", "name a folder")),
        (
            PolicyError("it is not UTF-8", where="/c/policy.yaml"),
            ("The policy has a mistake", "it is not UTF-8", "/c/policy.yaml", "fix that, then start memdeck again"),
        ),
    ],
)
async def test_what_keeps_the_console_from_opening_is_told_with_the_way_on(
    error: MemdeckError, words: tuple[str, ...]
) -> None:
    def refuse() -> Engine:
        raise error

    app = MemdeckApp(Opening(Path("/w"), refuse))
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, *words, "leaves memdeck")
        assert "reading" not in screen_text(pilot)
        await pilot.press("escape")
    assert app.return_code == error.exit_code or app.return_value == error.exit_code


async def test_the_key_for_a_dry_run_stands_in_an_empty_queue_where_it_works() -> None:
    for read_only in (False, True):
        async with deck(Told(), read_only=read_only) as pilot:
            await shows(pilot, "no plan waits for you")
            assert ("d makes a dry run" in screen_text(pilot)) is not read_only


def test_those_that_did_not_fire_have_the_same_columns_however_large_a_figure_is() -> None:
    triggers = tuple(
        msgspec.structs.replace(one, threshold=2_900_000) if one.id == "working_tokens" else one
        for one in a_status().triggers
    )
    lines = [plain(line) for line in overview.quiet_detail(a_status(triggers=triggers))[1]]
    assert len({line.index("≤") for line in lines if "≤" in line}) == 1


async def test_the_line_of_those_that_did_not_fire_opens_each_with_its_threshold() -> None:
    async with deck(watched()) as pilot:
        page_of(pilot).turn_to("triggers")
        await pilot.press("G", "enter")
        await shows(pilot, "Did not fire", "semantic_hard", "1,047 ≤ 1,200")


def course(name: str, days: int, unit: str = "files") -> Trend:
    """A gauge known for some days, that grows by one a day."""
    gauge = GaugeReading(id=name, unit=unit, value=days, limits=(GaugeLimit("pressure", 100),))
    samples = [GaugeSample(NOW - timedelta(days=days - n), {name: n}) for n in range(days)]
    (found,) = trends([gauge], samples, NOW)
    return found


COURSES = (course("working.files", 28), course("working.tokens", 7, "tokens"), course("episodic.oldest", 3, "days"))


@given(st.integers(40, 200), st.integers(2, 60))
def test_all_curves_stand_on_one_axis_and_have_one_width(width: int, height: int) -> None:
    lines = [plain(line) for line in trend_lines(COURSES, outlooks(COURSES, NOW, NOW), width, height)]
    assert len(lines) <= height
    *curves, axis = lines
    left = next(at for at, char in enumerate(axis) if char != " ")
    ends = {len(axis.rstrip())}
    assert left == 16 and len(ends) == 1
    known = [line for line in curves if line.startswith("working tok")]
    assert all(line[left] == " " for line in known), "a week of samples fills a quarter of four weeks"


def test_a_name_of_wide_letters_moves_no_curve_and_one_day_stands_there_once() -> None:
    one = COURSES[0]
    named = (one, msgspec.structs.replace(one, id="semantic:memory/semantic/日本語の断片.md"))
    *curves, axis = (plain(line) for line in trend_lines(named, {}, 90, 5))
    assert len({cell_width(line) for line in curves[1::2]}) == 1, "the lines with the names"
    lone = msgspec.structs.replace(one, points=one.points[-1:])
    last = plain(trend_lines((lone,), {}, 90, 5)[-1])
    assert last.split() == axis.split()[-2:], "the day of the only sample, once"


def test_few_courses_are_drawn_taller() -> None:
    assert len(trend_lines(COURSES[:1], {}, 90, 40)) == 9, "a curve of 8 lines, and the axis"


async def test_on_a_large_terminal_no_fact_stands_twice() -> None:
    engine = watched()
    engine.stub.gives("status.trends", COURSES)
    async with deck(engine, (120, 36)) as pilot:
        text = await shows(pilot, "Trends", "working files")
        assert text.count("13/10") == 1 and "13 > 10" not in text, "a figure stands on its gauge"
        assert text.count("semantic shard over its risk line") == 1
        assert "3 plans wait" not in text and "⟨3⟩" in text, "the header counts what waits"


@pytest.mark.parametrize("size", [(120, 36), (200, 60)])
async def test_lists_are_as_tall_as_their_rows_and_the_courses_have_the_rest(size: tuple[int, int]) -> None:
    engine = watched()
    engine.stub.gives("status.trends", COURSES)
    async with deck(engine, size) as pilot:
        await shows(pilot, "Trends")
        page = page_of(pilot)
        for name in ("triggers", "due", "attention", "waiting"):
            lines = page.list_of(name)
            assert lines.region.height == lines.rows_wanted + 2, name
        left = page.query_one("#left").region.height
        assert page.query_one("#trends").region.height == left - page.list_of("triggers").region.height


async def test_a_folder_without_memory_says_what_to_do() -> None:
    engine = Told([], a_status(capabilities=(), skipped=(), notes=(), degraded=(), triggers=()))
    async with deck(engine) as pilot:
        text = screen_text(pilot)
        assert (
            "no memory in this folder yet" in text and "9 lists the tools" in text and "no plan waits for you" in text
        )


async def test_due_work_can_be_read_whole() -> None:
    job = msgspec.structs.replace(a_status().due[0], runs=("compact", "tree"))
    ended = EndedFact(id="0" * 10, text="The office is shut", path="MEMORY.md", line=3, words="until 30 April")
    engine = Told([], a_status(due=(job,), tree={"backlog": 4}, ended=(ended,)))
    async with deck(engine) as pilot:
        assert "tree  4 days to catch up" in screen_text(pilot)
        page_of(pilot).turn_to("due")
        await pilot.press("j", "enter")
        assert "holds still" in screen_text(pilot) and "MEMORY.md:3" in screen_text(pilot)
        await pilot.press("escape", "k", "enter")
        assert isinstance(pilot.app.screen, TextReader)
        text = screen_text(pilot)
        assert "compact, then tree" in text


# Sizes


@pytest.mark.parametrize("size", SIZES)
async def test_at_every_size_the_line_the_gauges_and_one_list_are_there(size: tuple[int, int]) -> None:
    async with deck(watched(), size) as pilot:
        text = screen_text(pilot)
        for words in ("3 limits are crossed", "Working", "Episodic", "Semantic", "Archive", "13/10", "Triggers"):
            assert words in text, words
        assert page_of(pilot).pane("triggers").region.height >= 5
        for card in pilot.app.query(GaugeCard):
            assert card.region.area


async def test_it_is_resized_while_in_use() -> None:
    async with deck(watched()) as pilot:
        for size in (*SIZES, *reversed(SIZES)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert "3 limits are crossed" in screen_text(pilot)
            for name in page_of(pilot).PANES:
                page_of(pilot).turn_to(name)
                await pilot.pause()
                assert page_of(pilot).pane(name).region.height >= 3, (size, name)


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (80, 40)])
async def test_narrow_shows_one_pane_at_a_time_over_all_the_room(size: tuple[int, int]) -> None:
    async with deck(watched(), size) as pilot:
        page = page_of(pilot)
        heights = set()
        for _ in page.PANES:
            shown = [name for name in page.PANES if page.pane(name).region.area]
            assert shown == [page.current]
            heights.add(page.pane(page.current).region.height)
            await pilot.press("tab")
            await settled(pilot)
        assert len(heights) == 1


# Docs


@pytest.mark.parametrize(("screen", "page"), [(OverviewPage, "overview"), (HistoryPage, "history")])
def test_every_key_of_a_screen_stands_in_its_page_of_the_docs(screen: type[Page], page: str) -> None:
    text = (Path(tui.__file__).parents[1] / "docs" / f"{page}.md").read_text("utf-8")
    for binding in Binding.make_bindings(screen.__dict__["BINDINGS"]):
        assert f"`{key_name(binding.key)}`" in text, binding.description
    assert len(text.splitlines()) < 60, "one screenful"


# Hostile text


def test_no_hidden_character_gets_through_from_what_the_agent_named_g13() -> None:
    for text in hostile_strings():
        text = text.encode("utf-8", "replace").decode()
        one = change(text, later=True)
        diff = FileDiff(
            path=text, to=None, rows=(DiffRow(RowKind.ADDED, None, 1, text),), added=1, removed=0, note=text
        )
        figures = {agent.key_of(one): agent.figures_of(diff)}
        row = agent.AgentChangeRows(SinceLook(looked_at=NOW, changes=(one,)), figures).row(0)
        since = SinceLook(looked_at=NOW, changes=(one,))
        lines = [row.left, row.right, agent.title(since, figures, NOW), agent.diff_title(one, diff, 0, 1)]
        for line in [*lines, *agent.preface(one, diff)]:
            assert not FORBIDDEN.search(plain(line)), (text, plain(line))


@pytest.mark.parametrize("text", ["[/foo]", "[@click=app.quit]x[/]", "\x1b[2J\x1b]0;t\x07", "\u202egnp", "x" * 3000])
async def test_hostile_names_are_shown_and_do_nothing_g13(text: str) -> None:
    engine = told()
    agent_did(engine, change(text))
    async with deck(engine) as pilot:
        page_of(pilot).turn_to("since")
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, AgentChanges)
        assert not FORBIDDEN.search(screen_text(pilot).replace("\n", ""))
        await pilot.press("escape")
        assert console_of(pilot).is_running and engine.approvals == ()


async def test_ten_thousand_changes_cost_what_is_on_screen() -> None:
    engine = told()
    many = tuple(change(f"memory/working/{number:05}.md") for number in range(10_000))
    agent_did(engine, *many)
    async with deck(engine) as pilot:
        page_of(pilot).turn_to("since")
        await pilot.press("G", "enter")
        await settled(pilot)
        assert "10000/10000" in screen_text(pilot).replace(",", "")


async def test_where_panes_share_the_room_each_says_first_what_tab_leads_to() -> None:
    async with deck(watched(), (80, 24)) as pilot:
        for following in ("Agent 3", "Due", "Notices", "Queue", "Triggers"):
            assert f"tab {following}" in screen_text(pilot)
            await pilot.press("tab")
            await settled(pilot)
        await pilot.press("tab")
        assert "Agent changes since" in await shows(pilot, "tab Due")


async def test_a_trigger_names_its_file_and_leads_to_the_plan_that_waits() -> None:
    engine = told()
    async with deck(engine, (120, 36)) as pilot:
        await settled(pilot)
        page = pilot.app.query_one(OverviewPage)
        index = next(at for at, one in enumerate(page.status.triggers if page.status else ()) if one.fired)
        explain_trigger(page.deck, overview.trigger_detail(page.status, index, page.open_plans))  # type: ignore[arg-type]
        await shows(pilot, "waits for you: ", "enter shows the plan", "in  memory/")
        await pilot.press("enter")
        await settled(pilot)
        assert console_of(pilot).stage.here == "approvals"


async def test_the_words_that_the_benchmarks_wait_for_stand_on_overview() -> None:
    """They waited for a trigger's id that Overview no longer names, and hung."""
    from tests.benchmarks.terminal import SETTLED

    async with deck(Told()) as pilot:
        await shows(pilot, SETTLED.decode())


# Flags of what the agent wrote


def flag_of(path: str, line: int) -> NoteFlag:
    return NoteFlag(path=path, line=line, rule="command", words="a command to run", text="- run it")


def test_g30_a_flagged_change_has_its_sign_and_a_first_contact_lists_the_lines() -> None:
    flags = NoteFlags((flag_of("MEMORY.md", 4), flag_of("MEMORY.md", 9)))
    since = SinceLook(looked_at=NOW, changes=(change("MEMORY.md"), change("USER.md")), flags=flags)
    rows = agent.AgentChangeRows(since, {})
    assert "⚑ 2" in plain(rows.row(0).left) and "⚑" not in plain(rows.row(1).left)
    assert "⚑ 2 flagged lines" in plain(agent.title(since, {}, NOW))
    first = SinceLook(looked_at=None, flags=flags)
    assert "MEMORY.md:9 a command to run" in plain(agent.empty(first, NOW, read_only=False)[1])
    assert "⚑ 2 flagged lines" in plain(agent.title(first, {}, NOW))
    diff = FileDiff(path="MEMORY.md", to=None, rows=ROWS, added=1, removed=1)
    assert agent.flags_of(since, diff) == {4: "a command to run", 9: "a command to run"}


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_g30_the_diff_of_a_change_says_why_a_line_is_flagged(size: tuple[int, int]) -> None:
    engine = told()
    agent_did(engine, change("memory/working/a.md"))
    flags = NoteFlags((flag_of("memory/working/a.md", 1),))
    since = SinceLook(looked_at=NOW, changes=(change("memory/working/a.md"),), flags=flags)
    engine.stub.gives("review.since_looked", since)
    async with deck(engine, size=size) as pilot:
        await shows(pilot, "⚑ 1")
        page_of(pilot).turn_to("since")
        await pilot.press("enter")
        await shows(pilot, "a command to run")
