"""The operator's editor: which program, with which arguments, and nothing in a name that it could take for an order."""

import os
import select
from pathlib import Path

import pytest

from engine.errors import MemdeckError, Refused, UsageError
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck
from tui.system import editor
from tui.system.editor import editor_command

NOTE = Path("/home/ana/notes/a b;$(x).md")


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("vim", ["vim", "+7", str(NOTE)]),
        ("/usr/bin/nano -w", ["/usr/bin/nano", "-w", "+7", str(NOTE)]),
        ("code --wait", ["code", "--wait", "-g", f"{NOTE}:7"]),
        ("hx", ["hx", f"{NOTE}:7"]),
        ("'my editor' -x", ["my editor", "-x", str(NOTE)]),
    ],
)
def test_an_editor_is_told_the_note_and_the_line(named: str, expected: list[str]) -> None:
    assert editor_command({"EDITOR": named}, NOTE, 7) == expected


def test_visual_comes_before_editor() -> None:
    assert editor_command({"VISUAL": "vim", "EDITOR": "nano"}, NOTE, 1)[0] == "vim"


def test_without_an_editor_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UsageError, match="no editor"):
        editor_command({}, NOTE, 1)
    with pytest.raises(UsageError):
        editor_command({"EDITOR": "vim 'oops"}, NOTE, 1)


async def test_a_terminal_that_cannot_be_lent_and_a_program_that_fails_are_said(
    monkeypatch: pytest.MonkeyPatch, demo: Demo
) -> None:
    monkeypatch.setenv("EDITOR", "vim")
    monkeypatch.delenv("VISUAL", raising=False)
    async with deck(demo.open_today()) as pilot:
        with pytest.raises(Refused, match="cannot be lent"):
            editor.edit(console_of(pilot), NOTE, 1)


def test_what_the_program_answers_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from contextlib import nullcontext
    from typing import Any, cast

    class Lent:
        def suspend(self) -> Any:
            return nullcontext()

    seen = tmp_path / "seen"
    program = tmp_path / "vim"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$PWD" "$@" > {seen}\nexit 3\n')
    program.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(program))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    with pytest.raises(MemdeckError, match="ended with 3"):
        editor.edit(cast("Any", Lent()), NOTE, 7)
    assert seen.read_text() == f"{tmp_path}|+7|{NOTE}|"
    monkeypatch.setenv("VISUAL", str(tmp_path / "none"))
    with pytest.raises(MemdeckError, match="did not start"):
        editor.edit(cast("Any", Lent()), NOTE, 7)


def test_the_rest_of_a_paste_is_no_command_for_the_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, terminal = os.openpty()
    monkeypatch.setattr("sys.stdin", os.fdopen(terminal, "rb", buffering=0))
    os.write(ours, b":wq\nrest of a paste\n")
    assert select.select([terminal], [], [], 60)[0]
    editor._forget_what_was_typed()
    assert not select.select([terminal], [], [], 0)[0]
    os.close(ours)
