"""A burst of 1,000 messages a second for 30 s into four growing sessions, with the Topics screen open on a terminal.

Another process writes. Key to paint is measured before and during the burst; afterwards the log is counted until every
message is in it.
"""

import json
import os
import select
import subprocess
import time
from pathlib import Path

from engine.state.database import StateDatabase
from engine.topics.decision_log import DecisionLog
from tests.benchmarks.figure import Figure
from tests.benchmarks.terminal import CONSOLE, Program, demo, python, running

SECONDS = 30
PER_SECOND = 1_000
FILES = 4
PATIENCE = 180
_CURSOR = "▌".encode()
_KEYS = (b"k", b"G")
"""Up from the end and back to it: both move the cursor however many rows come and go, where `j` stops at the last."""
_SAID = (
    "can we switch the release now?",
    "Did the depot send its stock per article?",
    "lunch was good, and the rye has a crust again",
    "Storno der Rechnung bitte",
    "the bot sent a template to a customer",
    "nothing to see here, we talk about bread and the weather in Leipzig",
)


def ratios() -> list[Figure]:
    """p95 of key to paint during the burst and before it, and how long after the burst the lag was gone."""
    with demo() as (folder, environment):
        sessions = Path(folder) / "raw/conversations/burst"
        sessions.mkdir()
        watch = ["memdeck", "-w", folder, "topics", "watch"]  # rows for the cursor to move on
        code = f"import sys; from tui.cli.main import run; sys.argv = {watch!r}; sys.exit(run())"
        subprocess.run(python(code), env=environment, check=True, capture_output=True)
        (file,) = Path(environment["XDG_STATE_HOME"]).glob("memdeck/workspaces/*/state.db")
        wanted = DecisionLog(StateDatabase(file.parent)).tally().messages + SECONDS * PER_SECOND
        with running(python(CONSOLE.format(folder=folder)), environment) as console:
            console.drain(4)
            os.write(console.main, b"4")
            console.drain(4)
            before = sorted(_key(console, _KEYS[number % 2]) for number in range(40))
            writer = subprocess.Popen(python(_WRITER), env={**environment, "BURST": str(sessions)})
            during: list[float] = []
            while writer.poll() is None:
                during.append(_key(console, _KEYS[len(during) % 2]))
            gone = _seconds_until_logged(DecisionLog(StateDatabase(file.parent)), wanted, console)
    return _figures(before, sorted(during), gone)


def _figures(before: list[float], during: list[float], gone: float) -> list[Figure]:
    calm, p95 = _p95(before), _p95(during)
    middles = (1e3 * before[len(before) // 2], 1e3 * during[len(during) // 2])
    detail = f"before p50 {middles[0]:.0f} p95 {1e3 * calm:.0f} ms, during p50 {middles[1]:.0f} ms"
    return [
        Figure("key to paint in a burst of 1,000 messages a second, p95", 1e3 * p95, 50, "ms", detail),
        Figure("key to paint in that burst ÷ before it, p95", p95 / calm, 2),
        Figure("lag gone after the burst", gone, 60, "s", f"{SECONDS * PER_SECOND:,} messages, none lost"),
    ]


def _p95(ordered: list[float]) -> float:
    return ordered[len(ordered) * 95 // 100]


def _key(console: Program, key: bytes) -> float:
    """Seconds from a key to the cursor's line at its new place."""
    console.drain(0.1)
    os.write(console.main, key)
    began, found = time.perf_counter(), b""
    while _CURSOR not in found and time.perf_counter() - began < 5:
        if select.select([console.main], [], [], 0.5)[0]:
            found += os.read(console.main, 1 << 16)
    return time.perf_counter() - began


def _seconds_until_logged(log: DecisionLog, wanted: int, console: Program) -> float:
    """Until so many messages are in the log; raises `TimeoutError` where some are missing after `PATIENCE` seconds."""
    began = time.perf_counter()
    while (there := log.tally().messages) < wanted:
        if time.perf_counter() - began > PATIENCE:
            raise TimeoutError(f"{there:,} of {wanted:,} messages are in the log")
        console.drain(0.5)
    return time.perf_counter() - began


_WRITER = f"""
import json, os, time
from pathlib import Path
files = [(Path(os.environ["BURST"]) / f"session-{{n}}.jsonl").open("a") for n in range({FILES})]
began, said, number = time.time(), {json.dumps(_SAID)}, 0
for tenth in range({SECONDS * 10}):
    for _ in range({PER_SECOND // 10}):
        role = "user" if number % 2 else "assistant"
        text = f"{{said[number % len(said)]}} {{number}} " + "and so on " * 12
        line = {{"type": role, "uuid": f"u-{{number}}", "sessionId": f"s-{{number % {FILES}}}",
                "message": {{"role": role, "content": text}}}}
        files[number % {FILES}].write(json.dumps(line) + "\\n")
        number += 1
    for file in files:
        file.flush()
    time.sleep(max(0.0, began + (tenth + 1) / 10 - time.time()))
"""


if __name__ == "__main__":
    for figure in ratios():
        print(figure)
