"""What an idle console costs: processor, memory, bytes on the wire; it is what a slow link and a battery feel."""

import os
from pathlib import Path

from tests.benchmarks.figure import Figure
from tests.benchmarks.terminal import CONSOLE, SETTLED, demo, python, running

_SETTLE_SECONDS, _LOOK_SECONDS = 6.0, 20.0


def ratios() -> list[Figure]:
    """On the demo workspace, once everything is read and nobody touches anything."""
    with demo() as (folder, environment), running(python(CONSOLE.format(folder=folder)), environment) as program:
        program.until((SETTLED,))
        program.drain(_SETTLE_SECONDS)
        pid = program.process.pid
        before = _processor_seconds(pid)
        written = program.drain(_LOOK_SECONDS)
        share = (_processor_seconds(pid) - before) / _LOOK_SECONDS
        return [
            Figure("idle console: processor", share * 100, 1.0, "%"),
            Figure("idle console: output", written / _LOOK_SECONDS / 1024, 5.0, "KB/s"),
            Figure("console on the demo workspace: memory", _resident_bytes(pid) / 1024**2, 120.0, "MB"),
        ]


def _processor_seconds(pid: int) -> float:
    """Of all threads, to the nanosecond: the process's own figure counts in hundredths."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def _resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    for figure in ratios():
        print(figure)
