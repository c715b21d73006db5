"""Undo and redo: the exact tree back, or refused with the reason (G20, B6)."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from engine.errors import Damaged, Refused, Stale, UsageError
from engine.plans.apply.entry import apply
from engine.plans.apply.undo import redo, reversal, undo
from engine.plans.operation import Operation, OperationKind, OperationState
from engine.plans.plan import Confirmation, PlanState, RiskTier
from engine.plans.policy.values import ContextPolicy, Policy
from engine.state.workspace_lock import Owner
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import LineSpan
from tests.engine.plans.rig import START, Rig, append, create, move, overwrite

CHANGES = (
    create(1, "memory/episodic/deep/a.md", "summary\n"),
    append(2, "memory/semantic/openclaw.md", "Title: y\n"),
    overwrite(3, "memory/notes.md", "new\n"),
    move(4, "memory/working/a.md", "memory/archive/a.md"),
)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    rig.write("memory/working/a.md", "alpha\n")
    rig.write("memory/semantic/openclaw.md", b"\xef\xbb\xbfTitle: x\r\n")
    rig.write("memory/notes.md", "old\n")
    return rig


def test_b6_undo_gives_back_the_exact_tree_and_redo_the_other_one(rig: Rig) -> None:
    """B6: bytes and folders; then again, as often as one likes."""
    before = rig.tree()
    rig.apply(*CHANGES)
    after = rig.tree()
    for _ in range(3):
        undone = rig.undo()
        assert rig.tree() == before
        assert undone.kind is OperationKind.UNDO
        plan = rig.ctx.queue.put(redo(rig.ctx), rig.clock())
        assert plan.redoes is not None
        assert plan.risk_tier is RiskTier.C, "redo is a plan of the original tier"
        redone = apply(rig.ctx, plan, rig.approve(plan))
        assert redone.redoes == undone.undoes
        assert rig.tree() == after


def test_g20_one_yes_for_the_reverse_effects(rig: Rig) -> None:
    """G20: the reversal is what the operator sees; the approval binds to it."""
    operation = rig.apply(*CHANGES)
    what = reversal(rig.ctx)
    assert what.operation == operation.id
    assert what.numbers == (1, 2, 3, 4)
    other = msgspec.structs.replace(rig.approve_undo(what), target=operation.id)
    with pytest.raises(Refused, match="something else"):
        undo(rig.ctx, what, other)
    part = msgspec.structs.replace(rig.approve_undo(what), numbers=(1,))
    with pytest.raises(Refused, match="other changes"):
        undo(rig.ctx, what, part)
    approval = rig.approve_undo(what)
    undone = undo(rig.ctx, what, approval)
    assert (undone.undoes, undone.plan, undone.risk_tier) == (operation.id, operation.plan, RiskTier.B)
    original = rig.ctx.operations.load(operation.id)
    assert (original.state, original.undone_by) == (OperationState.UNDONE, undone.id)
    assert rig.ctx.queue.entry(operation.plan).state is PlanState.UNDONE
    with pytest.raises(Refused, match="used already"):
        undo(rig.ctx, what, approval)
    assert [record.kind for record in rig.ctx.audit.records()][-3:] == ["approval", "intent", "result"]


def test_undo_works_without_git_and_after_held_files_are_gone(rig: Rig) -> None:
    before = rig.tree()
    rig.apply(*CHANGES)
    for file in rig.ctx.state.held.iterdir():
        file.unlink()
    rig.undo()
    assert rig.tree() == before


def test_b6_an_older_operation_is_undone_where_nothing_overlaps(rig: Rig) -> None:
    first = rig.apply(overwrite(1, "memory/notes.md", "one\n"))
    second = rig.apply(append(1, "memory/semantic/openclaw.md", "Title: z\n"))
    rig.undo(first.id)
    assert rig.read("memory/notes.md") == b"old\n"
    assert rig.ctx.operations.load(second.id).state is OperationState.DONE
    rig.undo()
    assert rig.read("memory/semantic/openclaw.md") == b"\xef\xbb\xbfTitle: x\r\n"
    with pytest.raises(Refused, match="no operation to undo"):
        reversal(rig.ctx)


def test_a_later_operation_in_the_way_is_named(rig: Rig) -> None:
    first = rig.apply(overwrite(1, "memory/notes.md", "one\n"))
    second = rig.apply(append(1, "memory/notes.md", "two\n"))
    with pytest.raises(Refused) as refused:
        reversal(rig.ctx, first.id)
    assert second.id in refused.value.message
    assert refused.value.where == "memory/notes.md"
    assert f"memdeck undo {second.id} first" in refused.value.line()
    rig.undo()
    rig.undo()
    assert rig.read("memory/notes.md") == b"old\n"


def refusal(rig: Rig, operation: Operation) -> str:
    before = rig.tree()
    with pytest.raises(Refused) as refused:
        reversal(rig.ctx, operation.id)
    assert rig.tree() == before
    return refused.value.line()


def test_the_records_are_read_once_however_many_files_were_moved(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record of 5,000 changes takes milliseconds to read: for each moved file anew, the diff came after 15 s."""
    names = "abcdef"
    for name in names:
        rig.write(f"memory/working/{name}.md", name)
    rig.apply(*(move(i, f"memory/working/{name}.md", f"memory/archive/{name}.md") for i, name in enumerate(names, 1)))
    walked = tuple(rig.ctx.operations.walk())
    walks = iter((walked, walked))
    monkeypatch.setattr(type(rig.ctx.operations), "walk", lambda _: next(walks))
    assert len(reversal(rig.ctx).effects) == len(names)


