"""One run of memdeck in a forked child that is warm already: a start from nothing would cost 0.5 s for each point."""

import atexit
import ctypes
import fcntl
import io
import os
import pty
import selectors
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import msgspec

from tests.soak.page import Page

if TYPE_CHECKING:
    from engine.services.engine import Engine

HUNG = -1000
SECONDS = 60.0
"""Seconds that a command has, longer on a machine that others keep busy."""
LEFT_SECONDS = 40.0
"""Seconds that a git has whose memdeck was killed; more than its own limit of 30."""
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux."""


class Ran(msgspec.Struct, frozen=True):
    """How a run ended: the exit code, below 0 a signal or `HUNG`; what it printed; what its terminal showed."""

    code: int
    out: str
    err: str
    shown: str


def run(
    work: Callable[[], int],
    *,
    env: Mapping[str, str],
    cwd: Path,
    typed: str = "",
    stdin: bytes = b"",
    page: Page | None = None,
    mode: str = "count",
    at: int = 0,
) -> Ran:
    """Runs `work` in a child with a terminal of its own, on which `typed` was typed ahead; counted if `page` is given.

    Without `typed` the child has no terminal. A child that does not end in time is killed.
    """
    files = [_memory(name) for name in ("in", "out", "err")]
    os.write(files[0], stdin)
    os.lseek(files[0], 0, os.SEEK_SET)
    master, slave = pty.openpty()
    if typed:
        os.write(master, typed.encode())
    child = os.fork()
    if child == 0:
        _child(work, env, cwd, files, slave if typed else None, page, mode, at)
    os.close(slave)
    code, shown = _wait(child, master)
    os.close(master)
    if page is not None:
        page.rest()
    out, err = (_read(file) for file in files[1:])
    os.close(files[0])
    return Ran(code, out, err, shown)


def adopts() -> None:
    """Makes this process the parent of what a killed child leaves running."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def ended(*, kill: bool = False) -> None:
    """Waits until all that a killed child left running has ended; `kill`, or a long wait, ends it."""
    until = time.monotonic() + LEFT_SECONDS
    while True:
        if kill or time.monotonic() > until:
            for number in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split():
                os.kill(int(number), signal.SIGKILL)
        try:
            gone, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if gone == 0:
            time.sleep(0.002)


def command(arguments: Sequence[str]) -> Callable[[], int]:
    """The console script's own entry with these arguments."""

    def work() -> int:
        from tui.cli.main import run as entry

        sys.argv = ["memdeck", *arguments]
        try:
            entry()
        except SystemExit as ended:
            return int(ended.code or 0)
        return 0

    return work


def console(call: Callable[["Engine"], object], workspace: Path) -> Callable[[], int]:
    """What a screen of the console asks, without the screen. Like there, an error of ours is a line to be told."""

    def work() -> int:
        from engine.errors import MemdeckError
        from engine.services.engine import Engine

        try:
            with Engine.open(workspace) as opened:
                call(opened)
        except MemdeckError as error:
            sys.stderr.write(f"memdeck: {error.line()}\n")
            return error.exit_code
        except OSError as error:
            sys.stderr.write(f"memdeck: {error.filename}: {error.strerror}\n")
            return 1
        return 0

    return work


def interrupted(work: Callable[[], int], sleeps: int) -> Callable[[], int]:
    """The same, with ctrl+c at the given pause: for what listens until it is stopped."""
    left = [sleeps]

    def sleep(_seconds: float) -> None:
        left[0] -= 1
        if left[0] <= 0:
            raise KeyboardInterrupt

    def stopped() -> int:
        with patch("time.sleep", sleep):
            return work()

    return stopped


def answered(work: Callable[[], int]) -> Callable[[], int]:
    """The same, with an endpoint that makes vectors of every text, and says what they cost."""

    def post(_endpoint: object, body: bytes, _seconds: float) -> tuple[int, bytes]:
        texts = msgspec.json.decode(body)["input"]
        rows = [{"index": n, "embedding": [1.0, float(len(text) % 7), 0.5]} for n, text in enumerate(texts)]
        return 200, msgspec.json.encode({"data": rows, "usage": {"prompt_tokens": len(body)}})

    def paid() -> int:
        with patch("engine.search.embedding.endpoint.EndpointEmbedder._post", post):
            return work()

    return paid


def commands(every: Sequence[Sequence[str]]) -> Callable[[], int]:
    """Several commands, one after the other in one child; prints their outcomes as one JSON list."""

    def work() -> int:
        from tui.cli.main import main

        outcome: list[Ran] = []
        for arguments in every:
            out, err = io.StringIO(), io.StringIO()
            try:
                with redirect_stdout(out), redirect_stderr(err):
                    code = main(arguments)
            except BaseException as error:  # noqa: BLE001 — told as what it is
                code = HUNG + 1
                err.write(f"Traceback: {error!r}")
            outcome.append(Ran(code, out.getvalue(), err.getvalue(), ""))
        sys.stdout.write(msgspec.json.encode(outcome).decode())
        return 0

    return work


def _child(
    work: Callable[[], int],
    env: Mapping[str, str],
    cwd: Path,
    files: Sequence[int],
    terminal: int | None,
    page: Page | None,
    mode: str,
    at: int,
) -> None:
    os.setsid()
    if terminal is not None:
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    code = 1
    try:
        if page is not None:
            with page.armed(mode, at):
                code = work()
                _end()
        else:
            code = work()
            _end()
    except BaseException:  # noqa: BLE001 — printed for the campaign to find
        import traceback

        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _end() -> None:
    """What an interpreter does at its end, which a forked child leaves out."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()


def _wait(child: int, master: int) -> tuple[int, str]:
    """Reads the terminal until the child has ended, so that it never waits for a reader."""
    shown = bytearray()
    ended = os.pidfd_open(child)
    with selectors.DefaultSelector() as selector:
        selector.register(master, selectors.EVENT_READ)
        selector.register(ended, selectors.EVENT_READ)
        until = time.monotonic() + SECONDS * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        over = False
        while not over:
            ready = selector.select(max(0.0, until - time.monotonic()))
            if not ready:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                os.close(ended)
                return HUNG, bytes(shown).decode("utf-8", "replace")
            for key, _ in ready:
                if key.fd == ended:
                    over = True
                else:
                    try:
                        shown += os.read(master, 1 << 16)
                    except OSError:
                        selector.unregister(master)
    os.close(ended)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), bytes(shown).decode("utf-8", "replace")


def _memory(name: str) -> int:
    return os.memfd_create(name, 0)


def _read(file: int) -> str:
    os.lseek(file, 0, os.SEEK_SET)
    with os.fdopen(file, "rb") as opened:
        return opened.read().decode("utf-8", "replace")
