"""From a note saved by another program to its figures on screen, from outside, with 10,000 files in the workspace."""

import os
import select
import time
from pathlib import Path
from statistics import median

from tests.benchmarks.figure import Figure
from tests.benchmarks.terminal import CONSOLE, Program, demo, python, running

FILES = 10_000
CHANGES = 25
_PARTS = 50
_OPEN_SECONDS, _REST_SECONDS = 15.0, 1.2
"""What a cold start takes at this size, and what the console gets between two changes to come to rest."""


def ratios() -> list[Figure]:
    """Median of the time until the first byte on the terminal after a note was written."""
    with demo() as (folder, environment):
        _fill(Path(folder) / "knowledge/reference")
        with running(python(CONSOLE.format(folder=folder)), environment) as console:
            console.drain(_OPEN_SECONDS)
            times = sorted(_shown(console, _note(folder, number)) for number in range(CHANGES))
    detail = f"p95 {1e3 * times[len(times) * 95 // 100]:.0f} ms; the watcher's 20 ms of quiet included"
    return [Figure(f"change on disk → screen, {FILES:,} files", 1e3 * median(times), 100, "ms", detail)]


def _fill(folder: Path) -> None:
    for number in range(FILES):
        parent = folder / f"part-{number % _PARTS}"
        parent.mkdir(parents=True, exist_ok=True)
        (parent / f"note-{number}.md").write_text(f"# Note {number}\n\nsome words {number}\n")


def _note(folder: str, number: int) -> Path:
    """A working note that is not there yet: the working tier's figures change with it."""
    return Path(folder) / "memory/working" / f"2026-03-1{number % 5}-note-{number}.md"


def _shown(console: Program, note: Path) -> float:
    """Seconds from writing the note to output."""
    console.drain(_REST_SECONDS)
    began = time.perf_counter()
    note.write_text("# A note\n\n" + "word " * 200)
    if not select.select([console.main], [], [], 5)[0]:
        raise TimeoutError(f"{note.name} never showed")
    os.read(console.main, 1 << 16)
    return time.perf_counter() - began


if __name__ == "__main__":
    for figure in ratios():
        print(figure)
