"""A command in a fresh process on the demonstration, beside an empty Python, with a warm file cache."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.figure import Figure
from tests.ready_demo import make

ROUNDS = 7
COMMANDS: tuple[tuple[float, tuple[str, ...]], ...] = (
    (3, ("--version",)),
    (8, ("queue",)),
    (16, ("status",)),
    (16, ("search", "backup")),
    (25, ("compile", "how do we back up?")),
)
_RUN = "from tui.cli.main import run; run()"


def ratios() -> list[Figure]:
    """The median of each command over the median of `python -c pass`; all take turns in each round."""
    with tempfile.TemporaryDirectory() as base:
        demo = make(Path(base))
        environment = {**os.environ, **demo.env, "PYTHONPATH": str(Path.cwd())}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a cache is warm where what was compiled is kept
        where = ("-w", str(demo.folder))
        given = (command if command == ("--version",) else (*where, *command) for _, command in COMMANDS)
        lines = [("-c", "pass"), *(("-c", _RUN, *one) for one in given)]
        rounds = [[_seconds(line, environment) for line in lines] for _ in range(ROUNDS + 2)][2:]
    empty, *reached = (statistics.median(one[at] for one in rounds) for at in range(len(lines)))
    return [
        Figure(
            f"`memdeck {' '.join(command)}` in a fresh process ÷ `python -c pass`",
            seconds / empty,
            target,
            detail=f"{seconds * 1000:.0f} ms ÷ {empty * 1000:.0f} ms",
        )
        for (target, command), seconds in zip(COMMANDS, reached, strict=True)
    ]


def _seconds(line: tuple[str, ...], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *line], env=environment, capture_output=True, check=True)
    return time.perf_counter() - began
