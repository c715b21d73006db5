"""Starts a process that reads transcripts: tasks go to it line by line, and readings come back (D28). A process with
one thread is forked, which takes no time; otherwise a new Python is started, isolated, because the current folder is
often the workspace, where an agent writes. It ends with its parent, since its input then ends."""

import fcntl
import gc
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import IO, NoReturn

import msgspec

from engine.errors import MemdeckError
from engine.lifecycle.replay.comparison import TranscriptReading
from engine.services.transcripts import FindEntries, ReadingPlace, read_transcripts

_TASKS = Path("/proc/self/task")  # Linux alone lists a process's threads
_FIRST_OTHER = 3  # the first descriptor behind input, output and messages


def is_alone() -> bool:
    """Tells whether this process has one thread, libraries' included; False where that is unknown."""
    try:
        return sum(1 for _ in _TASKS.iterdir()) == 1
    except OSError:
        return False


class ForkedProcess:
    """A forked process that runs a function, with pipes for input and output. It has no other descriptors of this
    process, so none of its files, locks and databases, and it finalises none of its objects."""

    def __init__(self, run: Callable[[], None]) -> None:
        (read, asked), (answered, write) = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _go_on(run, read, write)
        os.close(read)
        os.close(write)
        self.stdin, self.stdout = os.fdopen(asked, "wb"), os.fdopen(answered, "rb", buffering=0)
        self._code: int | None = None

    def kill(self) -> None:
        """Kills the process, unless it has ended."""
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Waits for the end of the process; gives the exit code, negative for a signal."""
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def _go_on(run: Callable[[], None], read: int, write: int) -> NoReturn:
    code = 1
    try:
        gc.freeze()  # what the other process has open, such as a database, is not closed here
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        os.chdir("/")
        # A path that is not absolute stands for the current folder, or is below it.
        sys.path[:] = [one for one in sys.path if Path(one).is_absolute()]
        ends = read, write, os.open(os.devnull, os.O_RDWR)
        # Where one of the three was closed, a pipe may stand in its place.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_OTHER) for end in ends]
        for target, one in enumerate(high):
            os.dup2(one, target)
        os.closerange(_FIRST_OTHER, os.sysconf("SC_OPEN_MAX"))
        run()
        code = 0
    finally:
        os._exit(code)


_RUN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from engine.services.reading_process import serve; serve()"
)
_HOME = str(Path(__file__).parents[2])  # the folder of memdeck's own packages
_CHUNK = 1 << 20  # bytes of answers that are read at once


class ReadingFailed(MemdeckError, title="A process that reads transcripts ended"):
    """A process that read transcripts ended before it answered its tasks."""


class _Task(msgspec.Struct, frozen=True):
    """A task for the process. `find` names the extractor as MODULE:FUNCTION."""

    place: ReadingPlace
    transcripts: tuple[tuple[str, str], ...]
    find: str
    version: str


class ReadingProcess:
    """One process. `waiting` counts its unanswered tasks."""

    def __init__(self, place: ReadingPlace, find: FindEntries, version: str) -> None:
        self.waiting = 0
        self._place, self._find, self._version = place, f"{find.__module__}:{find.__qualname__}", version
        self._process = ForkedProcess(serve) if is_alone() else _started()
        self._half = b""

    def ask(self, transcripts: Sequence[tuple[str, str]]) -> None:
        """Sends transcripts to the process, to be read."""
        task = _Task(self._place, tuple(transcripts), self._find, self._version)
        try:
            _pipe(self._process.stdin).write(msgspec.json.encode(task) + b"\n")
            _pipe(self._process.stdin).flush()
        except OSError as error:
            raise self._ended() from error
        self.waiting += 1

    def fileno(self) -> int:
        """Gives the descriptor of its answers, to wait for."""
        return _pipe(self._process.stdout).fileno()

    def take(self) -> list[list[TranscriptReading]]:
        """Reads the answers that are there, and waits for at least a part; `ReadingFailed` where the process ended."""
        if not (data := os.read(self.fileno(), _CHUNK)):
            raise self._ended()
        *whole, self._half = (self._half + data).split(b"\n")
        self.waiting -= len(whole)
        return [msgspec.json.decode(one, type=list[TranscriptReading]) for one in whole]

    def close(self) -> None:
        """Kills it, whatever it does."""
        self._process.kill()
        with suppress(OSError):  # what it was not sent any more
            _pipe(self._process.stdin).close()
        _pipe(self._process.stdout).close()
        self._process.wait()

    def _ended(self) -> ReadingFailed:
        code = self._process.wait()
        return ReadingFailed(f"exit code {code}", where=self._version, hint="run it again with --workers 1")


def _started() -> "subprocess.Popen[bytes]":
    # A path that is not absolute stands for the current folder, or is below it.
    paths = json.dumps([*(one for one in sys.path if Path(one).is_absolute()), _HOME])
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _RUN, paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
    )


def answers(processes: Iterable[ReadingProcess], *, wait: bool) -> list[list[TranscriptReading]]:
    """Gives the answers that are there; `wait`: waits for at least a part of one."""
    ready, _, _ = select.select([process for process in processes if process.waiting], [], [], None if wait else 0)
    return [readings for process in ready for readings in process.take()]


def serve() -> None:
    """Answers tasks until there are no more; prints go to the error output, so that only answers are on the pipe."""
    with os.fdopen(os.dup(0), "rb") as tasks, os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        for line in tasks:
            task = msgspec.json.decode(line, type=_Task)
            found = read_transcripts(task.place, task.transcripts, resolve_name(task.find), task.version)
            out.write(msgspec.json.encode(found) + b"\n")
            out.flush()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:  # both are asked for
        raise ReadingFailed("it has no pipe")
    return stream
