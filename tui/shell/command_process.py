"""Runs a command beside the console, in a process without a terminal, which cannot ask anything."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import IO, NamedTuple

from engine.workspace.values import Progress, Tick
from tui.system.given_path import STARTED_IN

_LOOK_SECONDS = 0.1  # seconds between two looks at whether the command ended or was cancelled
_MOST_BYTES = 2_000_000  # bytes kept of what a command prints to be read on screen


class Finished(NamedTuple):
    """The output of a command, and its exit code."""

    output: str
    messages: str
    code: int


def run(words: Sequence[str], workspace: Path, tick: Tick) -> Finished:
    """Runs `memdeck WORDS…` to its end, or until `tick` is cancelled. Without terminal and input nobody can approve
    through it; from the root folder and with Python's safe path it imports nothing from a workspace."""
    where = [] if "-w" in words else ["-w", str(workspace)]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tui.cli", "--no-color", *where, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env={**os.environ, STARTED_IN: str(Path.cwd())},
        # Without a controlling terminal `/dev/tty` cannot be opened, so no approval can be asked for.
        start_new_session=True,
    )
    pipes = [_Pipe(stream) for stream in (process.stdout, process.stderr) if stream is not None]
    try:
        while process.poll() is None:
            tick(Progress(stage="running", done=0))
            try:
                process.wait(_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                continue
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    output, messages = (pipe.text() for pipe in pipes)
    return Finished(output, messages, process.returncode)


class _Pipe:
    """Reads a pipe to its end in its own thread, so that a full pipe blocks nobody."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._data = b""
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._stream:
            while part := self._stream.read(1 << 16):
                # Read on all the same: a command whose pipe is full would not end.
                if len(self._data) < _MOST_BYTES:
                    self._data += part

    def text(self) -> str:
        # What the command started may keep the pipe open after its end.
        self._thread.join(1.0)
        return self._data[:_MOST_BYTES].decode("utf-8", "replace")
