"""The folders of a run stand in memory only where they fit and programs may be started from them."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import folders


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place with just enough room."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=folders.ROOM))
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=0))
    monkeypatch.setattr(folders, "IN_MEMORY", tmp_path)
    monkeypatch.delenv(folders.NAME, raising=False)
    return tmp_path


def test_folders_stand_in_memory_unless_another_place_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(folders.NAME, "/elsewhere")
    folders.choose()
    assert os.environ[folders.NAME] == "/elsewhere"
    monkeypatch.delenv(folders.NAME)
    folders.choose()
    assert os.environ[folders.NAME] == str(place)


def test_folders_stay_on_the_disk_where_memory_is_absent_small_or_runs_no_program(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folders.has_room(place) and not folders.has_room(place / "absent")
    with monkeypatch.context() as patch:
        patch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
        assert not folders.has_room(place)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=folders.ROOM - 1))
    folders.choose()
    assert folders.NAME not in os.environ
