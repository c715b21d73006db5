"""The console as it is used: screens, panes, dry runs, live changes, sizes, errors."""

import errno
import re
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import pytest

from engine.errors import Damaged, MemdeckError
from engine.models.model_task import CostEstimate
from engine.plans.plan import Create, Plan, RiskTier
from engine.plans.planning import PlanOutcome
from engine.services.engine import Engine
from engine.workspace.values import Progress
from tests.prepared import Told, three_plans, told
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, holds, screen_text, settled, shows
from tests.values import NOW, a_status, append_plan, compaction, make_plan, tree_plan
from tui.app import MemdeckApp
from tui.bridge.engine_source import Opening
from tui.dialogs.picker import Picker
from tui.dialogs.text_reader import TextReader
from tui.present.progress_rate import Pace
from tui.screens.approvals.page import ApprovalsPage
from tui.widgets.line_list import LineList


def of_another_system(number: int) -> Plan:
    """A plan that takes the place of none."""
    return msgspec.structs.replace(tree_plan(number, first=4), system="monthly")


async def test_it_opens_on_the_overview_with_everything_in_sight() -> None:
    async with deck(told()) as pilot:
        text = screen_text(pilot)
        for words in (
            "~/agents/silas › Overview",
            "▲ 13/10",
            "1,047 ▲ risk",
            "900 1,020 1,200",
            "212 files",
            "risk tier C",
            "weekly dry run",
            "cooldown  free",
            "first run  asks whether a backup exists",
            "this workspace is not a git repository",
            "skipped: not UTF-8 at byte 3",
            "12 notes → episodic",
            "Approvals ⟨3⟩",
            "? Keys",
        ):
            assert words in text


async def test_number_keys_change_screens() -> None:
    async with deck(told()) as pilot:
        await pilot.press("2")
        assert console_of(pilot).page.id == "approvals"
        await pilot.press("1")
        assert console_of(pilot).page.id == "overview"


async def test_keys_move_in_lists_as_in_lazygit() -> None:
    async with deck(told()) as pilot:
        lines = pilot.app.query_one("#triggers", LineList)
        for key, cursor in (("j", 1), ("down", 2), ("k", 1), ("G", 3), ("g", 0), ("ctrl+d", 3), ("ctrl+u", 0)):
            await pilot.press(key)
            assert lines.cursor == cursor, key


async def test_tab_goes_round_the_panes_and_plus_zooms() -> None:
    async with deck(told()) as pilot:
        page = console_of(pilot).page
        seen = []
        for _ in range(7):
            seen.append(page.current)
            await pilot.press("tab")
        # The gauges are reached between the last pane and the first.
        assert seen == ["triggers", "since", "due", "attention", "waiting", "waiting", "triggers"]
        await pilot.press("plus")
        assert "Working" not in screen_text(pilot)
        await pilot.press("escape")
        assert "Working" in screen_text(pilot)


async def test_enter_on_a_waiting_plan_opens_it() -> None:
    async with deck(told()) as pilot:
        await pilot.press("shift+tab", "shift+tab", "j", "enter")
        await settled(pilot)
        page = pilot.app.query_one(ApprovalsPage)
        assert page.selection.entry is not None and page.selection.entry.id == "p-20260315-0001"
        assert "create memory/episodic/2026-03-01-deploy.md" in screen_text(pilot)


async def test_triggers_and_remarks_can_be_read_whole() -> None:
    async with deck(told()) as pilot:
        for pane in ("triggers", "attention"):
            console_of(pilot).page.turn_to(pane)
            await pilot.press("enter")
            assert isinstance(pilot.app.screen, TextReader)
            await pilot.press("escape")
        assert len(pilot.app.screen_stack) == 1


