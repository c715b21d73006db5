"""The command line: completes, carries out, says why not, and approves nothing."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input

from engine.plans.plan import PlanState
from tests.engine.plans.rig import tree
from tests.prepared import prepared, three_plans
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, holds, screen_text, settled, shows
from tests.tui.test_history import past_workspace
from tests.values import append_plan, tree_plan
from tui.dialogs.picker import Picker
from tui.dialogs.text_reader import TextReader
from tui.registry.commands import COMMANDS
from tui.screens.history.held_facts import HeldScreen
from tui.shell.command_process import Finished
from tui.shell.commands import BY_PROCESS, ELSEWHERE, OWN, known, split
from tui.widgets.text_pane import TextPane


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What would be run beside the console."""
    seen: list[tuple[str, ...]] = []

    def run(words: tuple[str, ...], *_: object) -> Finished:
        seen.append(tuple(words))
        return Finished("all \x1b[2J is [/bad] well\n", "a warning\n", 0)

    monkeypatch.setattr("tui.shell.commands.run", run)
    return seen


def test_every_command_of_the_shell_can_be_typed_or_says_where() -> None:
    there = {command.name for command in (*OWN, *BY_PROCESS)} | set(ELSEWHERE)
    aliases = {"keys"}
    assert set(COMMANDS) - there - aliases == set()


def test_every_word_says_what_it_does() -> None:
    assert [command for command in known() if not command.about] == []


@given(st.text())
def test_no_line_is_an_error(text: str) -> None:
    assert isinstance(split(text), list)


async def test_words_are_completed_and_options_of_the_shell_too() -> None:
    async with deck(three_plans()) as pilot:
        complete = console_of(pilot).commander.completions
        assert complete("the")[0][0] == "theme"
        assert complete("theme pap") == (("theme paper", "Paper"),)
        assert ("plan compact", "working → episodic → semantic, originals to the archive") in complete("plan ")
        assert "show p-20260315-0002" in [line for line, _ in complete("show p-2026")]
        assert "log --verify" in [line for line, _ in complete("log --v")]
        assert {line for line, _ in complete("/compact --")} == {"/compact --aggressive", "/compact --preview"}


async def test_what_follows_a_command_is_completed_as_well() -> None:
    async with deck(three_plans()) as pilot:
        complete = console_of(pilot).commander.completions
        assert "topics watch" in [line for line, _ in complete("topics ")]
        assert "topics match --apart" in [line for line, _ in complete("topics match --")]
        assert complete("theme paper ") == ()
        assert ("search --category", "only files of this kind") in complete("search --c")
        assert [line for line, _ in complete("plan tree --dr")] == ["plan tree --drain"]
        assert complete("plan tree --he") == ()


async def test_the_command_whose_arguments_are_typed_is_named_with_what_it_takes() -> None:
    async with deck(three_plans(), size=(120, 36)) as pilot:
        await pilot.press("colon", *"search")
        await shows(pilot, " Command   tab completes", "the Search screen")
        await pilot.press("space")
        await shows(pilot, " search   QUERY: finds notes by BM25 and vectors   tab completes")
        await pilot.resize_terminal(80, 24)
        await pilot.press("x")
        await shows(pilot, " search   QUERY: finds notes by BM25 and vectors ")
        assert "tab completes" not in screen_text(pilot)


async def test_only_plans_that_wait_are_offered_for_a_decision() -> None:
    workspace = three_plans()
    applied = "p-20260315-0001"
    workspace.set_state(applied, PlanState.APPLIED)
    async with deck(workspace) as pilot:
        complete = console_of(pilot).commander.completions
        offered = [line for line, _ in complete("reject ")]
        assert f"reject {applied}" not in offered
        assert offered == ["reject p-20260315-0002", "reject p-20260315-0003"]
        assert f"show {applied}" in [line for line, _ in complete("show ")]


async def test_a_long_past_is_completed_from_the_newest_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.shell.completion.RECENT", 1)
    async with deck(past_workspace()) as pilot:
        complete = console_of(pilot).commander.completions
        *_, last = complete("undo ")
        assert last[0] == "undo " and "older than the newest" in last[1] and "type its id" in last[1]
        assert last not in complete("undo o-2026")


async def test_only_operations_that_stand_are_offered_for_undo() -> None:
    async with deck(past_workspace()) as pilot:
        complete = console_of(pilot).commander.completions
        assert complete("undo ") == (("undo o-20260314-0001", "tree · done"),)
        assert [line for line, _ in complete("redo ")] == ["redo o-20260314-0003", "redo o-20260314-0002"]


