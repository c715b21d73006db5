"""What grows with the years: looks at few operations against many, memory of a long raw log and of many notes.

Small by default. With `MEMDECK_BENCH=full`: 100,000 operations, a log of 1,000,000 lines, 100,000 notes.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.benchmarks.figure import Figure
from tests.benchmarks.loads import NOTE, environment, write_long_log, write_notes, write_operations

FULL = os.environ.get("MEMDECK_BENCH") == "full"
FEW, MANY = 1_000, 100_000 if FULL else 10_000
LINES = 1_000_000 if FULL else 100_000
NOTES = 100_000 if FULL else 10_000
GROWING = {
    ("status",): 2,
    ("log", "-n", "20"): 2,
    ("check",): 4,
    ("recall", "when", "version", "7,"): 4,
    ("recall", "blame", f"{NOTE}-1.md"): 4,
    ("digest",): 2,
    ("kept",): 2,
}
"""The commands that look at operations, each with how many times slower it may be over many of them than over few."""
_RUN = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-c", "from tui.cli.main import run; run()", *sys.argv[1:]],
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)
"""


class Spent(msgspec.Struct, frozen=True):
    """Processor seconds and peak megabytes of one command in a process of its own."""

    seconds: float
    megabytes: int


def spent(base: Path, *words: str) -> Spent:
    """Runs one command on the workspace below `base`; `RuntimeError` where it fails."""
    command = [sys.executable, "-c", _RUN, "-w", str(base / "workspace"), *words]
    answer = subprocess.run(command, env={**os.environ, **environment(base)}, capture_output=True, check=True).stdout
    code, seconds, megabytes = answer.split()
    if int(code):
        raise RuntimeError(f"{' '.join(words)} ended with {int(code)}")
    return Spent(float(seconds), int(megabytes))


def best(base: Path, words: Sequence[str], rounds: int = 3) -> Spent:
    return min((spent(base, *words) for _ in range(rounds)), key=lambda one: one.seconds)


def _operations(base: Path) -> list[Figure]:
    for name, count in (("few", FEW), ("many", MANY)):
        write_operations(base / name / "workspace", environment(base / name), count)
        for words in GROWING:  # each has what it remembers once it was asked
            spent(base / name, *words)
        time.sleep(2)  # what changed a moment ago is not yet remembered as whole
        spent(base / name, "check")
    found = []
    for words, reach in GROWING.items():
        few, many = best(base / "few", words), best(base / "many", words)
        detail = f"{many.seconds:.2f} s, {many.megabytes} MB against {few.seconds:.2f} s, {few.megabytes} MB"
        name = f"{' '.join(words)}, {MANY:,} operations ÷ {FEW:,}"
        found.append(Figure(name, many.seconds / few.seconds, reach, "×", detail))
    return found


def main() -> None:
    """Prints each figure as it stands against what to reach for."""
    for row in ratios():
        print(f"{row.name}: {row.reached:.2f} {row.unit}, reach for {row.target:g} ({row.detail})", flush=True)


def ratios() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        figures = _operations(base)
        write_long_log(base / "log" / "workspace", LINES)
        log = spent(base / "log", "plan", "tree")
        write_notes(base / "notes" / "workspace", NOTES)
        cold, warm = spent(base / "notes", "status"), best(base / "notes", ("status",))
    warmth = f"{warm.seconds:.2f} s; cold {cold.seconds:.1f} s, {cold.megabytes} MB"
    return [
        *figures,
        Figure(f"plan tree, a raw log of {LINES:,} lines", log.megabytes, 250, "MB", f"{log.seconds:.1f} s"),
        Figure(f"warm status, {NOTES:,} notes", warm.megabytes, 300, "MB", warmth),
    ]


if __name__ == "__main__":
    main()
