"""Opening 10,000 notes for the first time: the frame, the count of notes, and keys while they are read."""

import os
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks.figure import Figure
from tests.benchmarks.keys_bench import EMPTY, Keyboard
from tests.benchmarks.scrub_bench import make_notes
from tests.benchmarks.terminal import CONSOLE, python, running

NOTES = 10_000
ROUNDS = 5
_KEYS = 12
_FRAME, _COUNT = b"Overview", b"the notes 10,0"


def ratios() -> list[Figure]:
    """Medians of rounds that take turns with an empty app; each round opens with a state of its own."""
    with tempfile.TemporaryDirectory() as base:
        make_notes(Path(base) / "silas", NOTES)
        rounds = [_round(base, number) for number in range(ROUNDS + 1)][1:]
    empty, frame, count, keys = (statistics.median(one[at] for one in rounds) for at in range(4))
    opened = f"first paint of the console at {NOTES:,} notes ÷ first paint of an empty Textual app"
    return [
        Figure(opened, frame / empty, 2.5, detail=f"{frame * 1000:.0f} ms ÷ {empty * 1000:.0f} ms"),
        Figure("from the frame to the count of its notes", count * 1000, 200, "ms"),
        Figure("key → paint while they are read, median", keys * 1000, 100, "ms"),
    ]


def _round(base: str, number: int) -> tuple[float, float, float, float]:
    """Seconds: an empty app's first paint, the console's, from there to the count, and of a key meanwhile."""
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd()), **_state(base, number)}
    with running(python(EMPTY), environment) as program:
        empty = program.until((b"first-paint",))[0]
    with running(python(CONSOLE.format(folder=f"{base}/silas")), environment) as program:
        frame, count = program.until((_FRAME, _COUNT))
        keyboard = Keyboard(program)
        keys = [keyboard.press(b"\t") for _ in range(_KEYS)]
    return empty, frame, count - frame, statistics.median(keys)


def _state(base: str, number: int) -> Mapping[str, str]:
    return {f"XDG_{name}_HOME": f"{base}/{number}/{name.lower()}" for name in ("STATE", "CONFIG", "CACHE", "DATA")}
