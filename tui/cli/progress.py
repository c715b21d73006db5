"""Shows progress on stderr: one rewritten line on a terminal, elsewhere a line now and then."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import Cancelled
from engine.text.safe_text import visible_line
from engine.workspace.values import Progress, Tick
from tui.cli.settings import Settings
from tui.present.progress_rate import Pace

EVERY = 0.1  # seconds between two paints
EVERY_LINE = 10.0  # seconds between two lines where nothing can be painted over; shorter work prints none


@contextmanager
def progress(settings: Settings, *, lines: bool = False) -> Iterator[Tick | None]:
    """Yields a tick that paints a line, None if nobody watches; `lines` prints lines instead, for a log file."""
    if settings.json or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield _line_tick() if lines else None
        return
    pace, painted = Pace(), [0.0]

    def tick(step: Progress) -> None:
        now = time.monotonic()
        if now - painted[0] < EVERY:
            return
        painted[0] = now
        sys.stderr.write(f"\r\x1b[K{visible_line(pace.words(step, now))}")
        sys.stderr.flush()

    try:
        yield tick
    finally:
        if painted[0]:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _line_tick() -> Tick:
    pace, printed = Pace(), [time.monotonic()]

    def tick(step: Progress) -> None:
        now = time.monotonic()
        words = pace.words(step, now)
        if now - printed[0] >= EVERY_LINE:
            printed[0] = now
            sys.stderr.write(f"{visible_line(words)}\n")
            sys.stderr.flush()

    return tick


@contextmanager
def stoppable(tick: Tick | None, reason: str, *, insist: bool = True) -> Iterator[Tick]:
    """Lets Ctrl-C end the work by `Cancelled` with `reason`; a second one ends it at once if it may `insist`."""
    asked: list[int] = []  # a signal's handler may only note that it was called

    def stop(number: int, _frame: object) -> None:
        if asked and insist:
            raise KeyboardInterrupt
        asked.append(number)

    def told(step: Progress) -> None:
        if tick is not None:
            tick(step)
        if asked:
            raise Cancelled(reason)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
