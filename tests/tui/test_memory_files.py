"""The files that agents load: listed with their last change, read, and edited as a plan beside what changed lately."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.services.engine import Engine
from tests.engine.history.repos import git, make_repo, write
from tests.tui.conftest import console_of, deck, settled, shows
from tui.screens.history.memory_files import MemoryScreen
from tui.widgets.line_list import LineList

NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)
SHARD = "memory/semantic/openclaw.md"
FIRST = "# Memory\n- we deploy on Fridays\n"


@pytest.fixture
def workspace(tmp_path: Path, own_home: Path) -> Path:
    files = {"MEMORY.md": FIRST, SHARD: "# OpenClaw\n", "memory/a.md": "beside\n", "USER.md": "Ana\n"}
    folder = make_repo(tmp_path / "agent", files, at="2026-03-12T10:00:00Z")
    write(folder, {"MEMORY.md": FIRST.replace("Fridays", "Mondays")})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "days", at="2026-03-14T10:00:00Z")
    return folder


def _editor(monkeypatch: pytest.MonkeyPatch, written: bytes) -> list[tuple[bytes, int]]:
    """An editor that leaves these bytes; what it was given."""
    given: list[tuple[bytes, int]] = []

    def edit(_: object, file: Path, line: int) -> None:
        assert file.stat().st_mode & 0o077 == 0 or file.parent.stat().st_mode & 0o077 == 0
        given.append((file.read_bytes(), line))
        file.write_bytes(written)

    monkeypatch.setattr("tui.system.editor.edit", edit)
    return given


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_the_files_that_agents_load_stand_beside_what_changed_lately(
    workspace: Path, size: tuple[int, int]
) -> None:
    with Engine.open(workspace, now=NOW) as engine:
        async with deck(engine, size) as pilot:
            await pilot.press("M")
            await shows(
                pilot, "Memory that agents load", "MEMORY.md", "openclaw.md", "2026-03-14", "we deploy on Mondays"
            )
            await shows(pilot, "Changed lately", "+1 −1", "- we deploy on Fridays")
            rows = pilot.app.screen.query_one(LineList)
            assert [rows.text_at(at).split()[0] for at in range(2)] == ["MEMORY.md", "USER.md"]
            assert rows.text_at(2).split()[0].endswith("/openclaw.md")
            await pilot.press("down", "enter", "escape", "escape")
            await settled(pilot)
            assert not isinstance(pilot.app.screen, MemoryScreen)


async def test_what_is_saved_in_the_editor_is_a_plan_and_no_byte_of_the_file(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (workspace / "MEMORY.md").read_bytes()
    given = _editor(monkeypatch, before + b"- backups run at night\n")
    with Engine.open(workspace, now=NOW) as engine:
        async with deck(engine) as pilot:
            await pilot.press("M")
            await shows(pilot, "we deploy on Mondays")
            await pilot.press("enter", "down", "e")
            await shows(pilot, "A plan waits for you")
            assert given == [(before, 2)] and (workspace / "MEMORY.md").read_bytes() == before
            (entry,) = engine.queue.entries()
            (change,) = engine.plans.load(entry.id).changes
            assert change.path == "MEMORY.md" and "backups run at night" in str(change)


async def test_words_that_no_plan_can_take_are_copied_and_not_lost(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    _editor(monkeypatch, FIRST.replace("Fridays", "Sundays").encode() + b"\xff")
    with Engine.open(workspace, now=NOW) as engine:
        async with deck(engine) as pilot:
            monkeypatch.setattr(console_of(pilot), "copy_out", copied.append)
            await pilot.press("M")
            await shows(pilot, "we deploy on Mondays")
            await pilot.press("e")
            await shows(pilot, "not UTF-8")
            assert len(copied) == 1 and "Sundays" in copied[0] and not engine.queue.entries()


async def test_read_only_edits_nothing(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = _editor(monkeypatch, b"")
    with Engine.open(workspace, now=NOW) as engine:
        async with deck(engine, read_only=True) as pilot:
            await pilot.press("M")
            await shows(pilot, "we deploy on Mondays")
            await pilot.press("e")
            await shows(pilot, "--read-only")
            assert not given
