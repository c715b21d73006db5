"""A state folder that 0.1.0 wrote opens whole under each later 1.x (docs/compatibility.md).

`written_by_0.1.0.tar.xz` was written by that version: a cycle of the tree that was taken back and one that stands, a
plan of the compactor that is snoozed and commented, a rejected plan, and facts in the tables of `state.db`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.monitoring.snooze import Snoozed
from engine.monitoring.trends import TrendLog
from engine.plans.operation import OperationKind
from engine.plans.plan import OPEN_STATES, PlanState
from engine.schedule.job_runs import LastRuns
from engine.search.results.recency import References
from engine.search.saved_searches import SavedSearches
from engine.services.engine import Engine
from engine.sessions.follows import FollowStore
from engine.state.database import StateDatabase
from engine.topics.decision_log import DecisionLog
from engine.workspace.values import FindingKind
from tests.engine.state.unpacked import approval, unpacked

NOW = datetime(2026, 3, 17, 9, 40, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with unpacked("written_by_0.1.0.tar.xz", tmp_path, NOW) as opened:
        yield opened


def test_the_queue_the_history_and_the_chain_stand(engine: Engine) -> None:
    queue = {entry.id: (entry.system, entry.state) for entry in engine.plans.queue()}
    # It waits, or its policy has fewer settings than today's and it is planned anew (decision G17).
    assert queue.pop("p-20260316-0002")[1] in OPEN_STATES | {PlanState.STALE}
    assert queue == {
        "p-20260316-0001": ("tree", PlanState.UNDONE),
        "p-20260316-0003": ("tree", PlanState.APPLIED),
        "p-20260316-0004": ("condense", PlanState.REJECTED),
    }
    assert len(engine.plans.load("p-20260316-0002").changes) == 32
    kinds = [operation.kind for operation in engine.history.operations()]
    assert kinds == [OperationKind.APPLY, OperationKind.UNDO, OperationKind.APPLY]
    assert engine.history.verify() == ()
    assert {finding.kind for finding in engine.maintenance.check(deep=True)} <= {FindingKind.NOTICE}


def test_every_fact_of_the_database_is_read(engine: Engine) -> None:
    (comment,) = engine.comments.of_plan("p-20260316-0002")
    assert comment.text == "say it shorter"
    database = StateDatabase(engine.state_folder, read_only=True)
    assert [search.name for search in SavedSearches(database).all()] == ["Ana", "deploys"]
    assert Snoozed(database).all() == {"p-20260316-0002": datetime(2026, 3, 20, 9, tzinfo=UTC)}
    assert set(LastRuns(database).all()) == {"daily", "weekly"}
    assert References(database).count("knowledge/a.md") == 3
    assert len(FollowStore(database).now().missing) == 2
    assert len(TrendLog(database).samples()) == 3
    assert [one.topic for one in DecisionLog(database).judgements()] == ["deploys"]
    assert not database.problem
    database.close()


def test_what_was_applied_then_is_taken_back_now_and_planned_again(engine: Engine) -> None:
    root = engine.workspace / "memory/ROOT.md"
    assert root.exists()
    reversal = engine.history.reversal("o-20260316-0003")
    engine.history.undo(reversal, approval(reversal, NOW))
    assert not root.exists() and engine.history.verify() == ()
    again = engine.plans.make("tree").plan
    assert again is not None and any(change.path == "memory/ROOT.md" for change in again.changes)
