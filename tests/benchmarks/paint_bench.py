"""First paint of the console on the demo workspace, against an empty Textual app, from outside through a pty."""

import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path

from tests.benchmarks.figure import Figure

ROUNDS = 7
_EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("first-paint")
Empty().run()
"""
_CONSOLE = "import sys; from tui.cli.main import run; sys.argv = ['memdeck', {folder!r}]; sys.exit(run())"


def ratios() -> list[Figure]:
    """The median of the ratios of runs by turns, so that a busy moment of the machine counts for both."""
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "XDG_STATE_HOME": f"{place}/state", "XDG_CONFIG_HOME": f"{place}/config"}
        folder = _demo(Path(place) / "demo", environment)
        rounds = [_round(folder, environment) for _ in range(ROUNDS + 1)][1:]
    reached = statistics.median(console / empty for empty, console, _ in rounds)
    empty, console, read = (statistics.median(times) for times in zip(*rounds, strict=True))
    detail = f"empty {empty * 1000:.0f} ms, console {console * 1000:.0f} ms, everything read {read * 1000:.0f} ms"
    return [Figure("first paint of the console ÷ first paint of an empty Textual app", reached, 2.5, detail=detail)]


def _demo(folder: Path, environment: Mapping[str, str]) -> str:
    arguments = ["memdeck", "demo", "--dir", str(folder), "--no-open"]
    code = f"import sys; from tui.cli.main import run; sys.argv = {arguments!r}; sys.exit(run())"
    subprocess.run([sys.executable, "-c", code], env=dict(environment), check=True, capture_output=True)
    return str(folder)


def _round(folder: str, environment: Mapping[str, str]) -> tuple[float, float, float]:
    empty = _until(_EMPTY, (b"first-paint",), environment)[0]
    console, read = _until(_CONSOLE.format(folder=folder), (b"Overview", b"semantic_risk"), environment)
    return empty, console, read


def _until(code: str, marks: Sequence[bytes], environment: Mapping[str, str]) -> list[float]:
    """Seconds from the start of a Python process until each mark stood on its terminal, in order."""
    main, side = pty.openpty()
    ioctl(main, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    surroundings = {**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(Path.cwd())}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=side, stdout=side, stderr=side, env=surroundings, start_new_session=True
    )
    os.close(side)
    try:
        return _times(main, marks, began)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(main)


def _times(main: int, marks: Sequence[bytes], began: float) -> list[float]:
    seen, times, waiting = b"", list[float](), list(marks)
    while waiting:
        if not select.select([main], [], [], 30)[0]:
            raise TimeoutError(f"{waiting[0]!r} never came")
        seen += os.read(main, 1 << 16)
        while waiting and waiting[0] in seen:
            times.append(time.perf_counter() - began)
            waiting.pop(0)
    return times


if __name__ == "__main__":
    for figure in ratios():
        print(figure)
