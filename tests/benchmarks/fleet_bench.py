"""All agents of an operator beside each other, of which none changed: the wait, and the memory of who asks.

Each look is a process of its own that finds what an earlier one kept, as `memdeck fleet` does.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from tests.benchmarks.figure import Figure
from tests.engine.fleet.places import Places

NOTES = 21  # of each agent
SIZES = ((200, 2_000), (1_000, 5_000))  # agents, and milliseconds for all of them
ROUNDS = 3
FIRST, MOST_MB = 600.0, 250  # seconds for the first look of all, and the memory of any


def _agents(places: Places, count: int) -> None:
    for number in range(count):
        memory = places.agent(f"a{number:04}") / "memory"
        for note in range(NOTES - 1):
            (memory / f"2026-03-{note + 1:02}.md").write_text(f"# Day {note}\n\n- Port {number} is open.\n", "utf-8")


def ratios() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as base:
        home = Path(base)
        places = Places(home)
        _agents(places, SIZES[-1][0])
        for count, target in SIZES:
            names = (f"- path: ~/agents/a{number:04}\n" for number in range(count))
            places.list_them(f"agents:\n{''.join(names)}")
            _, first = _looked(home, count)
            wait, memory = min(_looked(home, count) for _ in range(ROUNDS))
            yield Figure(f"fleet of {count:,} agents that did not change", wait * 1000, target, "ms")
            yield Figure(
                f"fleet of {count:,} agents: memory", max(first, memory), MOST_MB, "MB", f"{memory:.0f} once kept"
            )


def _looked(home: Path, count: int) -> tuple[float, float]:
    """Seconds and megabytes of a process that shows every row as it is now."""
    began = monotonic()
    run = subprocess.run([sys.executable, "-m", __name__, str(home)], check=True, capture_output=True)
    seconds = monotonic() - began
    rows, megabytes = json.loads(run.stdout)
    assert rows == count, f"{rows:,} of {count:,} agents were read"
    return seconds, megabytes


def main(home: str) -> None:
    rows = Places(Path(home)).fleet().refresh(FIRST).rows()
    read = sum(row.read_at is not None and not row.problem for row in rows)
    print(json.dumps([read, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


if __name__ == "__main__":
    main(sys.argv[1])
