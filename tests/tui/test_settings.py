"""The console's own settings: outside the workspace, checked key by key; no mistake keeps the console from opening."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tui.settings.file import ABOUT, CHOICES, ConsoleSettings, parse_settings, read_settings


def problems(text: str) -> list[str]:
    return [error.line() for error in parse_settings(text, "console.yaml").problems]


def test_every_setting_is_described() -> None:
    assert set(ABOUT) == set(ConsoleSettings.__struct_fields__)
    assert set(CHOICES) <= set(ABOUT)


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    read = read_settings(tmp_path / "none.yaml", tmp_path)
    assert read.settings == ConsoleSettings() and not read.problems


def test_what_is_written_holds() -> None:
    read = parse_settings(
        "theme: paper\nmouse: off\nmotion: off\nnotify: osc9\nupdate_check: yes\n"
        "keys: {console.undo: U, list.down: [down, e]}\n",
        "x",
    )
    assert read.settings == ConsoleSettings(
        theme="paper",
        mouse=False,
        motion=False,
        notify="osc9",
        update_check=True,
        keys={"console.undo": ("U",), "list.down": ("down", "e")},
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("thema: paper", "console.yaml:1: `thema`: there is no such setting · did you mean theme?"),
        ("theme: paper\nmouse: maybe", "console.yaml:2: `mouse`: 'maybe' is none of on, off"),
        ("notify: osc99", "did you mean osc9"),
        ("theme: [a]", "it takes one word"),
        ("commands: less", "Expected `array`"),
        ("commands: [{key: f6}]", "missing required field `argv`"),
        ("commands: [{key: f6, argv: []}]", "length >= 1"),
        ("commands: [{key: f6, argv: [sh, -c, 'less {path}']}]", "a name is an argument of its own"),
        ("commands: [{key: f6, argv: ['{path}']}]", "no program"),
        ("commands: [{key: f6, argv: [a], confirm: perhaps}]", "Invalid enum value"),
        ("keys: [a]", "it takes names with keys"),
        ("- a", "it must be keys with values"),
        ("a: &x b\nc: *x", "an anchor"),
        ("theme: 'open", "console.yaml:1"),
    ],
)
def test_a_mistake_names_file_line_and_what_to_write(text: str, words: str) -> None:
    assert any(words in line for line in problems(text)), problems(text)


def test_one_mistake_costs_one_setting() -> None:
    read = parse_settings("notify: loud\ntheme: paper\n", "x")
    assert read.settings.theme == "paper" and read.settings.notify == "off" and len(read.problems) == 1


def test_a_file_in_the_workspace_is_not_read(tmp_path: Path) -> None:
    inside = tmp_path / "console.yaml"
    inside.write_text("theme: paper")
    read = read_settings(inside, tmp_path)
    assert read.settings == ConsoleSettings()
    assert "where the agent can write" in read.problems[0].line()


def test_a_link_into_the_workspace_is_not_followed(tmp_path: Path) -> None:
    workspace, config = tmp_path / "agent", tmp_path / "config"
    workspace.mkdir()
    config.mkdir()
    (workspace / "theirs.yaml").write_text("theme: paper")
    (config / "console.yaml").symlink_to(workspace / "theirs.yaml")
    assert read_settings(config / "console.yaml", workspace).problems


@given(st.text(max_size=200))
@example("0\t")
def test_no_text_keeps_the_console_from_opening(text: str) -> None:
    assert isinstance(parse_settings(text, "x").settings, ConsoleSettings)
