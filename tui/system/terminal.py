"""The console on a terminal: refused where there is none, and gone safely where it goes away."""

import os
import signal
import sys
import termios
from collections.abc import Mapping, MutableMapping
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from engine.errors import Refused
from tui.present.plot import DotStyle

if TYPE_CHECKING:
    from textual.app import App

    from tui.bridge.workers import Bridge

_PATIENCE_SECONDS = 10.0  # seconds that an apply under way may take to come to a clean end once the terminal is gone
_LOOK_SECONDS = 1.0  # seconds between two looks whether the terminal is still there
_WITHOUT_BRAILLE = frozenset({"linux", "vt100", "vt220", "cons25"})


def refuse_without_terminal(environment: Mapping[str, str]) -> None:
    """`Refused` where no console can be drawn: no terminal, or one that can't place the cursor."""
    hint = "use the commands instead: memdeck status, memdeck queue, memdeck show PLAN"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused("the console needs a terminal", hint=hint)
    if environment.get("TERM", "") in ("", "dumb", "unknown"):
        said = environment.get("TERM")
        raise Refused(
            f"the terminal says it is {said}" if said else "TERM is not set: no terminal to draw on", hint=hint
        )


def measure_the_terminal_itself(environment: MutableMapping[str, str]) -> None:
    """Drops `COLUMNS` and `LINES` where the terminal tells its size: what a parent exported is older than a resize. The
    toolkit believes them before the terminal, and draws for a screen that is not there."""
    try:
        size = os.get_terminal_size(sys.stdin.fileno())
    except (OSError, ValueError):
        return
    if size.columns and size.lines:
        environment.pop("COLUMNS", None)
        environment.pop("LINES", None)


def terminal_is_there() -> bool:
    """Tells whether the terminal of the standard input still answers."""
    try:
        termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, OSError, ValueError):
        return False
    return True


class HangUp:
    """Ends the process when its terminal goes: long work is asked to stop, and is waited for a while."""

    def __init__(self, app: "App[Any]", bridge: "Bridge") -> None:
        self._app, self._bridge = app, bridge
        self._begun = False

    def install(self) -> None:
        """Listens for the signals, and looks each second for a terminal that went without one."""
        for number in (signal.SIGHUP, signal.SIGTERM):
            # Only begun there: a signal comes in the middle of anything.
            signal.signal(number, lambda number, _: self._begin(128 + number))
        Thread(target=self._look, daemon=True, name="terminal").start()

    def _look(self) -> None:
        while terminal_is_there():
            sleep(_LOOK_SECONDS)
        self._begin(128 + signal.SIGHUP)

    def _begin(self, code: int) -> None:
        if not self._begun:
            self._begun = True
            Thread(target=self._end, args=(code,), daemon=True, name="hang-up").start()

    def _end(self, code: int) -> None:
        """Leaves the terminal as it was found, where it still is: writing to a dead one can block, so not for long."""
        self._bridge.close()
        until = monotonic() + _PATIENCE_SECONDS
        while self._bridge.work is not None and self._bridge.work.alive and monotonic() < until:
            sleep(0.05)
        if terminal_is_there():
            self._app.call_later(self._app.exit, code)
            # The time in which the console puts the terminal back by itself.
            sleep(2.0)
        # Not `sys.exit`: threads that hang in a dead terminal would keep the process.
        os._exit(code)


def dot_style(env: Mapping[str, str] = os.environ) -> DotStyle:
    """The signs that the terminal can draw a plot with. The font of a Linux console has no braille."""
    if shows_ascii_only(env):
        return DotStyle.ASCII
    return DotStyle.BLOCKS if env.get("TERM", "") in _WITHOUT_BRAILLE else DotStyle.BRAILLE


def shows_ascii_only(env: Mapping[str, str] = os.environ) -> bool:
    """Tells whether the terminal has no more than ASCII: the locale is `C`, though Python writes UTF-8 even there."""
    stream = sys.__stderr__
    if stream is not None and not (stream.encoding or "").lower().startswith("utf"):
        return True
    put_there = sys.flags.utf8_mode and env.get("LC_CTYPE") == "C.UTF-8"  # by Python itself at its start (PEP 538)
    return (env.get("LC_ALL") or ("" if put_there else env.get("LC_CTYPE")) or env.get("LANG")) in ("C", "POSIX")
