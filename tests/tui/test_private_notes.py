"""Private notes in the console: clear text in git's history is an alarm, and a locked file is shown as locked."""

from pathlib import Path

import pytest

from engine.services.engine import Engine
from engine.text.document import LOCKED
from tests.engine.history.repos import git, make_repo, write
from tests.tui.conftest import deck, shows

NOTE = "knowledge/private/door.md"


@pytest.fixture
def workspace(tmp_path: Path, own_home: Path) -> Path:
    return make_repo(tmp_path / "agent", {"knowledge/a.md": "a\n", NOTE: "the code is 1234\n"}, "-b", "main")


async def test_d22_clear_text_of_a_private_note_is_an_alarm_on_overview_and_in_check(workspace: Path) -> None:
    with Engine.open(workspace) as engine:
        async with deck(engine, size=(160, 40)) as pilot:
            await shows(pilot, "private, but in clear in git: 1 version, today's too")
            await pilot.press(":", *"check", "enter")
            text = await shows(pilot, "private_in_clear", NOTE)
            assert "1234" not in text


async def test_a_locked_note_is_shown_as_locked(workspace: Path) -> None:
    (workspace / NOTE).write_bytes(LOCKED + b"\x01\x1b[31m\n" * 9)
    write(workspace, {".gitattributes": "/knowledge/private/** filter=git-crypt\n"})
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "locked")
    with Engine.open(workspace) as engine:
        async with deck(engine, size=(160, 40)) as pilot:
            await shows(pilot, "skipped: locked by git-crypt", "door.md")
            await pilot.press("7", "r")
            await shows(pilot, NOTE, "knowledge/a.md")
            await pilot.press("down")
            await shows(pilot, "locked by git-crypt: git-crypt unlock opens it")
