"""Where a demonstration may be made: never over anything that memdeck did not make."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.demo.folder import leave, made_before, mark, prepare
from engine.errors import MemdeckError, Refused
from engine.state.folder import StateFolder, state_home
from engine.workspace.paths import WorkspaceRoot

NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)


def _make(folder: Path) -> None:
    prepare(folder, os.environ)
    _work_in(folder)
    mark(folder, os.environ, NOW)


def _work_in(folder: Path) -> None:
    """Leaves a file, and a record of it."""
    (folder / "note.md").write_text("made")
    with WorkspaceRoot.open(folder) as root:
        StateFolder.locate(root.identity, state_home(os.environ)).audit.write_bytes(b"{}\n")


def test_a_new_and_an_empty_folder_will_do(tmp_path: Path) -> None:
    prepare(tmp_path / "a" / "b", os.environ)
    prepare(tmp_path / "a" / "b", os.environ)
    assert (tmp_path / "a" / "b").is_dir()
    assert made_before(tmp_path / "a" / "b", os.environ) is None


def test_a_folder_with_anything_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("mine")
    with pytest.raises(Refused, match="not empty"):
        prepare(tmp_path, os.environ)
    assert [path.name for path in tmp_path.iterdir()] == ["note.md"]


def test_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(MemdeckError, match="choose another"):
        prepare(tmp_path / "file", os.environ)


def test_ours_is_recognised_and_can_make_room(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    _make(folder)
    assert made_before(folder, os.environ) is not None
    (folder / "mine.md").write_text("kept")
    aside = leave(folder, os.environ, NOW)
    assert (aside / "mine.md").read_text() == "kept" and not folder.exists()
    _make(folder)
    assert made_before(folder, os.environ) is not None


def test_another_folder_in_the_same_place_is_not_ours(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    _make(folder)
    folder.rename(tmp_path / "elsewhere")
    folder.mkdir()
    assert made_before(folder, os.environ) is None
    _make(folder)
    assert made_before(folder, os.environ) is not None


def test_records_of_a_real_workspace_are_never_put_aside(tmp_path: Path) -> None:
    folder = tmp_path / "real"
    folder.mkdir()
    _work_in(folder)
    folder.rename(tmp_path / "gone")
    with pytest.raises(Refused, match="records"):
        prepare(folder, os.environ)