async def test_a_dry_run_shows_progress_and_leaves_a_plan() -> None:
    engine = told()
    engine.plans_next(of_another_system(7))
    go, asked = engine.stub.waits("plans.make", "summarising"), engine.stub.asked("plans.make")
    async with deck(engine) as pilot:
        await pilot.press("d")
        await shows(pilot, "dry run: compact  summarising 60/120", "esc cancel")
        work = console_of(pilot).bridge.work
        assert work is not None
        work.pace = Pace()
        work.pace.rest(Progress("summarising", 0, 120), monotonic() - 10)
        await shows(pilot, "summarising 60/120   50 % · ", "/s · ", " left")
        await pilot.press("d")
        assert len(asked) == 1
        go.set()
        await settled(pilot)
        assert "Approvals ⟨4⟩" in screen_text(pilot)
        assert "p-20260315-0007" in screen_text(pilot)
        assert console_of(pilot).page.id == "overview", "nothing opens by itself"
        await pilot.press("2")
        await settled(pilot)
        page = pilot.app.query_one(ApprovalsPage)
        assert page.queue.state.selected == "p-20260315-0007", "the cursor waits on what was asked for"


async def test_a_dry_run_that_would_ask_claude_tells_its_price_first() -> None:
    engine = told()
    engine.plans_next(tree_plan(7))
    asked = engine.stub.asked("plans.make")
    engine.stub.gives("plans.estimate", CostEstimate(calls=12, input=9_000, output=6_000, usd=0.039, cap=0.5))
    async with deck(engine) as pilot:
        for answer, plans in (("escape", 0), ("enter", 0), ("j", 1)):
            await pilot.press("d")
            await shows(pilot, "12 calls of Claude, about $0.0390, at most $0.50")
            await pilot.press(answer)
            if answer == "j":
                await pilot.press("enter")
            await settled(pilot)
            assert len(asked) == plans


async def test_escape_cancels_a_dry_run() -> None:
    engine = told()
    engine.stub.waits("plans.make", "summarising")
    async with deck(engine) as pilot:
        await pilot.press("d")
        await shows(pilot, "esc cancel")
        await pilot.press("escape")
        await shows(pilot, "cancelled, nothing was written")
        assert console_of(pilot).bridge.work is None


async def test_a_dry_run_with_nothing_to_do_says_why() -> None:
    engine = told()
    reason = "no threshold is crossed, nothing is eligible"
    engine.stub.gives("plans.make", PlanOutcome(plan=None, reason_no_action=reason))
    async with deck(engine) as pilot:
        await pilot.press("d")
        await settled(pilot)
        assert "no threshold is crossed" in screen_text(pilot)


async def test_a_plan_that_comes_without_a_compaction_is_said_a22() -> None:
    """An entry that waits makes a sharding alone: the dry run said that there was nothing to do."""
    engine = Told()
    engine.stub.answers(
        "plans.make",
        lambda *_: PlanOutcome(plan=None, also=(engine.add(tree_plan(7)),), reason_no_action="it waits for room"),
    )
    async with deck(engine) as pilot:
        await pilot.press("d")
        await shows(pilot, "A plan waits for you", f"{tree_plan(7).id} · risk tier")


async def test_a_new_plan_changes_a_badge_and_neither_focus_nor_cursor() -> None:
    engine = told()
    async with deck(engine) as pilot:
        await pilot.press("2")
        await settled(pilot)
        page = pilot.app.query_one(ApprovalsPage)
        chosen, focused = page.selection.entry, pilot.app.focused
        engine.add(msgspec.structs.replace(of_another_system(9), made_at=NOW.replace(hour=23)))
        engine.write("memory/working/new.md", "# New\n")
        await shows(pilot, "Approvals ⟨4⟩")
        assert page.selection.entry == chosen
        assert pilot.app.focused is focused


async def test_a_plan_that_goes_stale_says_so_in_queue_and_head() -> None:
    engine = three_plans()
    async with deck(engine) as pilot:
        await console_of(pilot).open_plan("p-20260315-0002")
        await settled(pilot)
        engine.write("memory/semantic/openclaw.md", "# Other words\n")
        await shows(pilot, "! stale", "✗ void", "openclaw.md changed")
        await pilot.press("ctrl+a")
        assert len(pilot.app.screen_stack) == 1


