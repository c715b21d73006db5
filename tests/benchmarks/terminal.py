"""A program on a pseudo-terminal of its own, watched from outside: when its output holds what, and what it costs."""

import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from typing import NamedTuple

CONSOLE = "import sys; from tui.cli.main import run; sys.argv = ['memdeck', {folder!r}]; sys.exit(run())"
SETTLED = b"risk line"
"""Words of Overview on the demonstration once everything was read."""
LONGEST = 120
"""Seconds until a mark must have come: a spinner goes on writing for ever."""
TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


class Program(NamedTuple):
    """A process and our side of its terminal; `began` is a `perf_counter` time."""

    process: subprocess.Popen[bytes]
    main: int
    began: float

    def until(self, marks: Sequence[bytes]) -> list[float]:
        """Seconds from the start until each mark stood in the output, in order."""
        seen, times, waiting = b"", list[float](), list(marks)
        end = time.monotonic() + LONGEST
        while waiting:
            if not select.select([self.main], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"{waiting[0]!r} never came")
            seen += os.read(self.main, 1 << 16)
            while waiting and waiting[0] in seen:
                times.append(time.perf_counter() - self.began)
                waiting.pop(0)
        return times

    def drain(self, seconds: float) -> int:
        """Bytes written within so many seconds."""
        written, end = 0, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.main], [], [], left)[0]:
                written += len(os.read(self.main, 1 << 16))
        return written


@contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str], size: tuple[int, int] = (36, 120)
) -> Iterator[Program]:
    """The program, killed at the end."""
    main, side = pty.openpty()
    ioctl(main, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=side, stdout=side, stderr=side, env={**environment, **TERMINAL}, start_new_session=True
    )
    os.close(side)
    try:
        yield Program(process, main, began)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(main)


def python(code: str) -> list[str]:
    """The command that runs code in a Python process of its own."""
    return [sys.executable, "-c", code]


@contextmanager
def demo() -> Iterator[tuple[str, dict[str, str]]]:
    """A demonstration workspace, and an environment whose state is its own."""
    with tempfile.TemporaryDirectory() as place:
        own = {f"XDG_{name}_HOME": f"{place}/{name.lower()}" for name in ("STATE", "CONFIG", "CACHE", "DATA")}
        environment = {**os.environ, **own, "PYTHONPATH": str(Path.cwd())}
        arguments = ["memdeck", "demo", "--dir", f"{place}/demo", "--no-open"]
        code = f"import sys; from tui.cli.main import run; sys.argv = {arguments!r}; sys.exit(run())"
        subprocess.run(python(code), env=environment, check=True, capture_output=True)
        yield f"{place}/demo", environment
