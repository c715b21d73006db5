"""The cache of the operations' folder: few records are read, and none that changed is believed unread."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from engine.plans.operation import Operation, OperationState, Write
from engine.plans.records.operation_cache import OperationCache
from engine.plans.records.operation_fold import Moves, folded
from engine.plans.records.operations import Operations
from engine.state.database import StateDatabase
from tests.engine.plans.test_operations import make

LATER = 4_000_000_000_000_000_000
"""A clock far past every change, so that each listing can be relied on."""


class Counted:
    """A cache over records in `folder` that notes which of them it opens."""

    def __init__(self, folder: Path, now: int = LATER) -> None:
        self.opened: list[str] = []
        self._store = Operations(folder)
        self.cache = OperationCache(folder, self._load, lambda: now)

    def _load(self, name: str) -> Operation:
        self.opened.append(name)
        return self._store.named(name)

    def names(self) -> list[str]:
        return [outline.name for outline in self.cache.outlines()]


def filled(folder: Path, count: int = 30) -> Operations:
    folder.mkdir(exist_ok=True)
    store = Operations(folder)
    for number in range(count):
        store.save(make(f"o-20260315-{number + 1:04d}"))
    return store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "operations"


def test_a_second_look_opens_no_record_and_one_more_record_is_the_only_one_opened(folder: Path) -> None:
    store = filled(folder)
    first = Counted(folder)
    assert first.names() == list(store.ids()) and len(first.opened) == 30
    assert first.names() == list(store.ids()) and len(first.opened) == 30
    again = Counted(folder)
    assert again.names() == list(store.ids()) and again.opened == []
    store.save(make("o-20260316-0001"))
    assert again.names()[0] == "o-20260316-0001" and again.opened == ["o-20260316-0001"]


def test_a_record_that_is_saved_again_is_read_again(folder: Path) -> None:
    store = filled(folder, 3)
    counted = Counted(folder)
    counted.names()
    store.save(msgspec.structs.replace(make("o-20260315-0002"), state=OperationState.UNDONE))
    assert [outline.state.value for outline in counted.cache.outlines()] == ["done", "undone", "done"]
    assert counted.opened[3:] == ["o-20260315-0002"]


def test_a_record_that_is_gone_is_gone(folder: Path) -> None:
    filled(folder, 3)
    counted = Counted(folder)
    counted.names()
    (folder / "o-20260315-0002.json").unlink()
    assert counted.names() == ["o-20260315-0003", "o-20260315-0001"]


def test_a_folder_changed_a_moment_ago_is_listed_again(folder: Path) -> None:
    """Two records within one tick of the file system's clock may leave the folder the same time stamp."""
    store = filled(folder, 2)
    stamp = folder.stat()
    counted = Counted(folder, now=stamp.st_ctime_ns + 1)
    assert len(counted.names()) == 2
    store.save(make("o-20260316-0001"))
    os.utime(folder, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert len(counted.names()) == 3
    assert Counted(folder, now=stamp.st_ctime_ns + 1).names()[0] == "o-20260316-0001"


@pytest.mark.parametrize("spoil", ["cut", "altered", "empty", "folder", "other"])
def test_a_spoilt_cache_is_made_anew(folder: Path, spoil: str) -> None:
    store = filled(folder, 5)
    Counted(folder).names()
    file = folder.with_name("operations.cache")
    data = file.read_bytes()
    match spoil:
        case "cut":
            file.write_bytes(data[:-7])
        case "altered":
            file.write_bytes(data[:50] + bytes([data[50] ^ 1]) + data[51:])
        case "empty":
            file.write_bytes(b"")
        case "other":
            file.write_bytes(b"another program's file")
        case _:
            file.unlink()
            file.mkdir()
    counted = Counted(folder)
    assert counted.names() == list(store.ids()) and len(counted.opened) == 5


def test_a_damaged_record_is_named_with_its_reason_until_it_is_mended(folder: Path) -> None:
    store = filled(folder, 3)
    file = folder / "o-20260315-0002.json"
    whole = file.read_bytes()
    file.write_bytes(b"{")
    assert [finding.where for finding in store.damaged()] == ["operations/o-20260315-0002"]
    assert "cannot be read" in store.damaged()[0].what
    assert [operation.id for operation in store] == ["o-20260315-0003", "o-20260315-0001"]
    file.write_bytes(whole)
    assert store.damaged() == () and len(store.newest()) == 3


def test_what_is_shown_is_read_from_the_record_whatever_the_cache_says(folder: Path) -> None:
    """A record altered in place, its folder untouched, is shown as it is now, and every reader of all finds it."""
    store = filled(folder, 3)
    assert len(Counted(folder).names()) == 3
    altered = msgspec.structs.replace(make("o-20260315-0003"), effects=(Write("z.md", None, "9"),), done=(0,))
    (folder / "o-20260315-0003.json").write_bytes(msgspec.json.encode(altered))
    assert store.newest(1) == (altered,)
    assert store.readable()[0][0] == altered


def test_only_as_many_records_are_read_as_are_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(folder)
    store.outlines()
    read: list[str] = []
    real = Operations._read

    def noted(self: Operations, name: str) -> Operation:
        read.append(name)
        return real(self, name)

    monkeypatch.setattr(Operations, "_read", noted)
    assert [operation.id for operation in store.newest(4)] == list(store.ids())[:4]
    assert len(read) == 4
    assert store.load("o-20260315-0009").id == "o-20260315-0009" and len(read) == 5


def test_nothing_is_written_where_there_is_no_folder(folder: Path) -> None:
    assert Operations(folder).outlines() == [] and not folder.with_name("operations.cache").exists()


def test_a_cache_that_cannot_be_stored_costs_nothing_but_time(folder: Path) -> None:
    store = filled(folder, 2)
    folder.with_name("operations.cache").mkdir()
    assert len(store.outlines()) == 2 and len(Counted(folder).names()) == 2
    assert not list(folder.parent.glob(".operations.cache*")), "no leftovers"


def test_a_fold_takes_each_operation_once_and_begins_anew_where_its_last_is_gone(folder: Path, tmp_path: Path) -> None:
    store, database, taken = filled(folder, 3), StateDatabase(tmp_path), list[list[str]]()

    def fold(known: Moves, operations: Iterable[Operation]) -> Moves:
        taken.append([operation.id for operation in operations])
        return Moves({**known.places, taken[-1][-1]: ""}, through=taken[-1][-1])

    def kept() -> list[str]:
        return [*folded(database, "moves", store, Moves, fold).places]

    names = [f"o-20260315-{number:04d}" for number in (1, 2, 3)]
    assert kept() == kept() == [names[-1]] and taken == [names]
    store.save(make("o-20260316-0001"))
    assert kept() == [names[-1], "o-20260316-0001"] and taken[1:] == [["o-20260316-0001"]]
    (folder / "o-20260316-0001.json").unlink()
    assert kept() == [names[-1]] and taken[2:] == [names]
