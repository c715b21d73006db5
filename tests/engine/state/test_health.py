"""A damaged or missing database is named, rebuilt as far as it can be, and stops nothing else."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from engine.errors import Damaged, MemdeckError
from engine.plans.planning import PlanRequest
from engine.schedule.job_runs import LastRuns
from engine.search.saved_searches import SavedSearch
from engine.services.engine import Engine
from engine.state.database import StateDatabase
from engine.state.health import damage, rebuild
from engine.state.private_files import hooked
from engine.state.table import FOLDED, StateTable, TableRows
from tests.engine.state.killed import KILLED, killed_at
from tests.engine.state.known_rows import rows_of, write_rows
from tests.engine.state.working_notes import with_working_notes

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


def _filled(folder: Path) -> dict[str, dict[str, bytes]]:
    """A database of some pages."""
    write_rows(folder)
    database = StateDatabase(folder)
    with database.transaction() as connection:
        for table in StateTable:
            for number in range(60):
                TableRows(connection, table).put(f"/key {number}", b'"2026-03-15T03:00:00Z"')
    database.close()
    return rows_of(folder)


@pytest.mark.parametrize("seed", range(12))
def test_b8_fifty_flipped_bytes_are_named_and_rebuilt(tmp_path: Path, seed: int) -> None:
    before = _filled(tmp_path)
    file = tmp_path / "state.db"
    data, dice = bytearray(file.read_bytes()), random.Random(seed)
    for _ in range(50):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    file.write_bytes(data)
    assert damage(tmp_path), "fifty bytes of this file never all lie where nothing is"
    told = rebuild(tmp_path, {})
    assert damage(tmp_path) == "" and {finding.id for finding in told} >= {"state_rebuilt"}
    after = rows_of(tmp_path)
    for table, rows in before.items():
        assert after[table].items() <= rows.items(), "no altered value comes back"
        if table in FOLDED:
            assert after[table] in (rows, {}), "whole, or made anew from the operations"
            continue
        if after[table] != rows:
            assert "state_lost" in {finding.id for finding in told}
    assert bytes(data) == (tmp_path / "state.db.damaged-1").read_bytes()
    assert rebuild(tmp_path, {}) == ()


def test_a_value_altered_in_a_whole_page_is_found_by_its_checksum(tmp_path: Path) -> None:
    before = _filled(tmp_path)
    file = tmp_path / "state.db"
    data = file.read_bytes()
    assert data.count(b"2099-03-18") == 1
    file.write_bytes(data.replace(b"2099-03-18", b"2098-03-18"))
    assert "snoozed plans" in damage(tmp_path)
    (_, lost) = rebuild(tmp_path, {})
    assert lost.what.endswith("snoozed plans")
    del before["snoozes"]["p-20260315-0001"]
    assert rows_of(tmp_path) == before


def test_all_tables_are_read_under_one_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite waits up to 10 s for a lock that a failing disk refuses: `recover` took that once for each table."""
    _filled(tmp_path)
    locked: list[bool] = []

    def looked(self: TableRows, least: str = "") -> Iterator[tuple[str, bytes]]:
        locked.append(self._connection.in_transaction)
        return readable(self, least)

    readable = TableRows.readable
    monkeypatch.setattr(TableRows, "readable", looked)
    assert damage(tmp_path) == ""
    assert len(locked) == len(StateTable) and all(locked)


@pytest.mark.sampled(3)
def test_a_kill_while_it_is_rebuilt_loses_nothing(tmp_path: Path) -> None:
    steps: list[str] = []
    for number in range(8):
        folder = tmp_path / str(number)
        before = _filled(folder)
        data = (folder / "state.db").read_bytes()
        (folder / "state.db").write_bytes(data.replace(b"2099-03-18", b"2098-03-18"))
        if not steps:
            with hooked(steps.append):
                rebuild(folder, {})
        elif number < len(steps):
            assert killed_at(number, partial(rebuild, folder, {})) == KILLED
            rebuild(folder, {})
        else:
            break
        del before["snoozes"]["p-20260315-0001"]
        assert rows_of(folder) == before and damage(folder) == ""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return with_working_notes(tmp_path / "agent")


@pytest.mark.parametrize("what", ["gone", "garbage"])
def test_a_damaged_database_stops_nothing_and_is_recovered(workspace: Path, what: str) -> None:
    with Engine.open(workspace) as console:
        state = console._opened.state.path
        console.search.saved.keep(SavedSearch(name="mine", query="queue"))
        console.plans.make("compact", PlanRequest(scheduled=True))
    if what == "gone":
        for left in state.glob("state.db*"):  # as `rm state.db*` would: the mark is not among them
            left.unlink()
    else:
        for left in state.glob("state.db-*"):
            left.unlink()
        (state / "state.db").write_bytes(b"garbage" * 1000)
    with Engine.open(workspace, clock=lambda: NOW) as console:
        (said,) = [item for item in console.status.read().degraded if item.id == "state"]
        assert "memdeck recover" in said.fix
        assert console.plans.queue()
        console.plans.make("compact", PlanRequest(scheduled=True))
        console.search.found_useful("memory/working/2026-02-01-note.md")
        with pytest.raises(Damaged):
            console.search.saved.keep(SavedSearch(name="other", query="queue"))
        assert "state_damaged" in {finding.id for finding in console.maintenance.check()}
        told = {finding.id: finding.what for finding in console.maintenance.recover()}
        assert "last runs of jobs, hooks and followers: 1" in told["state_rebuilt"]
        assert "records of nodes and of trust: from the operations" in told["state_rebuilt"]
        assert all(name in told["state_lost"] for name in ("judgements of decisions", "samples of the gauges"))
        assert "saved searches" in told["state_lost"]
        assert "state_damaged" not in {finding.id for finding in console.maintenance.check()}
        console.search.saved.keep(SavedSearch(name="other", query="queue"))
        assert not [item for item in console.status.read().degraded if item.id == "state"]


def test_a_folder_with_the_mark_of_the_version_before_misses_its_database(tmp_path: Path) -> None:
    (tmp_path / "state.db.made").touch()
    assert damage(tmp_path) == "it is missing, and it was here before"
    with pytest.raises(Damaged), StateDatabase(tmp_path).transaction():
        pass


def test_an_open_database_goes_on_with_the_new_one(tmp_path: Path) -> None:
    _filled(tmp_path)
    runs = LastRuns(StateDatabase(tmp_path))
    assert runs.all()
    (tmp_path / "state.db").write_bytes(b"garbage" * 1000)
    for left in tmp_path.glob("state.db-*"):
        left.unlink()
    rebuild(tmp_path, {"weekly": NOW})
    runs.record("daily", NOW)
    assert runs.all()["daily"] == NOW and runs._table.database.problem == ""


def test_after_a_wait_in_vain_the_next_is_short_until_a_write_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that refuses locks held up each save of the read marks for the whole wait."""
    monkeypatch.setattr("engine.state.database.BUSY_SECONDS", 0.02)
    monkeypatch.setattr("engine.state.database.BUSY_AGAIN_SECONDS", 0.01)
    database, other = StateDatabase(tmp_path), StateDatabase(tmp_path)

    def waited() -> int:
        try:
            with database.transaction() as connection:
                return int(next(iter(connection.execute("PRAGMA busy_timeout")))[0])
        except MemdeckError:
            return 0

    assert waited() == 20
    with other.transaction():
        assert [waited(), waited()] == [0, 0]
    assert [waited(), waited()] == [10, 20]
