"""Ten processes write each kind of fact at the same time: nothing is lost."""

import multiprocessing
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from engine.errors import Damaged
from engine.lifecycle.capture.records import ClosedTranscript, TranscriptRecords
from engine.lifecycle.references.reference_days import ReferenceDays, ReferenceKind
from engine.models.cost_ledger import CostLedger, LedgerLine
from engine.monitoring.comments import MOST as MOST_COMMENTS
from engine.monitoring.comments import CommentedLines, DiffComments
from engine.monitoring.dry_runs import MOST as MOST_RUNS
from engine.monitoring.dry_runs import RunsWithoutPlan
from engine.monitoring.gauges import GaugeReading
from engine.monitoring.snooze import Snoozed
from engine.monitoring.trends import TrendLog
from engine.plans.operation import Operation, OperationKind, OperationState
from engine.plans.plan import Plan, QueueEntry, RiskTier
from engine.plans.planning import PlanOutcome
from engine.plans.records.operation_fold import load_trust
from engine.plans.records.operations import Operations
from engine.schedule.job_runs import LastRuns
from engine.search.results.recency import References
from engine.search.saved_searches import MOST, SavedSearch, SavedSearches
from engine.sessions.follows import MOST as MOST_FOLLOWED
from engine.sessions.follows import FollowStore, ReadMarkStore
from engine.sessions.tail import ReadMark
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table
from engine.topics.decision import MatchResult
from engine.topics.decision_log import DecisionLog, LogEntry, Useful
from tests.engine.state.known_rows import rows_of
from tests.turn import part
from tests.values import compaction, entry_of

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
    entry = msgspec.structs.replace(_ENTRY, id=f"p-{process}-{number % 50}")
    Snoozed(database).snooze(entry, AT + timedelta(days=1), AT)


def _marks(database: StateDatabase, process: int, number: int) -> None:
    ReadMarkStore(database, "watch").save(f"/{process}", {"a": ReadMark(1, 2, number)})


def _sample(database: StateDatabase, process: int, number: int) -> None:
    """Samples of one gauge, a minute between them: as many come through as are due when they come."""
    reading = GaugeReading(id="working.files", unit="files", value=number, limits=())
    TrendLog(database).record([reading], AT + timedelta(minutes=number))


def _dry_run(database: StateDatabase, process: int, number: int) -> None:
    nothing = PlanOutcome(plan=None, reason_no_action=f"{process} {number}", report="", facts={})
    RunsWithoutPlan(database).keep("compact", nothing, made_at=AT, now=AT, simulated_clock=False)


def _message(database: StateDatabase, process: int, number: int) -> None:
    """Half of the messages are heard by two processes."""
    key = f"{process if number % 2 else process // 2}-{number}"
    said = LogEntry(key=key, at=AT, session="s", source="a", role="user", text="hi", result=MatchResult(id=key))
    DecisionLog(database).add([said])


def _judgement(database: StateDatabase, process: int, number: int) -> None:
    DecisionLog(database).judge(f"{process}-{number}", "deploys", Useful.YES, AT)


def _transcript(database: StateDatabase, process: int, number: int) -> None:
    closed = ClosedTranscript(session="s", path=f"{process}-{number}.md", sha256="", turns=1, closed_at=AT)
    TranscriptRecords(database).keep(closed)


def _compaction(database: StateDatabase, process: int, number: int) -> None:
    Table(database, StateTable.COMPACTIONS).keep(f"{process}-{number}", b"{}")


def _blind(database: StateDatabase, process: int, number: int) -> None:
    with Table(database, StateTable.BLIND_ANSWERS).change() as rows:
        rows.put(f"digest {process}-{number}", b'"tie"')


def _loaded(database: StateDatabase, process: int, number: int) -> None:
    Table(database, StateTable.LOADED_FILES).keep(f"{process}-{number}", b"{}")


def _day_of_use(database: StateDatabase, process: int, number: int) -> None:
    """Each process is of use to the same file on days of its own."""
    day = date(2026, 1, 1) + timedelta(days=number)
    ReferenceDays(database).add(tuple(ReferenceKind)[process % 3], [f"{number % 2}.md"], day)


def _comment(database: StateDatabase, process: int, number: int) -> None:
    """Two processes comment on the same plan: each comment gets a number of its own."""
    lines = CommentedLines(change=1, path="a.md", first=1, last=1)
    at = datetime(2026, 3, 15, tzinfo=UTC) + timedelta(seconds=number)
    DiffComments(database).add(f"p-20260315-{process % 2:04d}{number // 10:02d}", "", lines, "why?", at)


def _word(database: StateDatabase, process: int, number: int) -> None:
    Table(database, StateTable.FACT_WORDS).keep(f"{process}-{number}", b"{}")


def _verified(database: StateDatabase, process: int, number: int) -> None:
    Table(database, StateTable.VERIFIED_LINES).keep(f"{process}-{number}", b"{}")


def _rule(database: StateDatabase, process: int, number: int) -> None:
    Table(database, StateTable.QUEUE_RULES).keep(f"{process}-{number}", b"{}")


def _backup(database: StateDatabase, process: int, number: int) -> None:
    Table(database, StateTable.SESSION_BACKUPS).keep(f"{process}-{number}", b"{}")


