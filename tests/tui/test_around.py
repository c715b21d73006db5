"""What stands around the screens: copying, announcing, jumping, finding, news, and programs run for them."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.workspace.values import Progress
from tests.prepared import three_plans
from tests.tui.conftest import console_of, deck, screen_text, settled, shows
from tests.values import NOW, compaction, tree_plan
from tui.app import MemdeckApp
from tui.shell.command_process import run
from tui.shell.new_plans import NewPlans, words
from tui.shell.remembered_theme import RememberedTheme
from tui.shell.tour_invitation import Welcome
from tui.system.announcement import announce
from tui.system.clipboard import copy, harmless

EVIL = "a\x1b]52;c;ZXZpbA==\x07b\u202e\x00;c"


class TestCopying:
    def test_what_is_copied_has_no_control_byte(self) -> None:
        assert "\x1b" not in harmless(EVIL) and "␛" in harmless(EVIL)

    @given(st.text())
    def test_lines_stay_lines(self, text: str) -> None:
        assert harmless(text).count("\n") == text.count("\n")
        assert not any(ord(sign) < 32 and sign != "\n" for sign in harmless(text))

    def test_without_a_desktop_the_terminal_is_asked(self, tmp_path: Path) -> None:
        asked: list[str] = []
        said = copy(EVIL, asked.append, tmp_path, tmp_path / "state", {})
        assert asked == [harmless(EVIL)] and "OSC 52" in said

    def test_what_is_too_long_for_the_terminal_becomes_a_file(self, tmp_path: Path) -> None:
        asked: list[str] = []
        said = copy("x" * 100_000, asked.append, tmp_path, tmp_path / "state", {"SSH_CONNECTION": "1"})
        assert not asked and "copied.txt" in said
        assert (tmp_path / "state/copied.txt").stat().st_mode & 0o777 == 0o600

    def test_a_program_of_the_desktop_gets_the_text_on_its_input(self, tmp_path: Path) -> None:
        tools = tmp_path / "bin"
        tools.mkdir()
        (tools / "wl-copy").write_text(f"#!/bin/sh\ncat > {tmp_path}/clipboard\n")
        (tools / "wl-copy").chmod(0o755)
        env = {"WAYLAND_DISPLAY": "wayland-0", "PATH": f"{tools}:/usr/bin:/bin"}
        said = copy("hello", _never, tmp_path / "agent", tmp_path, env)
        assert said == "1 line copied with wl-copy"
        assert (tmp_path / "clipboard").read_text() == "hello"

    async def test_y_copies_the_line_under_the_cursor(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with deck(three_plans()) as pilot:
            await pilot.press("j", "y")
            await pilot.pause()
            assert "too many working notes" in pilot.app.clipboard
            await pilot.press("y")
            await pilot.pause()
            told = [note for note in pilot.app._notifications if "OSC 52" in note.message]
            assert len(told) == 1, "said twice, it stands there once"

    async def test_capital_y_copies_a_whole_diff_and_writes_it_into_a_file(self) -> None:
        async with deck(three_plans()) as pilot:
            await pilot.press("2")
            await settled(pilot)
            console_of(pilot).page.turn_to("diff")
            await pilot.press("Y")
            await settled(pilot)
            lines = pilot.app.clipboard.split("\n")
            assert lines[0].startswith("--- ") and lines[2].startswith("@@") and any(line[:1] == "+" for line in lines)
            assert any("copied.txt" in note.message for note in pilot.app._notifications)


def _never(text: str) -> None:
    raise AssertionError(text)


class TestAnnouncing:
    @pytest.mark.parametrize("way", ["bell", "osc9", "osc777"])
    def test_what_is_announced_is_one_sequence_whatever_it_names(self, way: str, tmp_path: Path) -> None:
        sent: list[str] = []
        announce(way, "memdeck", EVIL, sent.append, tmp_path)  # type: ignore[arg-type]
        (text,) = sent
        inner = text.removeprefix("\x1b]").removesuffix("\x1b\\").removesuffix("\a")
        assert not any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in inner)
        assert way != "osc777" or inner.count(";") == 3

    def test_by_default_nothing_is_sent(self, tmp_path: Path) -> None:
        announce("off", "memdeck", "x", _never, tmp_path)

    def test_a_desktop_without_a_notifier_is_no_error(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        announce("desktop", "memdeck", "x", _never, tmp_path)


class TestNews:
    def test_the_first_queue_is_no_news(self) -> None:
        news = NewPlans()
        assert news.take(three_plans().engine.plans.queue(), looking=False) == () and news.unseen == ()

    def test_a_plan_that_came_is_news_until_one_looks(self) -> None:
        news, workspace = NewPlans(), three_plans()
        news.take(workspace.engine.plans.queue(), looking=False)
        workspace.add(msgspec.structs.replace(compaction(9, 1, first=40), made_at=NOW))
        (fresh,) = news.take(workspace.engine.plans.queue(), looking=False)
        assert news.unseen == (fresh.id,) and fresh.id in words([fresh])
        assert news.take(workspace.engine.plans.queue(), looking=False) == () and news.unseen
        news.seen()
        assert not news.unseen

    def test_a_plan_of_ones_own_is_no_news(self) -> None:
        news, workspace = NewPlans(), three_plans()
        news.take(workspace.engine.plans.queue(), looking=False)
        workspace.add(msgspec.structs.replace(compaction(9, 1, first=40), made_at=NOW))
        news.expect("p-20260315-0009")
        assert news.take(workspace.engine.plans.queue(), looking=False) == ()

    async def test_a_plan_that_comes_right_after_the_first_look_is_told(self) -> None:
        workspace = three_plans()
        async with deck(workspace) as pilot:
            workspace.add(msgspec.structs.replace(compaction(9, 1, first=40), made_at=NOW))
            await shows(pilot, "Approvals ⟨4⟩+1", "A new plan waits for you")

    async def test_a_new_plan_is_told_in_a_toast_and_a_badge_and_takes_no_focus(self) -> None:
        workspace = three_plans()
        async with deck(workspace) as pilot:
            focused = pilot.app.focused
            workspace.add(msgspec.structs.replace(compaction(9, 1, first=40), made_at=NOW))
            await shows(pilot, "Approvals ⟨4⟩+1", "A new plan waits for you")
            assert pilot.app.focused is focused and console_of(pilot).page.id == "overview"
            await pilot.press("2")
            await settled(pilot)
            assert "⟨4⟩+1" not in screen_text(pilot)

    async def test_a_dry_run_of_ones_own_adds_no_mark_and_is_told_once(self) -> None:
        workspace = three_plans()
        workspace.plans_next(tree_plan(7, first=4))
        async with deck(workspace) as pilot:
            await pilot.press("d")
            await shows(pilot, "Approvals ⟨4⟩")
            await settled(pilot)
            assert "⟨4⟩+" not in screen_text(pilot)
            assert len([note for note in pilot.app._notifications if "p-20260315-0007" in note.message]) == 1


class TestJumping:
    async def test_a_letter_leads_to_a_pane_and_to_a_screen(self) -> None:
        async with deck(three_plans()) as pilot:
            await pilot.press("ctrl+o")
            await pilot.press("d")
            await pilot.pause()
            assert console_of(pilot).page.current == console_of(pilot).page.PANES[1]
            await pilot.press("ctrl+o")
            labels = [label.id or "" for label in pilot.app.screen.query("LineBlock")]
            last = labels[-1].removeprefix("to-")
            await pilot.press(last)
            await settled(pilot)
            assert console_of(pilot).page.id == "lifecycle"

    async def test_any_other_key_stays(self) -> None:
        async with deck(three_plans()) as pilot:
            await pilot.press("ctrl+o")
            await shows(pilot, "press a letter to go there")
            await pilot.press("7")
            await pilot.pause()
            assert console_of(pilot).page.id == "overview" and len(pilot.app.screen_stack) == 1


class TestHeadless:
    def test_a_command_has_no_terminal_and_no_workspace_code(self, tmp_path: Path) -> None:
        """A module of the workspace with a name of ours is never imported, and `apply` finds nobody to ask."""
        (tmp_path / "tui").mkdir()
        (tmp_path / "tui/__init__.py").write_text("raise SystemExit(99)")
        done = run(("keys", "zoom"), tmp_path, _tick)
        assert done.code == 0 and "screen.zoom" in done.output
        refused = run(("apply", "p-20260315-0001"), tmp_path, _tick)
        assert refused.code not in (0, 99)

    def test_cancelling_ends_the_process(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        started: list[subprocess.Popen[bytes]] = []
        popen = subprocess.Popen

        def slow(_: object, **options: object) -> subprocess.Popen[bytes]:
            started.append(popen([sys.executable, "-c", "import time; time.sleep(60)"], **options))  # type: ignore[call-overload]
            return started[-1]

        monkeypatch.setattr("tui.shell.command_process.subprocess.Popen", slow)

        def cancelled(_: Progress) -> None:
            raise Cancelled("cancelled")

        with pytest.raises(Cancelled):
            run(("status",), tmp_path, cancelled)
        assert started[0].poll() is not None


def _tick(_: Progress) -> None:
    pass


class TestWelcome:
    def test_a_newcomer_is_invited_for_a_few_sessions_or_until_the_tour_was_seen(self, tmp_path: Path) -> None:
        invited = []
        for _ in range(5):
            welcome = Welcome(tmp_path / "state")
            welcome.begin()
            invited.append(welcome.inviting)
        assert invited == [True, True, True, False, False]
        fresh = Welcome(tmp_path / "other")
        fresh.begin()
        fresh.toured()
        again = Welcome(tmp_path / "other")
        again.begin()
        assert not fresh.inviting and not again.inviting

    @pytest.mark.parametrize("text", ["", "[]", '{"sessions": "x"}', "\x00"])
    def test_a_damaged_note_is_none(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "welcome.json").write_text(text)
        welcome = Welcome(tmp_path)
        welcome.begin()
        assert welcome.inviting

    async def test_the_invitation_stands_in_a_line_and_goes_with_the_tour(self, tmp_path: Path) -> None:
        app = MemdeckApp(three_plans().opening, env={"XDG_STATE_HOME": str(tmp_path)})
        async with app.run_test(size=(120, 36)) as pilot:
            await shows(pilot, "new here? :tour shows you round")
            app.commander.run("tour")
            await shows(pilot, "1/7")
            await pilot.press("escape")
            await settled(pilot)
            assert "new here?" not in screen_text(pilot)


class TestRememberedTheme:
    def test_a_choice_is_there_at_the_next_start(self, tmp_path: Path) -> None:
        assert RememberedTheme(tmp_path / "state").name == ""
        assert RememberedTheme(tmp_path / "state").keep("paper")
        assert RememberedTheme(tmp_path / "state").name == "paper"

    @pytest.mark.parametrize("text", ["", "[]", '{"theme": 3}', "\x00", '{"theme": "%s"}' % ("x" * 200)])
    def test_a_damaged_choice_is_none(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "choices.json").write_text(text)
        assert RememberedTheme(tmp_path).name == ""

    def test_a_folder_that_cannot_be_made_costs_the_memory_alone(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        assert not RememberedTheme(tmp_path / "file" / "state").keep("paper")

    async def test_a_theme_chosen_in_the_console_is_that_of_the_next_one(self, tmp_path: Path) -> None:
        env = {"XDG_STATE_HOME": str(tmp_path / "state")}

        def console(config: Path | None = None) -> MemdeckApp:
            return MemdeckApp(three_plans().opening, env=env, config=config)

        first = console()
        async with first.run_test() as pilot:
            await settled(pilot)
            await pilot.press("colon", *"theme paper", "enter")
            await settled(pilot)
            assert first.looks.chosen == "paper"
        assert console().looks.chosen == "paper"
        config = tmp_path / "config"
        config.mkdir(mode=0o700)
        (config / "console.yaml").write_text("theme: contrast\n")
        assert console(config).looks.chosen == "contrast", "what is written there wins"
