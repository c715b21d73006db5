"""A state folder of files becomes one with a database: nothing is lost, whenever it is killed."""

import shutil
import stat
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import apsw
import pytest

from engine.errors import Damaged, MemdeckError, Refused
from engine.monitoring.dry_runs import RunsWithoutPlan
from engine.monitoring.snooze import Snoozed
from engine.monitoring.trends import TrendLog
from engine.plans.records.trust import TrustRecords
from engine.plans.trust import Trust
from engine.schedule.job_runs import LastRuns
from engine.search.results.references import References
from engine.search.saved_searches import SavedSearch, SavedSearches
from engine.search.values import Category
from engine.sessions.follows import FollowStore
from engine.sessions.read_marks import ReadMarkStore
from engine.sessions.tail import ReadMark
from engine.state.database import PRAGMAS, StateDatabase
from engine.state.failpoints import hooked
from engine.state.files_before import keep_beside, unreadable
from engine.state.migrations import MIGRATIONS, expected_schema, migrate
from engine.state.rows import DECISIONS, JUDGEMENTS, OPERATION_FOLDS
from engine.state.table import Table
from engine.topics.decision_log import DecisionLog, Useful
from engine.tree.survey.records import NodeRecord, TreeRecords
from engine.workspace.private_database import connect
from tests.engine.state.before import FILES, FIRST, LATER, ROWS, files_of, fill_decisions, rows_of, write_before
from tests.engine.state.killed import KILLED, killed_at


def test_every_kind_of_fact_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_before(tmp_path)
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
    assert Table(database, OPERATION_FOLDS).values(TreeRecords)["tree"].nodes["memory/ROOT.md"] == NodeRecord("ab")
    assert Table(database, OPERATION_FOLDS).values(TrustRecords)["trust"].paths["MEMORY.md"].trust is Trust.AGENT
    assert RunsWithoutPlan(database).load("r-20260315-0001").text == "Trigger: none\n"


def test_decisions_that_still_lie_in_a_write_ahead_log_are_taken_over_with_it(tmp_path: Path) -> None:
    """As a console leaves it that was killed, or that still runs."""
    running = apsw.Connection(str(tmp_path / "decisions.db"))
    running.execute("PRAGMA journal_mode=wal").fetchall()
    fill_decisions(running)
    assert rows_of(tmp_path, read_only=True)[JUDGEMENTS] == ROWS[JUDGEMENTS]
    assert rows_of(tmp_path)[DECISIONS] == ROWS[DECISIONS]
    running.close()
    assert rows_of(tmp_path)[DECISIONS] == ROWS[DECISIONS]
    assert not list(tmp_path.glob("decisions.db*"))


def test_the_files_are_kept_beside_and_taken_over_once(tmp_path: Path) -> None:
    write_before(tmp_path)
    assert rows_of(tmp_path) == ROWS
    assert files_of(tmp_path / "before-state-db") == FILES
    assert stat.S_IMODE((tmp_path / "state.db").stat().st_mode) == 0o600
    assert not {*FILES} & {*files_of(tmp_path)}
    (tmp_path / "snoozed.json").write_bytes(b'{"p-late":"2099-03-18T03:00:00Z"}')  # by a memdeck of before
    assert rows_of(tmp_path) == ROWS


def test_what_cannot_be_read_is_kept_and_named(tmp_path: Path) -> None:
    write_before(tmp_path)
    (tmp_path / "snoozed.json").write_bytes(b"[" * 100_000)
    (tmp_path / "references.json").write_bytes(b"\xff")
    found = rows_of(tmp_path)
    assert found == {**ROWS, "snoozes": {}, "search_references": {}}
    assert [file.name for file in unreadable(tmp_path)] == ["references.json", "snoozed.json"]


def test_a_folder_of_which_nothing_is_remembered_gets_no_database(tmp_path: Path) -> None:
    assert rows_of(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.sampled(3)
def test_a_kill_at_any_step_loses_nothing(tmp_path: Path) -> None:
    """The process ends just before each step in turn; the next one goes on."""
    steps: list[str] = []
    write_before(tmp_path / "whole")
    with hooked(steps.append):
        rows_of(tmp_path / "whole")
    assert len(steps) >= 15
    for number in range(len(steps)):
        folder = tmp_path / str(number)
        write_before(folder)
        assert killed_at(number, partial(rows_of, folder)) == KILLED
        assert rows_of(folder, read_only=True) == ROWS, steps[number]
        assert rows_of(folder) == ROWS, steps[number]
        assert files_of(folder / "before-state-db") == FILES, steps[number]


def _with_the_first_database(folder: Path) -> None:
    """A state folder as the first version with a database left it: its tables, and the files it did not know."""
    write_before(folder, FIRST)
    connection = connect(folder / "state.db", PRAGMAS, 0)
    with connection:
        migrate(connection, folder, steps=MIGRATIONS[:2])
    connection.close()
    keep_beside(folder)
    (folder / "state.db.made").touch()
    write_before(folder, LATER)


def test_the_first_database_gets_the_tables_and_files_that_it_lacks(tmp_path: Path) -> None:
    _with_the_first_database(tmp_path)
    assert rows_of(tmp_path, read_only=True) == ROWS
    assert "trends" in files_of(tmp_path)
    assert rows_of(tmp_path) == ROWS
    assert files_of(tmp_path / "before-state-db") == FILES


@pytest.mark.sampled(3)
def test_a_kill_while_the_first_database_is_extended_loses_nothing(tmp_path: Path) -> None:
    steps: list[str] = []
    _with_the_first_database(tmp_path / "whole")
    with hooked(steps.append):
        rows_of(tmp_path / "whole")
    for number in range(len(steps)):
        folder = tmp_path / str(number)
        _with_the_first_database(folder)
        assert killed_at(number, partial(rows_of, folder)) == KILLED
        assert rows_of(folder, read_only=True) == ROWS, steps[number]
        assert rows_of(folder) == ROWS, steps[number]
        assert files_of(folder / "before-state-db") == FILES, steps[number]


def test_read_only_writes_nothing_and_knows_all(tmp_path: Path) -> None:
    write_before(tmp_path)
    assert rows_of(tmp_path, read_only=True) == ROWS
    assert files_of(tmp_path) == FILES
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
