"""The state's database is made and extended: nothing is lost, whenever that is killed."""

import shutil
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import apsw
import pytest

from engine.errors import Damaged, MemdeckError, Refused
from engine.monitoring.dry_runs import RunsWithoutPlan
from engine.monitoring.snooze import Snoozed
from engine.monitoring.trends import TrendLog
from engine.plans.records.operation_fold import TrustRecords
from engine.plans.trust_label import Trust
from engine.schedule.job_runs import LastRuns
from engine.search.results.recency import References
from engine.search.saved_searches import SavedSearch, SavedSearches
from engine.search.values import Category
from engine.sessions.follows import FollowStore, ReadMarkStore
from engine.sessions.tail import ReadMark
from engine.state.database import PRAGMAS, StateDatabase
from engine.state.migrations import MIGRATIONS, expected_schema, migrate
from engine.state.private_files import hooked
from engine.state.table import StateTable, Table
from engine.topics.decision_log import DecisionLog, Useful
from engine.tree.survey.records import NodeRecord, TreeRecords
from engine.workspace.private_database import connect
from tests.engine.state.killed import KILLED, killed_at
from tests.engine.state.known_rows import ROWS, rows_of, write_rows


def test_every_kind_of_fact_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_rows(tmp_path)
    database = StateDatabase(tmp_path)
    weekly, daily = datetime(2026, 3, 15, 3, tzinfo=UTC), datetime(2026, 3, 16, 4, 30, tzinfo=UTC)
    assert LastRuns(database).all() == {"weekly": weekly, "daily": daily}
    deploys = SavedSearch(name="deploys", query='"blue green" -test', category=Category.JOURNAL, since=date(2026, 1, 1))
    assert SavedSearches(database).all() == (SavedSearch(name="Ana", query="Ana", operators=True), deploys)
    assert References(database).count("knowledge/a.md") == 3
    assert FollowStore(database).now().missing == (Path("/home/user/one.jsonl"), Path("/home/user/two"))
    assert Snoozed(database).all() == {"p-20260315-0001": datetime(2099, 3, 18, 3, tzinfo=UTC)}
    mark = ReadMark(1, 2, 300, "256:ab")
    assert ReadMarkStore(database, "console").load("/w") == {"memory/conversations/a.md": mark}
    assert ReadMarkStore(database, "console").load("/x") == {}
    assert ReadMarkStore(database, "watch").load("/x") is None
    assert [sample.values for sample in TrendLog(database).samples()] == [{"working.files": 13}, {"working.files": 14}]
    log = DecisionLog(database)
    assert [(one.message, one.useful) for one in log.judgements()] == [("m1", Useful.YES)]
    assert [entry.text for entry in log.judged_entries()] == ["ship it"] and log.tally().messages == 1
    assert Table(database, StateTable.OPERATION_FOLDS).values(TreeRecords)["tree"].nodes[
        "memory/ROOT.md"
    ] == NodeRecord("ab")
    assert (
        Table(database, StateTable.OPERATION_FOLDS).values(TrustRecords)["trust"].paths["MEMORY.md"].trust
        is Trust.AGENT
    )
    assert RunsWithoutPlan(database).load("r-20260315-0001").text == "Trigger: none\n"