async def test_changes_on_disk_come_coalesced() -> None:
    engine = told()
    async with deck(engine) as pilot:
        asked = engine.stub.asked("status.changed")
        for number in range(300):
            console_of(pilot).reader.read((f"memory/working/{number}.md",))
        await settled(pilot)
        assert 1 <= len(asked) < 100
        assert {path for (paths,) in asked for path in paths} == {f"memory/working/{n}.md" for n in range(300)}


async def test_the_filter_narrows_the_queue_and_escape_clears_it() -> None:
    async with deck(told()) as pilot:
        await pilot.press("2", "slash", "t", "r", "e", "e")
        page = pilot.app.query_one(ApprovalsPage)
        lines = page.query_one("#queue", LineList)
        assert lines.count == 1
        await pilot.press("enter")
        assert lines.has_focus
        await pilot.press("escape")
        assert lines.count == 3


async def test_source_lines_are_one_key_away() -> None:
    async with deck(Told([compaction(notes=1)])) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("enter", "down", "down", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, TextReader)
        assert "source line 14" in screen_text(pilot)


async def test_a_note_that_moves_can_be_read() -> None:
    async with deck(Told([compaction(notes=1)])) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("enter", "right")
        await shows(pilot, "enter: show")
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, TextReader)
        assert "source line 1" in screen_text(pilot)


async def test_the_report_can_be_read() -> None:
    async with deck(told()) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("i")
        assert "Working: 13 files, 2,900 tokens" in screen_text(pilot)


async def test_keys_are_listed_searched_and_run() -> None:
    async with deck(told()) as pilot:
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, Picker)
        assert "Next pane" in screen_text(pilot)
        await pilot.press(*"approvals", "enter")
        await settled(pilot)
        assert console_of(pilot).page.id == "approvals"


async def test_the_palette_changes_the_theme() -> None:
    async with deck(told()) as pilot:
        await pilot.press("ctrl+p", *"paper", "enter")
        await pilot.pause()
        assert pilot.app.theme == "paper"


async def test_the_palette_cannot_approve() -> None:
    engine = Told([tree_plan()])
    async with deck(engine) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("colon", *"approve", "enter")
        await settled(pilot)
        assert not engine.approvals


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30), (120, 36), (200, 60), (300, 100)])
async def test_every_size_shows_where_one_is_and_how_to_get_help(size: tuple[int, int]) -> None:
    async with deck(told(), size) as pilot:
        for place, words in (("1", "Triggers"), ("2", "Queue ⟨3⟩")):
            await pilot.press(place)
            await settled(pilot)
            assert words in screen_text(pilot)
            assert "? Keys" in screen_text(pilot)


@pytest.mark.parametrize("size", [(59, 24), (80, 15), (20, 5), (1, 1)])
async def test_below_sixty_by_sixteen_there_is_a_notice(size: tuple[int, int]) -> None:
    async with deck(told(), size) as pilot:
        await pilot.press("2", "j")
        assert "Queue" not in screen_text(pilot)
        await pilot.resize_terminal(58, 14)
        await shows(pilot, "This terminal is 58×14", "needs 60×16")
        await pilot.resize_terminal(120, 36)
        await settled(pilot)
        assert "Queue ⟨3⟩" in screen_text(pilot)


