"""A sparse file of a terabyte in any place that memdeck reads: told as a change, never taken into memory."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from engine.errors import Blocked, Conflict, Refused, Stale
from engine.plans.apply import entry as applying
from engine.plans.apply import preconditions
from engine.plans.apply.entry import apply
from engine.plans.apply.recovery import recover
from engine.plans.damage import check
from engine.plans.operation import OperationState
from engine.plans.plan import PlanState
from engine.plans.records.displaced import late_bytes
from engine.services.engine import Engine
from engine.state.private_files import hooked
from tests.engine.plans.rig import Rig, append, create, move, overwrite

HUGE = 1 << 40


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    rig.write("memory/notes.md", "notes\n")
    return rig


def inflate(rig: Rig, path: str) -> None:
    file = rig.folder / path
    file.touch()
    os.truncate(file, HUGE)


def test_a_huge_input_is_stale_in_the_queue_and_when_applied(rig: Rig) -> None:
    plan = rig.plan(append(1, "memory/notes.md", "more\n"))
    inflate(rig, "memory/notes.md")
    with pytest.raises(Stale, match="changed since the plan was made") as stale:
        apply(rig.ctx, plan, rig.approve(plan))
    assert stale.value.where == "memory/notes.md"
    assert rig.ctx.queue.entry(plan.id).state is PlanState.STALE


def test_a_status_tells_a_huge_input(rig: Rig) -> None:
    rig.write("memory/working/2026-01-01-a.md", "# A\n\nDecision: keep it.\n" * 5)
    env = {"XDG_STATE_HOME": str(rig.home / "s"), "XDG_CONFIG_HOME": str(rig.home / "c"), "HOME": str(rig.home)}
    with Engine.open(rig.folder, env=env) as console:
        assert console.plans.make("compact").plan is not None
        inflate(rig, "memory/working/2026-01-01-a.md")
        assert console.status.read().queue.stale == 1
        (entry,) = console.plans.queue()
        assert "2026-01-01-a.md changed" in entry.state_reason


def test_a_plan_that_would_make_a_file_huge_is_blocked(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its undo could not read it back."""
    plan = rig.plan(append(1, "memory/notes.md", "more\n" * 100))
    monkeypatch.setattr(preconditions, "MAX_KEPT", 100)
    with pytest.raises(Blocked, match="larger than 100 bytes"):
        applying.apply(rig.ctx, plan, rig.approve(plan))
    assert rig.read("memory/notes.md") == b"notes\n"


def test_a_huge_file_stands_in_the_way_of_an_undo(rig: Rig) -> None:
    rig.apply(append(1, "memory/notes.md", "more\n"))
    inflate(rig, "memory/notes.md")
    with pytest.raises(Refused, match="was changed by another program"):
        rig.undo()


def test_a_huge_file_in_the_archive_is_damage(rig: Rig) -> None:
    rig.apply(move(1, "memory/notes.md", "memory/archive/notes.md"))
    inflate(rig, "memory/archive/notes.md")
    (finding,) = check(rig.ctx)
    assert finding.id == "archive_damaged"
    assert "larger than 64 MiB" in finding.what


def test_a_held_file_that_is_made_huge_is_told_and_stays(rig: Rig) -> None:
    with (rig.folder / "memory/notes.md").open("ab", buffering=0) as kept:
        rig.apply(overwrite(1, "memory/notes.md", "new notes\n"))
        os.truncate(kept.fileno(), HUGE)
    (finding,) = late_bytes(rig.ctx.state, rig.ctx.displaced)
    assert finding.held.path == "memory/notes.md"
    assert [found.id for found in check(rig.ctx)] == ["late_bytes"]
    recover(rig.ctx)
    (held,) = rig.ctx.state.held.iterdir()
    assert held.stat().st_size == HUGE
    rig.undo()
    assert rig.read("memory/notes.md") == b"notes\n"


@pytest.mark.parametrize("step", range(1, 60, 4))
def test_files_that_become_huge_while_applying(tmp_path: Path, step: int) -> None:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    before = {path: f"{path}\n" for path in ("memory/a.md", "memory/b.md", "memory/c.md")}
    for path, text in before.items():
        rig.write(path, text)
    plan = rig.plan(
        overwrite(1, "memory/a.md", "new\n"), move(2, "memory/b.md", "memory/d.md"), create(3, "memory/e.md", "e\n")
    )
    left = [step]

    def hook(_: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            for path in (*before, "memory/d.md", "memory/e.md"):
                if (rig.folder / path).is_file():
                    inflate(rig, path)

    with hooked(hook), suppress(Conflict, Refused, Stale):
        apply(rig.ctx, plan, rig.approve(plan))
    operation = next(rig.ctx.operations.walk())
    assert operation.state is not OperationState.RUNNING
    assert recover(rig.ctx) == ()
