"""Recovery: what a crash left is finished or taken back; a second run changes nothing (B1)."""

import shutil
from pathlib import Path

import pytest

from engine.errors import Refused
from engine.plans.apply.context import CommitOutcome
from engine.plans.apply.entry import apply
from engine.plans.apply.recovery import recover
from engine.plans.apply.undo import reversal, undo
from engine.plans.operation import OperationState
from engine.plans.plan import PlanState
from engine.plans.records.journal import load_journal
from engine.state.private_files import hooked
from engine.state.workspace_lock import hold
from engine.workspace.values import Finding
from tests.engine.plans.campaign import Crash
from tests.engine.plans.rig import START, Rig, append, create, move, overwrite, tree

CHANGES = (
    create(1, "memory/episodic/a.md", "summary\n"),
    append(2, "memory/semantic/openclaw.md", "Title: y\n"),
    overwrite(3, "memory/notes.md", "new\n"),
    move(4, "memory/working/a.md", "memory/archive/a.md"),
)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    rig.write("memory/working/a.md", "alpha\n")
    rig.write("memory/semantic/openclaw.md", "Title: x\n")
    rig.write("memory/notes.md", "old\n")
    return rig


def crash(rig: Rig, step: str, nth: int = 1) -> None:
    """Applies the changes and crashes before the n-th step of that name; the rig is then a new process."""
    plan = rig.plan(*CHANGES)
    left = [nth]

    def hook(name: str) -> None:
        left[0] -= name == step
        if name == step and left[0] == 0:
            raise Crash

    with hooked(hook), pytest.raises(Crash):
        apply(rig.ctx, plan, rig.approve(plan))
    rig.ctx = rig.open()


def recovered(rig: Rig) -> Finding:
    """The one finding of recovering; a second run finds nothing and changes nothing."""
    (finding,) = [found for found in recover(rig.ctx) if found.id == "recovered"]
    settled = tree(rig.folder.parent)
    assert recover(rig.ctx) == ()
    assert tree(rig.folder.parent) == settled
    assert load_journal(rig.ctx.state) is None
    return finding


def test_nothing_to_recover(rig: Rig) -> None:
    assert recover(rig.ctx) == ()
    rig.apply(*CHANGES)
    assert recover(rig.ctx) == ()


def test_before_the_first_effect_everything_is_dropped(rig: Rig) -> None:
    before = rig.tree()
    crash(rig, "stage-fsync", 3)
    assert rig.tree() == before
    assert rig.ctx.queue.entries()[0].state is PlanState.APPLYING
    assert "was undone" in recovered(rig).what
    assert rig.tree() == before
    assert list(rig.ctx.state.stage.iterdir()) == []
    entry = rig.ctx.queue.entries()[0]
    assert entry.state is PlanState.PENDING
    plan = rig.ctx.queue.load(entry.id)
    assert apply(rig.ctx, plan, rig.approve(plan)).state is OperationState.DONE


def test_in_the_middle_it_goes_forward(rig: Rig) -> None:
    before = rig.tree()
    crash(rig, "exchange", 2)
    assert "was finished" in recovered(rig).what
    assert rig.read("memory/notes.md") == b"new\n"
    assert rig.read("memory/archive/a.md") == b"alpha\n"
    (operation,) = tuple(rig.ctx.operations.walk())
    assert operation.state is OperationState.DONE
    assert rig.ctx.queue.entries()[0].state is PlanState.APPLIED
    assert rig.ctx.audit.records()[-1].head == operation.audit_head
    rig.undo()
    assert rig.tree() == before


def test_what_stands_against_the_commit_is_told(rig: Rig) -> None:
    """Nobody saw the message of the operation that was cut off: recovering has to tell that git is behind."""
    crash(rig, "exchange", 2)
    rig.with_ctx(commit=lambda *_: CommitOutcome(None, ("not committed: a merge is under way",)))
    (finding,) = recover(rig.ctx)
    assert finding.what == "it was cut off, and was finished; not committed: a merge is under way"


def test_a_foreign_write_since_the_crash_takes_it_back(rig: Rig) -> None:
    before = rig.tree()
    crash(rig, "exchange", 2)
    rig.write("memory/notes.md", "old\nagent\n")
    assert "was undone" in recovered(rig).what
    assert rig.tree() == before | {"memory/notes.md": b"old\nagent\n"}
    assert next(rig.ctx.operations.walk()).state is OperationState.CONFLICT
    assert rig.ctx.queue.entries()[0].state is PlanState.CONFLICT


def test_what_cannot_be_taken_back_is_told_and_can_be_undone(rig: Rig) -> None:
    crash(rig, "exchange", 2)
    rig.write("memory/notes.md", "old\nagent\n")
    rig.write("memory/episodic/a.md", "summary\nagent\n")
    finding = recovered(rig)
    assert "only in part" in finding.what
    operation = next(rig.ctx.operations.walk())
    assert finding.fix == f"memdeck undo {operation.id}"
    assert operation.state is OperationState.PARTIAL
    assert operation.done == (0,)
    assert rig.read("memory/semantic/openclaw.md") == b"Title: x\n"


def test_a_crash_while_rolling_back_goes_on_rolling_back(rig: Rig) -> None:
    before = rig.tree()
    plan = rig.plan(*CHANGES)
    count = [0]

    def hook(name: str) -> None:
        if name == "exchange":
            count[0] += 1
            if count[0] == 2:
                raise OSError(5, "Input/output error")
            if count[0] == 3:
                raise Crash

    with hooked(hook), pytest.raises(Crash):
        apply(rig.ctx, plan, rig.approve(plan))
    rig.ctx = rig.open()
    assert rig.read("memory/semantic/openclaw.md") == b"Title: x\nTitle: y\n"
    assert "was undone" in recovered(rig).what
    assert rig.tree() == before