async def test_narrow_shows_one_pane_at_a_time_and_goes_back_with_escape() -> None:
    async with deck(told(), (80, 24)) as pilot:
        await pilot.press("2", "j")
        await settled(pilot)
        assert "Changes" not in screen_text(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "Changes 1/24" in screen_text(pilot) and "approval" in screen_text(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "+ # Compiled" in screen_text(pilot) and "Changes" not in screen_text(pilot)
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert "Queue ⟨3⟩" in screen_text(pilot)


async def test_an_empty_queue_says_what_to_do() -> None:
    async with deck(Told()) as pilot:
        assert "d makes a dry run" in screen_text(pilot)
        await pilot.press("2")
        await settled(pilot)
        assert "No plan yet." in screen_text(pilot)
        await pilot.press("ctrl+a", "r", "space", "right", "i")
        assert len(pilot.app.screen_stack) == 1


async def test_a_workspace_that_cannot_be_opened_is_told_with_its_fix() -> None:
    def fails() -> Engine:
        raise Damaged("this is not a folder", where="/srv/none", hint="memdeck init makes one")

    app = MemdeckApp(Opening(Path("/home/ana/agents/silas"), fails))
    async with app.run_test(size=(120, 36)) as pilot:
        await shows(pilot, "this is not a folder", "memdeck init makes one")
        await pilot.press("escape")
    assert app.return_value == 5


async def test_an_error_nobody_foresaw_is_words_not_a_traceback() -> None:
    engine = told()
    engine.stub.fails("history.reversal", ValueError("[/bad] \x1b[2J markup"))
    async with deck(engine) as pilot:
        await pilot.press("z")
        await settled(pilot)
        assert "ValueError: [/bad] ␛[2J markup" in screen_text(pilot)
        assert pilot.app.is_running


async def test_a_failed_read_keeps_what_is_on_screen() -> None:
    engine = told()
    async with deck(engine) as pilot:
        engine.stub.fails("status.changed", MemdeckError("the folder went away"))
        engine.write("memory/working/x.md", "x\n")
        await shows(pilot, "the folder went away")
        assert "▲ 13/10" in screen_text(pilot)


async def test_what_fell_due_is_run_once_as_a_dry_run_g5() -> None:
    missed = msgspec.structs.replace(a_status().due[0], overdue=True)
    engine = Told([], a_status(due=(missed,)))
    runs, looks = engine.stub.asked("schedule.run_due"), engine.stub.asked("status.changed")
    async with deck(engine) as pilot:
        before = len(looks)
        engine.write("memory/working/x.md", "x\n")
        await holds(pilot, lambda: len(looks) > before, "a look at what changed")
        await settled(pilot)
        assert len(runs) == 1


async def test_read_only_runs_nothing_that_fell_due() -> None:
    missed = msgspec.structs.replace(a_status().due[0], overdue=True)
    engine = Told([], a_status(due=(missed,)))
    runs = engine.stub.asked("schedule.run_due")
    async with deck(engine, read_only=True):
        assert runs == []


async def test_a_what_if_clock_is_told_in_the_header_g18() -> None:
    async with deck(Told([append_plan()], a_status(simulated_clock=True))) as pilot:
        assert "WHAT-IF 2026-03-15 02:40" in screen_text(pilot)


async def test_q_warns_once_while_work_is_under_way() -> None:
    engine = told()
    engine.stub.waits("plans.make", "summarising")
    async with deck(engine) as pilot:
        await pilot.press("d")
        await shows(pilot, "esc cancel")
        await pilot.press("q")
        await shows(pilot, "is under way · q again", "esc cancel")
        assert pilot.app.is_running
        await pilot.press("q")
        await pilot.pause(0.1)
    assert pilot.app.return_value == 0


async def test_ten_thousand_plans_are_listed_and_filtered_at_once() -> None:
    plan = tree_plan(1)
    engine = Told([plan])
    engine.queue_of([msgspec.structs.replace(plan, id=f"p-20260315-{number:05}") for number in range(10_000)])
    loads = engine.stub.asked("plans.load")
    async with deck(engine) as pilot:
        await pilot.press("2")
        await settled(pilot)
        assert "Queue ⟨10,000⟩" in screen_text(pilot)
        await pilot.press("G")
        await settled(pilot)
        assert "p-20260315-09999" in screen_text(pilot)
        assert "▌A tree" in screen_text(pilot), "the cursor is in sight"
        before = len(loads)
        await pilot.press(*["k"] * 5)
        await settled(pilot)
        assert len(loads) - before <= 5


async def test_what_is_longer_than_its_pane_scrolls_with_the_cursor() -> None:
    content = "".join(f"line {number} of many\n" for number in range(1, 500))
    plan = make_plan(1, [Create(n=1, path="memory/episodic/long.md", risk_tier=RiskTier.B, reason="", content=content)])
    many = Told([plan], a_status(notes=tuple(f"remark {number}" for number in range(200))))
    async with deck(many) as pilot:
        console_of(pilot).page.turn_to("attention")
        for key, words in (("G", "pipe.md"), ("g", "git init"), ("ctrl+d", "▌· remark"), ("G", "pipe.md")):
            await pilot.press(key)
            await shows(pilot, words)
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("enter", "G")
        await shows(pilot, "▌499 + line 499 of many")
        await pilot.press("k", "ctrl+u", "g")
        await shows(pilot, "  1 + line 1 of many")


async def test_the_edges_follow_a_resize() -> None:
    async with deck(told(), (120, 36)) as pilot:
        assert "~/agents/silas" in screen_text(pilot) and "offline model" in screen_text(pilot)
        await pilot.resize_terminal(60, 16)
        text = await shows(pilot, "? Keys")
        assert "⟨3⟩ 3 Tree" in text and "offline model" not in text
        await pilot.resize_terminal(120, 36)
        await shows(pilot, "~/agents/silas", "offline model")


async def test_at_rest_nothing_is_read_until_another_process_files_a_plan() -> None:
    engine = told()
    async with deck(engine) as pilot:
        console = console_of(pilot)
        await settled(pilot)
        looks = engine.stub.asked("status.changed")
        for _ in range(3):
            console.reader.poll()
            await settled(pilot)
        assert looks == []
        engine.add(of_another_system(9))
        console.reader.poll()
        await shows(pilot, "Approvals ⟨4⟩")


async def test_the_line_of_progress_is_looked_at_only_during_work() -> None:
    engine = told()
    go = engine.stub.waits("plans.make", "summarising")
    async with deck(engine) as pilot:
        timer: Any = console_of(pilot)._looking
        active = timer._active
        seen = [active.is_set()]
        await pilot.press("d")
        await shows(pilot, "esc cancel")
        seen.append(active.is_set())
        go.set()
        await settled(pilot)
        await pilot.pause(0.2)
        seen.append(active.is_set())
        assert seen == [False, True, False]


async def test_hints_still_owed_when_the_console_ends_are_let_go() -> None:
    async with deck(Told()) as pilot:
        console = console_of(pilot)
    assert not console.screen_stack
    console.edges.show_hints()


async def test_ages_are_told_anew_in_no_console_that_is_being_left() -> None:
    """Its timer came once more when the panes were gone, and the console ended with an error."""
    async with deck(Told()) as pilot:
        console = console_of(pilot)
    console.show_running()


async def test_a_change_on_disk_is_on_screen(own_demo: Demo) -> None:
    with own_demo.open_today() as engine:
        async with deck(engine) as pilot:
            count = next(int(match[1]) for match in [re.search(r"(\d+)/10", screen_text(pilot))] if match)
            (own_demo.folder / "memory/working/2026-01-01-new.md").write_text("# New\n\nA note.\n", "utf-8")
            await shows(pilot, f"{count + 1}/10")


async def test_an_answer_reaches_no_console_that_is_being_left() -> None:
    """The look after a change on disk came when the panes were gone, and the console ended with an error."""
    given: list[int] = []
    async with deck(Told()) as pilot:
        console = console_of(pilot)
        console.bridge.deliver(None, given.append, 1)
    console.bridge.deliver(None, given.append, 2)
    assert given == [1]


async def test_an_answer_reaches_no_screen_that_was_left() -> None:
    """The list that it would stand in is gone: the console ended with an error."""

    class Asking(TextReader):
        found = 0

        def take(self, found: int) -> None:
            self.found = found

    async with deck(Told()) as pilot:
        console, screen = console_of(pilot), Asking("Title", ())
        await console.push_screen(screen)
        console.bridge.deliver(None, screen.take, 1)
        await screen.dismiss(None)
        console.bridge.deliver(None, screen.take, 2)
    assert screen.found == 1


async def test_what_the_machine_refuses_is_said_with_what_helps() -> None:
    engine = told()
    full: Any = OSError(errno.ENOSPC, "No space left on device", "/state/queue")
    engine.stub.fails("plans.make", full)
    async with deck(engine) as pilot:
        console_of(pilot).flows.dry_runs.start("compact")
        text = await shows(pilot, "No space left on device", "free some space")
        assert "Unexpected" not in text and "debug" not in text
