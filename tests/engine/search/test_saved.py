"""Saved searches: kept by name in the operator's state, whole or not at all."""

from datetime import date
from pathlib import Path

import msgspec
import pytest

from engine.errors import Damaged, UsageError
from engine.search.saved_searches import MOST, SavedSearch, SavedSearches
from engine.search.values import Category
from engine.state.database import StateDatabase

DEPLOYS = SavedSearch(name="deploys", query='"blue green" -test', category=Category.JOURNAL, since=date(2026, 1, 1))


@pytest.fixture
def saved(tmp_path: Path) -> SavedSearches:
    return SavedSearches(StateDatabase(tmp_path))


def test_what_is_kept_is_found_again_by_another_process(saved: SavedSearches, tmp_path: Path) -> None:
    assert saved.all() == ()
    saved.keep(DEPLOYS)
    saved.keep(SavedSearch(name="Ana", query="Ana"))
    again = SavedSearches(StateDatabase(tmp_path))
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
    with saved._table.change() as rows:
        for number in range(MOST):
            rows.put(f"s{number}", msgspec.json.encode(SavedSearch(name=f"s{number}", query="x")))
    with pytest.raises(UsageError, match="saved already"):
        saved.keep(DEPLOYS)
    saved.keep(SavedSearch(name="s3", query="y"))


def test_a_damaged_database_is_said_and_not_overwritten(saved: SavedSearches, tmp_path: Path) -> None:
    saved.keep(DEPLOYS)
    saved._table.database.close()
    (tmp_path / "state.db").write_bytes(b"no database at all")
    again = SavedSearches(StateDatabase(tmp_path))
    for act in (again.all, lambda: again.keep(DEPLOYS)):
        with pytest.raises(Damaged):
            act()
    assert (tmp_path / "state.db").read_bytes() == b"no database at all"