def test_a_crash_in_an_undo_is_recovered_too(rig: Rig) -> None:
    before = rig.tree()
    rig.apply(*CHANGES)
    what = reversal(rig.ctx)
    approval = rig.approve_undo(what)

    def hook(name: str) -> None:
        if name == "exchange":
            raise Crash

    with hooked(hook), pytest.raises(Crash):
        undo(rig.ctx, what, approval)
    rig.ctx = rig.open()
    recovered(rig)
    assert rig.tree() == before
    assert [operation.state for operation in rig.ctx.operations.walk()] == [
        OperationState.DONE,
        OperationState.UNDONE,
    ]
    assert rig.ctx.queue.entries()[0].state is PlanState.UNDONE


def test_the_approval_of_a_crashed_apply_is_spent(rig: Rig) -> None:
    """G11: used once, crash or not."""
    crash(rig, "stage-fsync", 2)
    recover(rig.ctx)
    (spent,) = [record.data["nonce"] for record in rig.ctx.audit.records() if record.kind == "approval"]
    assert spent in rig.ctx.audit.spent_nonces()


def test_a_torn_record_is_named(rig: Rig) -> None:
    """G21: nothing is cut off; a record names it."""
    rig.apply(*CHANGES)
    with rig.ctx.state.audit.open("ab") as log:
        log.write(b'{"at":"2026-')
    rig.ctx = rig.open()
    (finding,) = recover(rig.ctx)
    assert finding.id == "audit_torn"
    assert rig.ctx.audit.verify() == ()
    assert b'{"at":"2026-' in rig.ctx.state.audit.read_bytes()
    assert recover(rig.ctx) == ()


def test_unknown_litter_is_held_and_known_litter_goes(rig: Rig) -> None:
    rig.apply(overwrite(1, "memory/notes.md", "new\n"))
    (rig.ctx.state.stage / "unknown").write_text("who wrote this?")
    (rig.ctx.state.stage / "known").write_text("old\n")
    (rig.ctx.state.stage / "empty").write_text("")
    (finding,) = recover(rig.ctx)
    assert finding.id == "litter"
    assert (rig.ctx.state.held / "litter-unknown").read_text() == "who wrote this?"
    assert list(rig.ctx.state.stage.iterdir()) == []
    (rig.ctx.state.stage / "unknown").write_text("another")
    recover(rig.ctx)
    assert (rig.ctx.state.held / "litter-unknown-1").read_text() == "another"
    assert recover(rig.ctx) == ()


def test_litter_in_the_workspace_is_moved_aside_too(rig: Rig) -> None:
    rig.write(".memdeck/stage/left", "left by a crash")
    (finding,) = recover(rig.ctx)
    assert (rig.folder / ".memdeck/held/litter-left").read_text() == "left by a crash"
    assert finding.where.endswith(".memdeck/held/litter-left")
    assert recover(rig.ctx) == ()


def test_a_plan_stuck_in_applying_is_freed(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    rig.ctx.queue.set_state(plan.id, PlanState.APPLYING, "", rig.clock(), "o-20260315-0001")
    (finding,) = recover(rig.ctx)
    assert (finding.id, finding.where) == ("plan_state", plan.id)
    assert rig.ctx.queue.entry(plan.id).state is PlanState.PENDING


@pytest.mark.parametrize("folder", ["operations", "queue", "queue/bodies", "held-log"])
def test_temporaries_of_dead_processes_go(rig: Rig, folder: str) -> None:
    litter = rig.ctx.state.path / folder / ".o-20260315-0001.json.999999999-1.new"
    litter.parent.mkdir(exist_ok=True)
    litter.write_bytes(b"{")
    recover(rig.ctx)
    assert not litter.exists()


@pytest.mark.parametrize("folder", ["", "queue", "operations", "displaced", "held", "held-log"])
def test_recovering_does_without_folders_that_were_deleted_under_it(rig: Rig, folder: str) -> None:
    shutil.rmtree(rig.ctx.state.path / folder)
    rig.ctx.state.path.mkdir(exist_ok=True)
    assert recover(rig.ctx) == ()


def test_recovering_waits_for_nobody_alive(rig: Rig) -> None:
    with hold(rig.ctx.state, now=START, purpose="applying p-1"), pytest.raises(Refused, match="applying p-1"):
        recover(rig.ctx)


def test_staged_content_that_was_tampered_with_is_never_put_in_place(rig: Rig) -> None:
    """A crash leaves approved content waiting; bytes that are not the approved ones do not go forward."""
    before = rig.tree()
    crash(rig, "exchange", 1)
    for staged in rig.ctx.state.stage.iterdir():
        staged.write_text("evil")
    assert "was undone" in recovered(rig).what
    assert rig.tree() == before


def test_staging_that_vanished_is_told_from_effects_that_took_place(rig: Rig) -> None:
    before = rig.tree()
    crash(rig, "exchange", 1)
    shutil.rmtree(rig.ctx.state.stage)
    assert "was undone" in recovered(rig).what
    assert rig.tree() == before


def test_each_staged_file_that_nobody_knows_is_held_by_a_name_of_its_own(rig: Rig) -> None:
    for number in range(4):
        rig.ctx.state.stage.mkdir(exist_ok=True, parents=True)
        (rig.ctx.state.stage / "left").write_text(f"bytes {number}\n")
        assert [finding.id for finding in recover(rig.ctx)] == ["litter"]
    held = {file.name: file.read_text() for file in rig.ctx.state.held.glob("litter-*")}
    names = ("litter-left", "litter-left-1", "litter-left-2", "litter-left-3")
    assert held == {name: f"bytes {number}\n" for number, name in enumerate(names)}
