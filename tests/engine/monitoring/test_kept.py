"""What is kept of the past, for how long, and how large (A10)."""

from datetime import timedelta
from pathlib import Path

import pytest

from engine.monitoring.retention import Retention, kept
from engine.plans.records.displaced import HOLD
from tests.engine.plans.rig import START, Rig, append, create


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    made = Rig(tmp_path / "agent", tmp_path / "state")
    made.write("memory/working/a.md", "12345\n")
    return made


def of(rig: Rig, after: timedelta = timedelta()) -> Retention:
    return kept(rig.ctx.displaced, rig.ctx.held, rig.ctx.operations.index.displaced(), START + after)


def test_nothing_is_kept_before_anything_was_displaced(rig: Rig) -> None:
    found = of(rig)
    assert (found.displaced, found.displaced_bytes, found.held, found.held_bytes) == ((), 0, (), 0)


def test_displaced_bytes_say_whose_they_were(rig: Rig) -> None:
    operation = rig.apply(append(1, "memory/working/a.md", "more\n"), create(2, "memory/episodic/x.md", "x\n"))
    found = of(rig)
    (item,) = found.displaced
    assert (item.path, item.operation, item.size) == ("memory/working/a.md", operation.id, 6)
    assert found.displaced_bytes == 6


def test_held_files_say_until_when_a10(rig: Rig) -> None:
    operation = rig.apply(append(1, "memory/working/a.md", "more\n"))
    found = of(rig)
    (held,) = found.held
    assert (held.path, held.operation, held.size, held.over) == ("memory/working/a.md", operation.id, 6, False)
    assert held.until - START >= HOLD and found.hold_hours == 24
    assert of(rig, timedelta(hours=25)).held[0].over
    Path(held.place).unlink()
    assert of(rig).held[0].size is None


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b'[{"path": 1}]'])
def test_a_damaged_record_is_a_problem_and_hides_nothing_else(rig: Rig, damage: bytes) -> None:
    operation = rig.apply(append(1, "memory/working/a.md", "more\n"))
    (rig.ctx.state.held_log / f"{operation.id}.json").write_bytes(damage)
    found = of(rig)
    assert found.held == () and len(found.displaced) == 1
    assert [problem.id for problem in found.problems] == ["held_damaged"]


def test_bytes_of_which_no_operation_is_known_are_listed_too(rig: Rig) -> None:
    rig.ctx.displaced.put(b"orphan")
    (item,) = of(rig).displaced
    assert (item.path, item.operation, item.size) == ("", "", 6)
