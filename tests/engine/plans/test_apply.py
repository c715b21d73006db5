from pathlib import Path

import pytest

from engine.plans.operation import OperationState
from engine.plans.plan import PlanState
from engine.plans.recover import recover
from engine.plans.undo import redo
from tests.engine.plans.rig import Rig, append, create, move, overwrite


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    rig.write("memory/working/a.md", "alpha\n")
    rig.write("memory/semantic/openclaw.md", "Title: x\n")
    rig.write("memory/notes.md", "old\n")
    return rig


def test_apply_and_undo_give_back_the_exact_tree(rig: Rig) -> None:
    before = rig.tree()
    operation = rig.apply(
        create(1, "memory/episodic/a.md", "summary\n"),
        append(2, "memory/semantic/openclaw.md", "Title: y\n"),
        overwrite(3, "memory/notes.md", "new\n"),
        move(4, "memory/working/a.md", "memory/archive/a-archived-2026-03-15.md"),
    )
    assert operation.state is OperationState.DONE
    assert rig.read("memory/semantic/openclaw.md") == b"Title: x\nTitle: y\n"
    assert rig.read("memory/notes.md") == b"new\n"
    assert rig.read("memory/archive/a-archived-2026-03-15.md") == b"alpha\n"
    assert not (rig.folder / "memory/working/a.md").exists()
    assert rig.ctx.queue.entry(operation.plan).state is PlanState.APPLIED
    after = rig.tree()
    rig.undo()
    assert rig.tree() == before
    assert rig.ctx.queue.entry(operation.plan).state is PlanState.UNDONE
    plan = rig.ctx.queue.put(redo(rig.ctx), rig.clock())
    from engine.plans.apply import apply

    apply(rig.ctx, plan, rig.approve(plan))
    assert rig.tree() == after
    assert recover(rig.ctx) == ()
    assert rig.ctx.audit.verify([op.audit_head for op in rig.ctx.operations.list() if op.audit_head]) == ()
