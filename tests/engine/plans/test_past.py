"""What a past operation did can still be shown, whatever happened since."""

from pathlib import Path

import pytest

from engine.plans.diff import FileDiff, RowKind
from engine.plans.operation import Operation
from engine.plans.past_effects import LOST, operation_diffs
from tests.engine.plans.rig import Rig, append, create, move, overwrite

NOTE = "memory/working/a.md"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    made = Rig(tmp_path / "agent", tmp_path / "state")
    made.write(NOTE, "one\n")
    made.write("memory/working/b.md", "b\n")
    return made


def of(rig: Rig, operation: Operation, *, with_plan: bool = True) -> tuple[FileDiff, ...]:
    plan = rig.ctx.queue.load(operation.plan) if with_plan else None
    return operation_diffs(operation, plan, rig.ctx.root.read, rig.ctx.displaced.get)


def added(diff: FileDiff) -> list[str]:
    return [row.text for row in diff.rows if row.kind is RowKind.ADDED]


def removed(diff: FileDiff) -> list[str]:
    return [row.text for row in diff.rows if row.kind is RowKind.REMOVED]


def test_each_effect_has_its_diff(rig: Rig) -> None:
    operation = rig.apply(
        create(1, "memory/x.md", "new\n"), append(2, NOTE, "two\n"), move(3, "memory/working/b.md", "memory/b.md")
    )
    diffs = {diff.path: diff for diff in of(rig, operation)}
    assert added(diffs["memory/x.md"]) == ["new"] and diffs["memory/x.md"].created
    assert added(diffs[NOTE]) == ["two"] and removed(diffs[NOTE]) == []
    moved = diffs["memory/working/b.md"]
    assert moved.to == "memory/b.md" and "1 line" in moved.note and (moved.added, moved.removed) == (0, 0)


def test_what_was_written_is_rebuilt_from_the_plan_once_the_file_has_changed(rig: Rig) -> None:
    operation = rig.apply(append(1, NOTE, "two\n"), append(2, NOTE, "three\n"))
    rig.write(NOTE, "all else\n")
    (diff,) = of(rig, operation)
    assert added(diff) == ["two", "three"]
    assert of(rig, operation, with_plan=False)[0].note == LOST


def test_only_the_chosen_changes_are_shown(rig: Rig) -> None:
    plan = rig.plan(append(1, NOTE, "two\n"), append(2, NOTE, "three\n"))
    from engine.plans.apply.entry import apply

    operation = apply(rig.ctx, plan, rig.approve(plan, (2,)))
    rig.write(NOTE, "all else\n")
    assert added(of(rig, operation)[0]) == ["three"]


def test_an_undo_shows_what_it_gave_back(rig: Rig) -> None:
    rig.apply(overwrite(1, NOTE, "other\n"), create(2, "memory/x.md", "new\n"))
    diffs = {diff.path: diff for diff in of(rig, rig.undo())}
    assert (removed(diffs[NOTE]), added(diffs[NOTE])) == (["other"], ["one"])
    assert removed(diffs["memory/x.md"]) == ["new"] and diffs["memory/x.md"].gone


def test_lost_bytes_are_said_to_be_lost(rig: Rig) -> None:
    operation = rig.apply(overwrite(1, NOTE, "other\n"))
    for file in rig.ctx.state.displaced.glob("??/*"):
        file.write_bytes(b"damaged")
    (diff,) = of(rig, operation)
    assert (diff.rows, diff.note) == ((), LOST)


def test_an_undone_operation_still_shows_what_it_had_done(rig: Rig) -> None:
    operation = rig.apply(append(1, NOTE, "two\n"), create(2, "memory/x.md", "new\n"))
    rig.undo()
    diffs = {diff.path: diff for diff in of(rig, rig.ctx.operations.load(operation.id))}
    assert (added(diffs[NOTE]), added(diffs["memory/x.md"])) == (["two"], ["new"])
