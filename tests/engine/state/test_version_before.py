"""A workspace and its state folder, as the version before `state.db` left them: notes, plans and operations open.

`written_before.tar.xz` was written by that version: two cycles of the tree, of which the second was taken back, a plan
that was rejected, one of the compactor that is snoozed, a saved search, and a topic that was found useful.
"""

import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import Stale
from engine.plans.approval import Approval, Witness
from engine.plans.grant import grant
from engine.plans.operation import OperationKind, Reversal
from engine.plans.plan import PlanState
from engine.services.engine import Engine
from engine.state.folder import StateFolder, state_home
from engine.workspace.paths import WorkspaceRoot

NOW = datetime(2026, 3, 16, 9, 40, tzinfo=UTC)
WITNESS = Witness(tty="/dev/pts/1", processes=("bash(1)",), user="ana", channel="terminal")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """The workspace in another place: its state folder takes the name that belongs to it."""
    with tarfile.open(Path(__file__).with_name("written_before.tar.xz")) as written:
        # Before 3.11.4 Python knows no filter; the archive is the tests' own.
        written.extraction_filter = getattr(tarfile, "data_filter", None)
        written.extractall(tmp_path)
    folder, env = tmp_path / "agents" / "silas", {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    (there,) = (tmp_path / "state" / "memdeck" / "workspaces").iterdir()
    with WorkspaceRoot.open(folder) as root:
        state = StateFolder.locate(root.identity, state_home(env)).path
    for made in sorted(state.rglob("*"), reverse=True):
        made.rmdir() if made.is_dir() else made.unlink()
    state.rmdir()
    there.rename(state)
    with Engine.open(folder, env=env, clock=lambda: NOW) as opened:
        yield opened


def approval(reversal: Reversal) -> Approval:
    return grant(
        target=reversal.digest,
        numbers=reversal.numbers,
        risk_tier=reversal.risk_tier,
        typed="y",
        answers=(),
        witness=WITNESS,
        now=NOW,
        nonce="0" * 16,
        shown="each",
    )


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
    engine.history.undo(reversal, approval(reversal))
    assert not (engine.workspace / "memory/ROOT.md").exists()
    assert engine.history.verify() == ()
