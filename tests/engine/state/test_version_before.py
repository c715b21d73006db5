"""A workspace and its state folder, as the version before `state.db` left them: notes, plans and operations open.

`written_before.tar.xz` was written by that version: two cycles of the tree, of which the second was taken back, a plan
that was rejected, one of the compactor that is snoozed, a saved search, and a topic that was found useful.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import Stale
from engine.plans.operation import OperationKind
from engine.plans.plan import PlanState
from engine.services.engine import Engine
from tests.engine.state.unpacked import approval, unpacked

NOW = datetime(2026, 3, 16, 9, 40, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with unpacked("written_before.tar.xz", tmp_path, NOW) as opened:
        yield opened


def test_the_queue_has_its_plans_with_state_and_reason(engine: Engine) -> None:
    queue = {entry.id: entry for entry in engine.plans.queue()}
    assert {plan: entry.state for plan, entry in queue.items()} == {
        "p-20260315-0001": PlanState.APPLIED,
        "p-20260316-0001": PlanState.UNDONE,
        "p-20260316-0002": PlanState.REJECTED,
        "p-20260316-0003": PlanState.STALE,
    }
    # A policy of today has more settings than one of then: what was planned by that one is planned anew (decision G17).
    assert "policy" in queue["p-20260316-0003"].state_reason
    assert queue["p-20260316-0002"].state_reason == "not on a Friday"
    assert [len(engine.plans.load(plan).changes) for plan in sorted(queue)] == [21, 6, 6, 32]


def test_history_stands_and_its_chain_holds(engine: Engine) -> None:
    assert [(operation.id, operation.kind) for operation in engine.history.operations()] == [
        ("o-20260316-0002", OperationKind.UNDO),
        ("o-20260316-0001", OperationKind.APPLY),
        ("o-20260315-0001", OperationKind.APPLY),
    ]
    assert engine.history.verify() == ()
    assert [diff.path for diff in engine.history.diffs("o-20260316-0001")]


def test_an_operation_of_then_is_taken_back_and_one_undone_is_planned_anew(engine: Engine) -> None:
    assert (engine.workspace / "memory/ROOT.md").exists()
    with pytest.raises(Stale, match="the policy changed"):
        engine.history.redo("o-20260316-0001")
    reversal = engine.history.reversal("o-20260315-0001")
    engine.history.undo(reversal, approval(reversal, NOW))
    assert not (engine.workspace / "memory/ROOT.md").exists()
    assert engine.history.verify() == ()
