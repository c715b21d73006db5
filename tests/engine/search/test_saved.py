"""Saved searches: kept by name in the operator's state, whole or not at all."""

import errno
import os
from datetime import date
from pathlib import Path

import pytest

from engine.errors import Damaged, MemdeckError, UsageError
from engine.search.saved_searches import MOST, SavedSearch, SavedSearches
from engine.search.values import Category

DEPLOYS = SavedSearch(name="deploys", query='"blue green" -test', category=Category.JOURNAL, since=date(2026, 1, 1))


@pytest.fixture
def saved(tmp_path: Path) -> SavedSearches:
    return SavedSearches(tmp_path / "searches.json")


def test_what_is_kept_is_found_again_by_another_process(saved: SavedSearches, tmp_path: Path) -> None:
    assert saved.all() == ()
    saved.keep(DEPLOYS)
    saved.keep(SavedSearch(name="Ana", query="Ana"))
    again = SavedSearches(tmp_path / "searches.json")
    assert [one.name for one in again.all()] == ["Ana", "deploys"]
    assert again.find("deploys") == DEPLOYS


def test_the_same_name_is_replaced_and_a_name_is_tidied(saved: SavedSearches) -> None:
    saved.keep(DEPLOYS)
    saved.keep(SavedSearch(name="  deploys ", query="other"))
    assert [(one.name, one.query) for one in saved.all()] == [("deploys", "other")]


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\x1b[2Jb", "a\u202eb"])
def test_a_name_that_cannot_be_shown_is_refused(saved: SavedSearches, name: str) -> None:
    with pytest.raises(UsageError):
        saved.keep(SavedSearch(name=name, query="x"))


def test_forgetting_and_asking_for_what_is_not_there(saved: SavedSearches) -> None:
    saved.keep(DEPLOYS)
    saved.forget("deploys")
    with pytest.raises(UsageError, match="no saved search"):
        saved.forget("deploys")


def test_there_is_a_limit(saved: SavedSearches) -> None:
    saved._write([SavedSearch(name=f"s{number}", query="x") for number in range(MOST)])
    with pytest.raises(UsageError, match="saved already"):
        saved.keep(DEPLOYS)
    saved.keep(SavedSearch(name="s3", query="y"))


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b'[{"name": "a"}]'])
def test_a_damaged_file_is_said_and_not_overwritten(saved: SavedSearches, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "searches.json"
    file.write_bytes(data)
    for act in (saved.all, lambda: saved.keep(DEPLOYS)):
        with pytest.raises(Damaged):
            act()
    assert file.read_bytes() == data


def test_a_full_disk_leaves_what_was_kept(saved: SavedSearches, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    saved.keep(DEPLOYS)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(MemdeckError, match="No space left"):
            saved.keep(SavedSearch(name="other", query="x"))
    assert [one.name for one in saved.all()] == ["deploys"]


def test_a_disk_that_refuses_everything_is_told_as_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clearing up after a failed write failed as well, and hid what was to be told."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(MemdeckError, match="not saved: Input/output error"):
        SavedSearches(tmp_path / "searches.json").keep(SavedSearch(name="mine", query="queue"))