def _flush_mark(database: StateDatabase, process: int, number: int) -> None:
    Table(database, StateTable.FLUSH_MARKS).keep(f"{process}-{number}", b"{}")


def _fold(database: StateDatabase, process: int, number: int) -> None:
    """The shortcut is lost again and again, and made anew from the operations by whoever looks."""
    if number % 2:
        with Table(database, StateTable.OPERATION_FOLDS).change() as rows:
            rows.drop("trust")
    load_trust(database, Operations(database.folder / "operations"), _no_plan)


def _no_plan(plan_id: str) -> Plan:
    raise Damaged(plan_id)


_ENTRY: QueueEntry = entry_of(compaction(1))
KINDS: dict[str, tuple[Write, Callable[[int], int]]] = {
    "job_runs": (_job, lambda each: PROCESSES * each),
    "saved_searches": (_search, lambda each: min(MOST, PROCESSES * each)),
    "search_references": (_reference, lambda each: 1),
    "followed_paths": (_follow, lambda each: min(MOST_FOLLOWED, PROCESSES * each)),
    "snoozes": (_snooze, lambda each: PROCESSES * min(50, each)),
    "read_marks": (_marks, lambda each: PROCESSES),
    "gauge_samples": (_sample, lambda each: each),
    "dry_runs": (_dry_run, lambda each: min(MOST_RUNS, PROCESSES * each)),
    "decisions": (_message, lambda each: PROCESSES * (each // 2) + PROCESSES // 2 * (each - each // 2)),
    "tallies": (_message, lambda each: 1),
    "judgements": (_judgement, lambda each: PROCESSES * each),
    "operation_folds": (_fold, lambda each: 1),
    "transcripts": (_transcript, lambda each: PROCESSES * each),
    "compactions": (_compaction, lambda each: PROCESSES * each),
    "fact_words": (_word, lambda each: PROCESSES * each),
    "verified_lines": (_verified, lambda each: PROCESSES * each),
    "queue_rules": (_rule, lambda each: PROCESSES * each),
    "diff_comments": (_comment, lambda each: min(MOST_COMMENTS, PROCESSES * each)),
    "reference_days": (_day_of_use, lambda each: min(2, each)),
    "loaded_files": (_loaded, lambda each: PROCESSES * each),
    "blind_answers": (_blind, lambda each: PROCESSES * each),
    "flush_marks": (_flush_mark, lambda each: PROCESSES * each),
    "session_backups": (_backup, lambda each: PROCESSES * each),
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
    (folder / "operations").mkdir()
    for number in range(1, 4):
        Operations(folder / "operations").save(_operation(number))
    rows = _all_write(kind, folder, each)
    assert len(rows) == KINDS[kind][1](each)
    match kind:
        case "search_references":
            assert rows == {"shared.md": str(PROCESSES * each).encode()}
        case "read_marks":
            assert all(f'"offset":{each - 1}'.encode() in body for body in rows.values())
        case "tallies":
            assert DecisionLog(StateDatabase(folder)).tally().messages == KINDS["decisions"][1](each)
        case "operation_folds":
            assert b'"through":"o-20260315-0003"' in rows["trust"]


def _operation(number: int) -> Operation:
    return Operation(
        id=f"o-20260315-{number:04d}",
        kind=OperationKind.APPLY,
        plan="p-20260315-0001",
        system="compact",
        trigger="",
        risk_tier=RiskTier.B,
        state=OperationState.DONE,
        started_at=AT,
        finished_at=AT,
        simulated_clock=False,
        numbers=(),
        effects=(),
        done=(),
    )


SAMPLE = part(sorted(KINDS))


def test_every_table_has_its_processes() -> None:
    assert {*KINDS} == {*StateTable}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", SAMPLE)
def test_nothing_is_lost_between_ten_processes(tmp_path: Path, kind: str) -> None:
    """All of them also make the database, at the same moment. A tenth of the kinds, others at the next commit."""
    _check(kind, tmp_path, 12)


def _spend(file: Path, process: int, each: int) -> None:
    ledger = CostLedger(file)
    for _ in range(each):
        line = LedgerLine(time=AT, role="gate", model="m", input=1, output=1, usd=0.5)
        ledger.book(ledger.reserve(line), line)


@pytest.mark.parametrize("each", [5, pytest.param(200, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_no_call_is_missing_in_the_ledger_of_ten_processes(tmp_path: Path, each: int) -> None:
    """The one record that several processes write which is a file: what was paid is known without the database."""
    context = multiprocessing.get_context("fork")
    spending = [context.Process(target=_spend, args=(tmp_path / "ledger.jsonl", n, each)) for n in range(PROCESSES)]
    for one in spending:
        one.start()
    for one in spending:
        one.join()
    assert [one.exitcode for one in spending] == [0] * PROCESSES
    ledger = CostLedger(tmp_path / "ledger.jsonl")
    assert (len(ledger.lines()), ledger.total("gate")) == (PROCESSES * each, PROCESSES * each * 0.5)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_of_ten_thousand_writes(tmp_path: Path, kind: str) -> None:
    _check(kind, tmp_path, 1000)