async def test_a_screen_is_gone_to_by_its_name_and_minus_leads_back() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("colon", *"hist", "enter")
        await settled(pilot)
        assert console_of(pilot).page.id == "history"
        await pilot.press("minus")
        assert console_of(pilot).page.id == "overview"
        await pilot.press("minus")
        assert console_of(pilot).page.id == "history"


async def test_tab_completes_and_the_last_line_comes_back() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("colon", *"the", "tab", *"pap", "enter")
        await pilot.pause()
        assert pilot.app.theme == "paper"
        await pilot.press("colon", "up")
        assert "theme pap" in screen_text(pilot)
        await pilot.press("escape")
        assert len(pilot.app.screen_stack) == 1


async def test_what_a_command_prints_is_shown_and_harmless(ran: list[tuple[str, ...]]) -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("colon", *"doctor", "enter")
        await shows(pilot, "all ␛[2J is [/bad] well", "a warning")
        assert isinstance(pilot.app.screen, TextReader)
        assert ran == [("doctor",)]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("/compact", ("plan", "flush")),
        ("/compact --aggressive", ("plan", "flush", "--aggressive")),
        ("/compact --preview", ("plan", "flush", "--preview")),
        ("/compact --aggressive --preview", ("plan", "flush", "--aggressive", "--preview")),
        ("plan tree --drain", ("plan", "tree", "--drain")),
        ("log --verify", ("log", "--verify")),
        ("search 'two words' -n 3", ("search", "two words", "-n", "3")),
    ],
)
async def test_commands_of_the_shell_run_beside_the_console(
    ran: list[tuple[str, ...]], typed: str, words: tuple[str, ...]
) -> None:
    async with deck(three_plans()) as pilot:
        console_of(pilot).commander.run(typed)
        await settled(pilot)
        assert ran == [words]


async def test_plan_makes_a_dry_run_with_progress() -> None:
    workspace = three_plans()
    workspace.plans_next(tree_plan(7, first=4))
    asked = workspace.stub.asked("plans.make")
    async with deck(workspace) as pilot:
        await pilot.press("colon", *"plan compact", "enter")
        await settled(pilot)
        assert [words[0] for words in asked] == ["compact"]
        assert "Approvals ⟨4⟩" in screen_text(pilot)


@pytest.mark.parametrize("typed", ["apply p-20260315-0002", "apply 0002", "show p-20260315-0002"])
async def test_apply_opens_the_plan_and_approves_nothing(typed: str) -> None:
    workspace = three_plans()
    async with deck(workspace) as pilot:
        await pilot.press("colon", *typed, "enter")
        await settled(pilot)
        assert console_of(pilot).page.id == "approvals"
        assert "p-20260315-0002" in screen_text(pilot)
        assert len(pilot.app.screen_stack) == 1 and not workspace.approvals


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("statsu", "did you mean status?"),
        ("demo", "type it in a shell"),
        ("edit 1", "press e"),
        ("show p-none", "no such plan in the queue"),
        ("theme neon", "there is no such theme"),
        ("/compact --loud", "takes --aggressive and --preview"),
    ],
)
async def test_what_cannot_be_done_is_said(typed: str, words: str, ran: list[tuple[str, ...]]) -> None:
    async with deck(three_plans()) as pilot:
        console_of(pilot).commander.run(typed)
        await settled(pilot)
        notes = " ".join(note.message for note in pilot.app._notifications)
        assert words in notes and not ran


@pytest.mark.parametrize(
    "typed", ["plan compact", "undo", "redo", "reject 0002", "recover", "index", "/compact", "schedule"]
)
async def test_read_only_runs_nothing_that_writes(typed: str, ran: list[tuple[str, ...]]) -> None:
    workspace = three_plans()
    async with deck(workspace, read_only=True) as pilot:
        before = (tree(workspace.folder), workspace.engine.plans.queue())
        console_of(pilot).commander.run(typed)
        await settled(pilot)
        assert "READ-ONLY" in screen_text(pilot)
        assert any("read-only" in note.message for note in pilot.app._notifications)
        assert not ran and (tree(workspace.folder), workspace.engine.plans.queue()) == before


async def test_read_only_makes_no_dry_run_by_key_and_says_so() -> None:
    workspace = three_plans()
    asked = workspace.stub.asked("plans.make")
    async with deck(workspace, read_only=True) as pilot:
        await pilot.press("d")
        await settled(pilot)
        assert not asked
        assert any("read-only" in note.message for note in pilot.app._notifications)


