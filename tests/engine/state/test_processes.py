"""Ten processes write each kind of fact at the same time: nothing is lost."""

import multiprocessing
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from engine.monitoring.snooze import Snoozed
from engine.plans.plan import QueueEntry
from engine.schedule.last_runs import LastRuns
from engine.search.results.references import References
from engine.search.saved_searches import MOST, SavedSearch, SavedSearches
from engine.sessions.follows import MOST as MOST_FOLLOWED
from engine.sessions.follows import FollowStore
from engine.sessions.read_marks import ReadMarkStore
from engine.sessions.tail import ReadMark
from engine.state.database import StateDatabase
from tests.engine.state.before import rows_of, write_before
from tests.tui.fake_engine import compaction, entry_of

PROCESSES = 10
AT = datetime(2026, 3, 15, tzinfo=UTC)
Write = Callable[[StateDatabase, int, int], None]


def _job(database: StateDatabase, process: int, number: int) -> None:
    LastRuns(database).record(f"{process}-{number}", AT)


def _search(database: StateDatabase, process: int, number: int) -> None:
    """As many as may be saved, each written again and again; every other one is forgotten first."""
    searches, name = SavedSearches(database), f"{process}-{number % (MOST // PROCESSES)}"
    if number % 2 and number >= MOST // PROCESSES:
        searches.forget(name)
    searches.keep(SavedSearch(name=name, query=str(number)))


def _reference(database: StateDatabase, process: int, number: int) -> None:
    References(database).add("shared.md")


def _follow(database: StateDatabase, process: int, number: int) -> None:
    follows, path = FollowStore(database), database.folder / f"followed/{process}-{number % 5}"
    if number >= 5:
        follows.forget(path)
    follows.add(path)


def _snooze(database: StateDatabase, process: int, number: int) -> None:
    entry = msgspec.structs.replace(_ENTRY, id=f"p-{process}-{number}")
    Snoozed(database).snooze(entry, AT + timedelta(days=1), AT)


def _marks(database: StateDatabase, process: int, number: int) -> None:
    ReadMarkStore(database, "watch").save(f"/{process}", {"a": ReadMark(1, 2, number)})


_ENTRY: QueueEntry = entry_of(compaction(1))
KINDS: dict[str, tuple[Write, Callable[[int], int]]] = {
    "job_runs": (_job, lambda each: PROCESSES * each),
    "saved_searches": (_search, lambda each: min(MOST, PROCESSES * each)),
    "search_references": (_reference, lambda each: 1),
    "followed_paths": (_follow, lambda each: min(MOST_FOLLOWED, PROCESSES * each)),
    "snoozes": (_snooze, lambda each: PROCESSES * each),
    "read_marks": (_marks, lambda each: PROCESSES),
}
"""How one process writes each kind, and how many rows all leave."""


def _work(kind: str, folder: Path, process: int, each: int, start: float) -> None:
    time.sleep(max(0.0, start - time.monotonic()))
    database = StateDatabase(folder)
    for number in range(each):
        KINDS[kind][0](database, process, number)
    database.close()


def _all_write(kind: str, folder: Path, each: int) -> dict[str, bytes]:
    context = multiprocessing.get_context("fork")
    start = time.monotonic() + 0.2
    workers = [context.Process(target=_work, args=(kind, folder, n, each, start)) for n in range(PROCESSES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    return rows_of(folder)[kind]


def _check(kind: str, folder: Path, each: int) -> None:
    for process in range(PROCESSES):
        for number in range(5):
            (folder / f"followed/{process}-{number}").mkdir(parents=True, exist_ok=True)
    rows = _all_write(kind, folder, each)
    assert len(rows) == KINDS[kind][1](each)
    if kind == "search_references":
        assert rows == {"shared.md": str(PROCESSES * each).encode()}
    if kind == "read_marks":
        assert all(f'"offset":{each - 1}'.encode() in body for body in rows.values())


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_between_ten_processes(tmp_path: Path, kind: str) -> None:
    """All of them also make the database, at the same moment."""
    _check(kind, tmp_path, 12)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_of_ten_thousand_writes(tmp_path: Path, kind: str) -> None:
    _check(kind, tmp_path, 1000)


def test_ten_processes_that_open_a_folder_of_files_take_it_over_once(tmp_path: Path) -> None:
    write_before(tmp_path)
    rows = _all_write("search_references", tmp_path, 3)
    assert rows == {"knowledge/a.md": b"3", "memory/2026-03-01.md": b"1", "shared.md": b"30"}
