"""From a key to its paint, from outside through a pty: a long queue, a long diff, against an empty Textual app.

The console stands on the tests' engine, which answers at once: what is measured is the screen, not the disk. The
terminal answers nothing, as a slow one would.
"""

import os
import select
import statistics
import time
from pathlib import Path

from tests.benchmarks.figure import Figure
from tests.benchmarks.terminal import Program, python, running

_QUIET_SECONDS = 0.02
"""A paint is over once nothing came for this long."""
_KEYS = 60

EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    number = 0
    def compose(self):
        yield Static("first-paint")
    def on_key(self):
        self.number += 1
        self.query_one(Static).update(f"first-paint {self.number}")
Empty().run()
"""

_CONSOLE = """
import random
import tempfile
from pathlib import Path
import msgspec
from engine.plans.diff import file_diff
from engine.plans.plan import Replace, RiskTier
from tests.prepared import Told
from tests.values import NOW, make_plan, tree_plan
from tui.app import MemdeckApp
from datetime import timedelta

random.seed(1)
words = [f"word{n}" for n in range(400)]
old = ["- " + " ".join(random.choices(words, k=12)) for _ in range(20_000)]
new = [line.replace(" word1", " changed1", 1) if random.random() < 0.05 else line for line in old]
change = Replace(n=1, path="memory/long.md", risk_tier=RiskTier.C, reason="a long diff", content="\\n".join(new))
long = msgspec.structs.replace(make_plan(1, [change], system="zlong"), made_at=NOW - timedelta(days=400))
usual = tree_plan(2)

def queued(n):
    return msgspec.structs.replace(usual, id=f"p-{n:07}", made_at=NOW - timedelta(minutes=n % 5000))

kept = tempfile.TemporaryDirectory()
engine = Told(base=Path(kept.name))
engine.queue_of([long, *map(queued, range(2, 10_002))])
hand = engine.engine.plans.diffs
rows = (file_diff(change.path, "\\n".join(old).encode(), change.content.encode()),)
engine.stub.answers("plans.diffs", lambda plan: rows if plan.id == long.id else hand(plan))
MemdeckApp(engine.opening).run()
"""


class Keyboard:
    """Our side of a program's terminal: keys go in, and what comes out is timed."""

    def __init__(self, program: Program) -> None:
        self._main = program.main

    def until(self, mark: bytes, seconds: float = 60.0) -> float:
        """Seconds until `mark` was written. Raises TimeoutError after `seconds`."""
        began, kept = time.perf_counter(), b""
        while mark not in kept:
            left = seconds - (time.perf_counter() - began)
            if left <= 0 or not select.select([self._main], [], [], left)[0]:
                raise TimeoutError(f"{mark!r} never came")
            kept += os.read(self._main, 1 << 16)
        return time.perf_counter() - began

    def rest(self, seconds: float = 0.5) -> None:
        """Waits until nothing has come for so long."""
        while select.select([self._main], [], [], seconds)[0]:
            os.read(self._main, 1 << 16)

    def send(self, keys: bytes) -> None:
        os.write(self._main, keys)

    def press(self, key: bytes) -> float:
        """Seconds from a key to the last byte of the paint that it caused."""
        began = time.perf_counter()
        self.send(key)
        last = began
        while select.select([self._main], [], [], _QUIET_SECONDS if last > began else 5.0)[0]:
            os.read(self._main, 1 << 16)
            last = time.perf_counter()
        return last - began


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def _presses(terminal: Keyboard, key: bytes) -> list[float]:
    """Each key is pressed once the paint of the one before is over, as a held key is."""
    return [terminal.press(key) for _ in range(_KEYS)]


def ratios() -> list[Figure]:
    """Times in milliseconds, each beside the p95 of an empty app's key, which is this machine's floor at this hour."""
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        environment.pop(name, None)
    with running(python(EMPTY), environment) as program:
        empty = Keyboard(program)
        empty.until(b"first-paint")
        empty.rest()
        floor = _presses(empty, b"x")
    with running(python(_CONSOLE), environment) as program:
        return _console(Keyboard(program), floor)


def _console(console: Keyboard, floor: list[float]) -> list[Figure]:
    console.until(b"Overview")
    console.rest(1.0)
    console.send(b"2")
    console.until(b"Queue")
    console.rest(1.0)
    moves = _presses(console, b"j")
    console.rest(1.0)
    console.send(b"g")  # the plan of the highest risk stands first
    opened = console.until(b"word53")
    for key in (b"\t", b"\t", b"\t"):
        console.rest()
        console.send(key)
    console.rest(1.0)
    pages = _presses(console, b"\x04")
    return [
        _figure("key → paint with 10,000 queued plans, p95", moves, floor),
        _opening(opened, floor),
        _figure("scrolling a diff of 20,000 lines by pages, p95", pages, floor),
    ]


def _figure(name: str, times: list[float], floor: list[float]) -> Figure:
    detail = f"p50 {statistics.median(times) * 1000:.1f} ms; empty app p95 {_p95(floor) * 1000:.1f} ms"
    return Figure(name, _p95(times) * 1000, 16.0, "ms", detail)


def _opening(seconds: float, floor: list[float]) -> Figure:
    detail = f"reading and comparing included; empty app p95 {_p95(floor) * 1000:.1f} ms"
    return Figure("20,000-line diff on screen after a key", seconds * 1000, 150.0, "ms", detail)


if __name__ == "__main__":
    for figure in ratios():
        print(figure)
