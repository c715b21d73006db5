"""Goes on from here in a second process too, which begins with all that this one has made ready (D28). A process with
several threads is never doubled: what another thread holds at that instant would stay held for ever."""

import fcntl
import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

_TASKS = Path("/proc/self/task")
_FIRST_OTHER = 3
"""The first descriptor behind input, output and messages."""


def is_alone() -> bool:
    """Tells whether this process has one thread, threads of libraries among them; False where nobody can tell."""
    try:
        return sum(1 for _ in _TASKS.iterdir()) == 1
    except OSError:
        return False


class ForkedProcess:
    """A second process that runs a function, with a pipe to its input and one from its output. It has no descriptor of
    this process else, so none of its files, locks and databases; and it ends none of its objects."""

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
        """Ends it, unless it is known to have ended."""
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """The exit code, negative for a signal, once it has ended."""
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
