"""A link or a folder in a place that a plan would write: named when planning, and no plan is queued (promise A9)."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.services.engine import Engine

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    (folder / "memory" / "working").mkdir(parents=True)
    (folder / "memory" / "2026-03-10.md").write_text("# Log\n- We decided to keep the queue because it drained.\n")
    for day in range(1, 13):
        text = f"# Day {day}\n\n- We decided to keep the queue number {day} because a rollback took {day} minutes.\n"
        (folder / "memory" / "working" / f"2026-02-{day:02}-note.md").write_text(text)
    return folder


def link(place: Path) -> None:
    target = place.parent.parent / "elsewhere"
    target.write_text("x") if place.suffix else target.mkdir()
    place.symlink_to(target)


@pytest.mark.parametrize(
    ("system", "place", "make", "kind"),
    [
        ("tree", "memory/ROOT.md", link, "a link"),
        ("tree", "memory/ROOT.md", Path.mkdir, "a folder"),
        ("tree", "memory/ROOT.md", os.mkfifo, "no regular file"),
        ("tree", "memory/daily", link, "a link"),
        ("tree", "memory/daily", Path.touch, "no folder"),
        ("compact", "memory/episodic", link, "a link"),
        ("compact", "memory/archive", link, "a link"),
    ],
)
def test_a9_an_obstacle_is_named_when_planning_and_by_status(
    workspace: Path, system: str, place: str, make: Callable[[Path], object], kind: str
) -> None:
    make(workspace / place)
    with Engine.open(workspace, now=NOW) as console:
        outcome = console.plans.make(system)
        assert outcome.plan is None and console.plans.queue() == ()
        reason = outcome.reason_no_action or ""
        if system == "tree":
            assert reason == f"{place} is {kind}; remove it, then plan again"
        assert place in reason and kind in reason
        told = [item for item in console.status.read().degraded if item.id == "obstacle"]
        assert [(item.what, item.fix) for item in told] == [
            (f"{place} is {kind}: no plan can write there", "remove it, then plan again")
        ]
        obstacle = workspace / place
        obstacle.rmdir() if obstacle.is_dir() and not obstacle.is_symlink() else obstacle.unlink()
        assert console.plans.make(system).plan is not None
        assert "obstacle" not in {item.id for item in console.status.read().degraded}


def test_a_whole_folder_that_is_a_link_is_named_once(workspace: Path, tmp_path: Path) -> None:
    (workspace / "memory").rename(tmp_path / "memory")
    (workspace / "memory").symlink_to(tmp_path / "memory")
    with Engine.open(workspace, now=NOW) as console:
        told = [item.what for item in console.status.read().degraded if item.id == "obstacle"]
    assert told == ["memory is a link: no plan can write there"]
