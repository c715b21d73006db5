"""The operator's own commands: on the selection, without a shell, and refused where a key or the file is not theirs."""

from pathlib import Path

import pytest

from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, settled, shows
from tui.dialogs.picker import Picker
from tui.settings.file import OwnCommand, read_settings
from tui.shell.configuration import Configuration

RUNS = """\
keys: {approvals.report: f5}
commands:
  - {key: f6, argv: [less, "{path}", "{line}"], confirm: off}
  - {key: f7, argv: [memdeck, -w, "{workspace}", show, "{id}"]}
  - {key: x, argv: [rm, "{path}"]}
  - {key: f5, argv: [date]}
  - {key: f6, argv: [date]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir(mode=0o700)
    (folder / "console.yaml").write_text(RUNS)
    return folder


def test_a_key_that_is_taken_is_refused_with_what_it_does(folder: Path, tmp_path: Path) -> None:
    found = Configuration(folder, tmp_path / "workspace")
    commands, problems = found.own_commands(found.keymap()[0])
    assert commands == {
        "f6": OwnCommand("f6", ("less", "{path}", "{line}"), confirm="off"),
        "f7": OwnCommand("f7", ("memdeck", "-w", "{workspace}", "show", "{id}")),
    }
    told = [problem.line() for problem in problems]
    assert len(told) == 3 and "x is taken" in told[0] and "approvals.report" in told[1] and "another command" in told[2]


def test_no_command_runs_of_a_file_that_others_may_write(folder: Path, tmp_path: Path) -> None:
    file = folder / "console.yaml"
    assert len(read_settings(file, tmp_path / "workspace").settings.commands) == 5
    file.chmod(0o666)
    read = read_settings(file, tmp_path / "workspace")
    assert not read.settings.commands and read.settings.keys and "none of them runs" in read.problems[0].line()


async def test_the_selection_stands_in_the_place_of_its_names(monkeypatch: pytest.MonkeyPatch, demo: Demo) -> None:
    lent: list[list[str]] = []

    def lend(_: object, words: list[str], hint: str, *, pause: bool) -> None:
        lent.append(words)

    monkeypatch.setattr("tui.shell.own_commands.lend", lend)
    async with deck(demo.open_today()) as pilot:
        console = console_of(pilot)
        console.own = {
            "f6": OwnCommand("f6", ("less", "{path}", "{line}"), confirm="off"),
            "f7": OwnCommand("f7", ("memdeck", "show", "{id}")),
        }
        await settled(pilot)
        await pilot.press("f6")
        await shows(pilot, "no line of a note is under the cursor")
        await pilot.press("f7")
        await shows(pilot, "no plan or operation is under the cursor")
        for listed in ("question_mark", "ctrl+p"):
            await pilot.press(listed, *"less {path")
            await shows(pilot, "Commands of your own", "f6  less {path} {line}")
            console.clear_notifications()
            await pilot.press("enter")
            await shows(pilot, "no line of a note is under the cursor")
        await pilot.press("2")
        await settled(pilot)
        plan = console.page.noted_id  # type: ignore[attr-defined]
        await pilot.press("f7")
        await settled(pilot)
        assert isinstance(console.screen, Picker)
        await shows(pilot, f"memdeck show {plan}")
        await pilot.press("f6", "enter")  # nothing runs while a question is open, and the first choice runs nothing
        await settled(pilot)
        assert not lent
        await pilot.press("f7", "down", "enter")
        await settled(pilot)
        assert lent == [["memdeck", "show", plan]]
        await pilot.press("3", "enter")
        await settled(pilot)
        await pilot.press("f6")
        await settled(pilot)
        path, line = lent[-1][1:]
        assert Path(path).is_absolute() and Path(path).is_file() and int(line) >= 1
        console.read_only = True
        await pilot.press("f6")
        await shows(pilot, "--read-only")
        assert len(lent) == 2