def test_a_foreign_change_in_the_way_is_named(rig: Rig) -> None:
    operation = rig.apply(*CHANGES)
    rig.write("memory/notes.md", "new\nagent\n")
    assert "memory/notes.md: it was changed by another program" in refusal(rig, operation)
    rig.write("memory/notes.md", "new\n")
    (rig.folder / "memory/episodic/deep/a.md").unlink()
    assert "memory/episodic/deep/a.md: it is gone" in refusal(rig, operation)
    rig.write("memory/episodic/deep/a.md", "summary\n")
    rig.write("memory/working/a.md", "a new note\n")
    assert "memory/working/a.md: its place is taken" in refusal(rig, operation)
    (rig.folder / "memory/working/a.md").unlink()
    rig.write("memory/archive/a.md", "rewritten\n")
    assert "memory/archive/a.md: it was changed" in refusal(rig, operation)


def test_the_half_done_work_of_another_memdeck_is_no_foreign_change(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two operators undo at once: the second looks while the first is half-way."""
    rig.apply(*CHANGES)
    rig.write("memory/notes.md", "on its way back\n")
    other = Owner(pid=os.getpid() + 1, boot="b", started="1", host="h", since=START, purpose="undoing o-1")
    monkeypatch.setattr("engine.plans.apply.undo.owner", lambda _: other)
    with pytest.raises(Refused, match="undoing o-1 is running"):
        reversal(rig.ctx)


def test_a_change_between_the_diff_and_the_yes_is_refused(rig: Rig) -> None:
    rig.apply(*CHANGES)
    what = reversal(rig.ctx)
    approval = rig.approve_undo(what)
    rig.write("memory/notes.md", "agent\n")
    before = rig.tree()
    with pytest.raises(Refused, match="changed by another program"):
        undo(rig.ctx, what, approval)
    assert rig.tree() == before
    forged = msgspec.structs.replace(what, effects=what.effects[:1])
    rig.write("memory/notes.md", "new\n")
    with pytest.raises(Stale, match="look again"):
        undo(rig.ctx, forged, rig.approve_undo(forged))


def test_lost_bytes_are_damage_not_a_half_undo(rig: Rig) -> None:
    operation = rig.apply(*CHANGES)
    sha256 = sha256_hex(b"old\n")
    (rig.ctx.state.displaced / sha256[:2] / sha256).write_bytes(b"rot")
    with pytest.raises(Damaged, match="altered"):
        reversal(rig.ctx, operation.id)


def test_an_undo_is_taken_back_by_redo_alone(rig: Rig) -> None:
    rig.apply(*CHANGES)
    undone = rig.undo()
    with pytest.raises(Refused, match="redo"):
        reversal(rig.ctx, undone.id)
    assert undone.undoes is not None
    with pytest.raises(Refused, match="undone: nothing of it stands"):
        reversal(rig.ctx, undone.undoes)
    assert redo(rig.ctx, undone.id).redoes == undone.undoes
    with pytest.raises(UsageError):
        reversal(rig.ctx, "o-20260315-0099")


def test_folders_with_something_else_in_them_stay(rig: Rig) -> None:
    rig.apply(*CHANGES)
    rig.write("memory/episodic/deep/agents.md", "mine\n")
    rig.undo()
    assert rig.read("memory/episodic/deep/agents.md") == b"mine\n"
    assert not (rig.folder / "memory/archive").exists()


def test_undo_keeps_the_mode_of_files(rig: Rig) -> None:
    (rig.folder / "memory/notes.md").chmod(0o640)
    rig.apply(*CHANGES)
    assert (rig.folder / "memory/notes.md").stat().st_mode & 0o777 == 0o640
    rig.undo()
    assert (rig.folder / "memory/notes.md").stat().st_mode & 0o777 == 0o640


# Redo -------------------------------------------------------------------------------------------------------------


def test_redo_of_some_changes_is_a_plan_of_those_alone(rig: Rig) -> None:
    """Numbers, needs, questions and inputs are those of the part that was applied."""
    changes = (
        CHANGES[0],
        CHANGES[1],
        msgspec.structs.replace(CHANGES[2], requires=(2,), sources=(LineSpan("memory/working/b.md", 1, 2),)),
        CHANGES[3],
    )
    rig.write("memory/working/b.md", "beta\n")
    questions = (Confirmation("dup", "Twice?", changes=(3,)), Confirmation("other", "Else?", changes=(1,)))
    plan = rig.plan(*changes, confirmations=questions)
    apply(rig.ctx, plan, rig.approve(plan, (2, 3), {"dup": "meant"}))
    rig.undo()
    rig.write("memory/working/a.md", "changed, and not about these two\n")
    again = redo(rig.ctx)
    assert [(change.n, change.path) for change in again.changes] == [
        (1, "memory/semantic/openclaw.md"),
        (2, "memory/notes.md"),
    ]
    assert again.changes[1].requires == (1,)
    assert again.confirmations == (Confirmation("dup", "Twice?", changes=(2,)),)
    assert {item.path for item in again.inputs} == {"memory/semantic/openclaw.md", "memory/notes.md"}


def test_redo_is_refused_where_the_ground_has_moved(rig: Rig) -> None:
    rig.apply(*CHANGES)
    rig.undo()
    rig.write("memory/notes.md", "agent\n")
    with pytest.raises(Stale) as stale:
        redo(rig.ctx)
    assert stale.value.where == "memory/notes.md"
    rig.write("memory/notes.md", "old\n")
    other = Rig(rig.folder, rig.home, policy=Policy(context=ContextPolicy(window_tokens=1)), clock=rig.clock)
    with pytest.raises(Stale, match="policy changed"):
        redo(other.ctx)


def test_redo_goes_back_step_by_step(rig: Rig) -> None:
    first = rig.apply(overwrite(1, "memory/notes.md", "one\n"))
    second = rig.apply(append(1, "memory/semantic/openclaw.md", "Title: z\n"))
    with pytest.raises(UsageError, match="no undone operation"):
        redo(rig.ctx)
    with pytest.raises(Refused, match="not undone"):
        redo(rig.ctx, first.id)
    rig.undo()
    rig.undo()
    for expected in (first.id, second.id):
        plan = rig.ctx.queue.put(redo(rig.ctx), rig.clock())
        assert plan.redoes == expected
        apply(rig.ctx, plan, rig.approve(plan))
    with pytest.raises(UsageError, match="no undone operation"):
        redo(rig.ctx)


def test_undo_of_a_plan_whose_record_is_gone_works_and_redo_says_so(rig: Rig) -> None:
    before = rig.tree()
    rig.apply(*CHANGES)
    shutil.rmtree(rig.ctx.state.queue)
    rig.ctx = rig.open()
    rig.undo()
    assert rig.tree() == before
    with pytest.raises(UsageError, match="no such plan"):
        redo(rig.ctx)