async def test_the_palette_lists_commands_too() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("ctrl+p", *":tour")
        assert isinstance(pilot.app.screen, Picker)
        await pilot.press("enter")
        await shows(pilot, "Nothing changes until you say so")


async def test_a_theme_under_the_cursor_is_tried_on_and_esc_brings_the_old_one_back() -> None:
    async with deck(three_plans()) as pilot:
        console_of(pilot).commander.run("theme")
        await shows(pilot, "enter applies it")
        await pilot.press(*"paper")
        await holds(pilot, lambda: pilot.app.theme == "paper", "the theme tried on")
        await pilot.press("escape")
        await holds(pilot, lambda: pilot.app.theme == "night", "the old theme")
        console_of(pilot).commander.run("theme")
        await shows(pilot, "enter applies it")
        await pilot.press(*"mist", "enter")
        await holds(pilot, lambda: pilot.app.theme == "mist" == console_of(pilot).looks.chosen, "the chosen theme")
        await shows(pilot, "Theme: Mist")
        console_of(pilot).commander.run("theme")
        await shows(pilot, "enter applies it")
        await pilot.press("enter")
        await settled(pilot)
        assert console_of(pilot).looks.chosen == "mist", "the cursor stands on the theme that is worn"


async def test_keys_stand_under_headings_that_the_cursor_passes() -> None:
    async with deck(three_plans(), (120, 60)) as pilot:
        await pilot.press("2", "question_mark")
        text = await shows(pilot, "In this pane", "On the screen Approvals", "Everywhere")
        lines = text.split("\n")
        at = next(number for number, line in enumerate(lines) if "On the screen Approvals" in line)
        assert "▌" in next(line for line in lines if "enter l  Open" in line)
        over = next(number for number, line in enumerate(lines) if "enter l  Open" in line)
        await pilot.press(*["down"] * (at - over))
        await pilot.pause()
        assert "▌" in screen_text(pilot).split("\n")[at + 1]
        await pilot.press("up")
        await pilot.pause()
        assert "▌" in screen_text(pilot).split("\n")[at - 1]


async def test_what_reads_like_no_command_is_told_while_it_is_typed() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("colon", *"zzzz")
        await shows(pilot, "no command reads like this")


async def test_the_tour_shows_each_screen_and_ends_where_one_may_begin() -> None:
    async with deck(three_plans(), (80, 24)) as pilot:
        console_of(pilot).commander.run("tour")
        await shows(pilot, "1/7")
        seen = []
        for number in range(1, 8):
            await shows(pilot, f"{number}/7")
            seen.append(console_of(pilot).stage.here)
            await pilot.press("right")
            await settled(pilot)
        assert seen == ["overview", "overview", "overview", "approvals", "history", "search", "overview"]
        assert len(pilot.app.screen_stack) == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_a_step_of_the_tour_is_as_tall_as_its_text(size: tuple[int, int]) -> None:
    async with deck(three_plans(), size) as pilot:
        console_of(pilot).commander.run("tour")
        await shows(pilot, "1/7", "not one byte of the workspace")
        await settled(pilot)
        pane = pilot.app.screen.query_one("#tour-text", TextPane)
        await holds(pilot, lambda: pane.size.height == pane.lines_laid_out, "as tall as its text")


async def test_nothing_typed_in_the_command_line_approves() -> None:
    workspace = prepared([append_plan(), tree_plan(2)])
    async with deck(workspace) as pilot:
        for line in ("APPROVED", "approve", "apply p-20260315-0002 --yes", "apply", "y", "grant p-20260315-0002"):
            console_of(pilot).commander.run(line)
            await settled(pilot)
            while len(pilot.app.screen_stack) > 1:
                await pilot.press("escape")
        assert not workspace.approvals
        assert all(msgspec.structs.asdict(entry)["state"] == "pending" for entry in workspace.engine.plans.queue())


async def test_facts_and_timeline_lead_to_their_pages(own_demo: Demo) -> None:
    async with deck(own_demo.open_today()) as pilot:
        await pilot.press("colon", *"facts", "enter")
        await holds(pilot, lambda: isinstance(pilot.app.screen, HeldScreen), "what holds")
        await pilot.press("escape", "colon", *"timeline", "enter")
        await holds(pilot, lambda: console_of(pilot).page.current == "windows", "the windows")
        await pilot.press("4", "i")
        await holds(pilot, lambda: console_of(pilot).page.id == "context", "the page of the message")
        await holds(pilot, lambda: isinstance(pilot.app.focused, Input), "the field")
