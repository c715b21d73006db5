"""Applying a compaction of 1,000 notes, against writing, fsyncing and renaming the same files one by one."""

import os
import statistics
import tempfile
import time
from pathlib import Path

from engine.plans.apply.entry import apply
from tests.benchmarks.figure import Figure
from tests.engine.plans.rig import Rig, create, move

NOTES = 1000
ROUNDS = 3
_NOTE = "## Session\n\n" + "The parser now keeps the byte order mark, and the tests say so.\n" * 24
_SUMMARY = "---\nsource-date: 2026-03-01\n---\n" + "- The parser keeps the byte order mark.\n" * 12


def ratios() -> list[Figure]:
    """The median of three ratios, floor and apply measured by turns."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(_floor(Path(folder) / f"floor-{i}"), _applied(Path(folder) / f"applied-{i}")) for i in range(ROUNDS)]
    reached = statistics.median(applied / floor for floor, applied in pairs)
    floor, applied = (statistics.median(times) for times in zip(*pairs, strict=True))
    detail = f"apply {applied:.2f} s, floor {floor:.2f} s"
    return [Figure("apply 1,000 notes ÷ write + fsync + rename of the same files", reached, 3.0, detail=detail)]


def _floor(place: Path) -> float:
    """Seconds to write each summary and to move each note the plain safe way, nothing checked and nothing recorded."""
    for name in ("working", "episodic", "archive"):
        (place / name).mkdir(parents=True)
    for n in range(NOTES):
        (place / "working" / f"{n}.md").write_text(f"{n} {_NOTE}")
    began = time.perf_counter()
    for n in range(NOTES):
        _write(place / "episodic" / f"{n}.md", f"{n} {_SUMMARY}".encode())
        (place / "working" / f"{n}.md").rename(place / "archive" / f"{n}.md")
        _sync(place / "archive")
    return time.perf_counter() - began


def _write(path: Path, data: bytes) -> None:
    beside = path.with_suffix(".new")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    _sync(path.parent)


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(fd)
    os.close(fd)


def _applied(place: Path) -> float:
    """Seconds from the approval to the recorded operation."""
    rig = Rig(place / "workspace", place / "home")
    for n in range(NOTES):
        rig.write(f"memory/working/{n}.md", f"{n} {_NOTE}")
    changes = [
        change
        for n in range(NOTES)
        for change in (
            create(2 * n + 1, f"memory/episodic/{n}.md", f"{n} {_SUMMARY}"),
            move(2 * n + 2, f"memory/working/{n}.md", f"memory/archive/{n}-archived-2026-03-15.md"),
        )
    ]
    plan = rig.plan(*changes)
    approval = rig.approve(plan)
    began = time.perf_counter()
    apply(rig.ctx, plan, approval)
    return time.perf_counter() - began
