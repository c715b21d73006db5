"""Reading every transcript anew: against the time to read and tokenise them, and on two processes against one.

Each is measured in a process of its own that has read nothing, as a replay finds it. Two processes take as long as the
busier of them: processor seconds say so where other programs load the machine.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.benchmarks.figure import Figure
from tests.conftest import SHARED

FOLDER = SHARED / "memaware"
ROUNDS = 3


def tokenise(paths: Sequence[str]) -> None:
    """The floor: read every transcript and count its tokens."""
    from engine.text.tokens import counter

    tokens = counter("o200k_base")
    for path in paths:
        tokens.count((FOLDER / path).read_text("utf-8"))


def replay(paths: Sequence[str], workers: int) -> None:
    """Reads every transcript by the rules."""
    from engine.extraction.judge import VERSION, find_entries
    from engine.services.replay_readings import read_anew
    from engine.text.canonical_json import sha256_hex

    asked = [(path, sha256_hex((FOLDER / path).read_bytes())) for path in paths]
    with tempfile.TemporaryDirectory() as place:
        found = read_anew(FOLDER, asked, find_entries, VERSION, file=Path(place) / "read", workers=workers)
    assert len(found) == len(paths)


def ratios() -> Iterator[Figure]:
    if not FOLDER.is_dir():
        return
    floor, one, two = (min((_measured(name) for _ in range(ROUNDS)), key=max) for name in ("floor", "1", "2"))
    yield Figure(
        "replay on two processes, both together ÷ read and tokenise",
        sum(two) / sum(floor),
        3.0,
        detail=f"{sum(two) * 1000:.0f} ms ÷ {sum(floor) * 1000:.0f} ms",
    )
    yield Figure(
        "replay on two processes ÷ on one (1.7 × as fast)",
        max(two) / sum(one),
        1 / 1.7,
        detail=f"{max(two) * 1000:.0f} ms ÷ {sum(one) * 1000:.0f} ms",
    )


def _measured(name: str) -> tuple[float, float]:
    """Processor seconds of a fresh process and of those that it starts."""
    run = [sys.executable, "-m", __name__, name]
    own, others = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)
    return own, others


def _spent(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def main(name: str) -> None:
    paths = sorted(str(file.relative_to(FOLDER)) for file in FOLDER.glob("raw/**/*.md"))
    work: Callable[[], None] = (lambda: tokenise(paths)) if name == "floor" else (lambda: replay(paths, int(name)))
    before = _spent(resource.RUSAGE_SELF)
    work()
    print(json.dumps([_spent(resource.RUSAGE_SELF) - before, _spent(resource.RUSAGE_CHILDREN)]))


if __name__ == "__main__":
    main(sys.argv[1])
