"""Progress of long work as one line on stderr that rewrites itself: on a terminal alone."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.workspace.text_safety import visible_line
from engine.workspace.values import Progress
from tui.cli.settings import Settings

EVERY = 0.1
"""Seconds between two paints."""

Tick = Callable[[Progress], None]


@contextmanager
def progress(settings: Settings) -> Iterator[Tick | None]:
    """A tick that paints, or None where nobody watches. The line is gone when the work is done."""
    if settings.json or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield None
        return
    painted = [0.0]

    def tick(step: Progress) -> None:
        if time.monotonic() - painted[0] < EVERY:
            return
        painted[0] = time.monotonic()
        of = f" of {step.total:,}" if step.total is not None else ""
        sys.stderr.write(f"\r\x1b[K{visible_line(step.stage)} {step.done:,}{of}")
        sys.stderr.flush()

    try:
        yield tick
    finally:
        if painted[0]:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
