"""Refuses to start without a terminal, and ends safely when the terminal goes away."""

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

    from tui.bridge.engine_threads import Bridge

_PATIENCE_SECONDS = 10.0  # seconds that an apply under way may take to come to a clean end once the terminal is gone
_LOOK_SECONDS = 1.0  # seconds between two looks whether the terminal is still there
_WITHOUT_BRAILLE = frozenset({"linux", "vt100", "vt220", "cons25"})


def refuse_without_terminal(environment: Mapping[str, str]) -> None:
    """Raises `Refused` without a terminal, or with one that cannot place the cursor."""
    hint = "use the commands instead: memdeck status, memdeck queue, memdeck show PLAN"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused("the console needs a terminal", hint=hint)
    if environment.get("TERM", "") in ("", "dumb", "unknown"):
        said = environment.get("TERM")
        raise Refused(
            f"the terminal says it is {said}" if said else "TERM is not set: no terminal to draw on", hint=hint
        )


def measure_the_terminal_itself(environment: MutableMapping[str, str]) -> None:
    """Removes `COLUMNS` and `LINES`, outdated by a resize, if the terminal tells its size: the toolkit trusts them."""
    try:
        size = os.get_terminal_size(sys.stdin.fileno())
    except (OSError, ValueError):
        return
    if size.columns and size.lines:
        environment.pop("COLUMNS", None)
        environment.pop("LINES", None)


def terminal_is_there() -> bool:
    """Tells whether the terminal of standard input still answers."""
    try:
        termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, OSError, ValueError):
        return False
    return True


class HangUp:
    """Ends the process after its terminal went away; asks long work to stop and waits for it."""

    def __init__(self, app: "App[Any]", bridge: "Bridge") -> None:
        self._app, self._bridge = app, bridge
        self._begun = False

    def install(self) -> None:
        """Handles the signals, and checks each second for a terminal that went away without one."""
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
        """Restores the terminal if it is still there, within a limit, since writing to a dead one can block."""
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
    """Returns the signs for plots that the terminal can draw; the Linux console's font has no braille."""
    if shows_ascii_only(env):
        return DotStyle.ASCII
    return DotStyle.BLOCKS if env.get("TERM", "") in _WITHOUT_BRAILLE else DotStyle.BRAILLE


def shows_ascii_only(env: Mapping[str, str] = os.environ) -> bool:
    """Tells whether the locale is `C`, so that only ASCII can be shown, although Python writes UTF-8."""
    stream = sys.__stderr__
    if stream is not None and not (stream.encoding or "").lower().startswith("utf"):
        return True
    put_there = sys.flags.utf8_mode and env.get("LC_CTYPE") == "C.UTF-8"  # by Python itself at its start (PEP 538)
    return (env.get("LC_ALL") or ("" if put_there else env.get("LC_CTYPE")) or env.get("LANG")) in ("C", "POSIX")