def test_a_folder_of_which_nothing_is_remembered_gets_no_database(tmp_path: Path) -> None:
    assert rows_of(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_a_kill_at_any_step_loses_nothing(tmp_path: Path) -> None:
    """The process ends just before each step in turn; the next one goes on."""
    steps: list[str] = []
    with hooked(steps.append):
        write_rows(tmp_path / "whole")
    assert len(steps) >= len(MIGRATIONS)
    for number in range(len(steps)):
        folder = tmp_path / str(number)
        assert killed_at(number, partial(write_rows, folder)) == KILLED
        write_rows(folder)
        assert rows_of(folder) == ROWS, steps[number]


def test_the_tables_that_a_version_before_lacked_are_made(tmp_path: Path) -> None:
    connection = connect(tmp_path / "state.db", PRAGMAS, 0)
    with connection:
        migrate(connection, steps=MIGRATIONS[:4])
    connection.close()
    assert set(rows_of(tmp_path, read_only=True)) == set(rows_of(tmp_path)) == set(ROWS)


def test_read_only_writes_nothing_and_knows_all(tmp_path: Path) -> None:
    write_rows(tmp_path)
    data = (tmp_path / "state.db").read_bytes()
    assert rows_of(tmp_path, read_only=True) == ROWS
    assert (tmp_path / "state.db").read_bytes() == data
    database = StateDatabase(tmp_path, read_only=True)
    with pytest.raises(Refused, match="read-only"), database.transaction():
        pass
    LastRuns(database).record("weekly", datetime(2027, 1, 1, tzinfo=UTC))
    assert rows_of(tmp_path) == ROWS
    assert rows_of(tmp_path, read_only=True) == ROWS


def test_a_database_that_is_gone_or_emptied_is_no_new_one(tmp_path: Path) -> None:
    LastRuns(StateDatabase(tmp_path)).record("weekly", datetime(2026, 3, 15, tzinfo=UTC))
    for emptied in (False, True):
        (tmp_path / "state.db").write_bytes(b"")
        if not emptied:
            (tmp_path / "state.db").unlink()
        for left in tmp_path.glob("state.db-*"):
            left.unlink()
        database = StateDatabase(tmp_path)
        assert LastRuns(database).all() == {} and "missing or empty" in database.problem
        with pytest.raises(Damaged, match="missing or empty"), database.transaction():
            pass


def test_another_programs_file_and_a_later_version_are_left_alone(tmp_path: Path) -> None:
    foreign = apsw.Connection(str(tmp_path / "state.db"))
    foreign.execute("CREATE TABLE theirs(x)")
    foreign.close()
    with pytest.raises(Damaged, match="not memdeck's"), StateDatabase(tmp_path).transaction():
        pass
    (tmp_path / "state.db").unlink()
    database = StateDatabase(tmp_path)
    with database.transaction() as connection:
        connection.execute("INSERT INTO migrations VALUES('of next year')")
    database.close()
    with pytest.raises(MemdeckError, match="later memdeck"), StateDatabase(tmp_path).transaction():
        pass


def test_no_trigger_and_no_view_of_the_file_is_run(tmp_path: Path) -> None:
    LastRuns(StateDatabase(tmp_path)).record("weekly", datetime(2026, 3, 15, tzinfo=UTC))
    foreign = apsw.Connection(str(tmp_path / "state.db"))
    foreign.execute("CREATE TRIGGER t AFTER INSERT ON job_runs BEGIN DELETE FROM job_runs; END")
    foreign.close()
    LastRuns(StateDatabase(tmp_path)).record("daily", datetime(2026, 3, 15, tzinfo=UTC))
    assert len(LastRuns(StateDatabase(tmp_path)).all()) == 2


def test_the_tables_are_those_of_the_schema(tmp_path: Path) -> None:
    rows_of(tmp_path)
    database = StateDatabase(tmp_path)
    with database.transaction() as connection:
        made = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    assert made == expected_schema()


def test_the_file_may_be_replaced_under_an_open_database(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        LastRuns(StateDatabase(tmp_path / name)).record(name, datetime(2026, 3, 15, tzinfo=UTC))
    runs = LastRuns(StateDatabase(tmp_path / "one"))
    assert list(runs.all()) == ["one"]
    runs._table.database.close()
    again = LastRuns(StateDatabase(tmp_path / "one"))
    assert list(again.all()) == ["one"]
    shutil.copy(tmp_path / "other/state.db", tmp_path / "one/new")
    (tmp_path / "one/new").replace(tmp_path / "one/state.db")
    for left in (tmp_path / "one").glob("state.db-*"):
        left.unlink()
    assert list(again.all()) == ["other"]
