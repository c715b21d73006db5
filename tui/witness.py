"""Where an approval came from: the terminal, the user, and the processes above ours (decision G11)."""

import os
import sys
from pathlib import Path

from engine.plans.approval import Witness

MOST_PROCESSES = 32
"""More ancestors than any real session has; the walk up stops there."""


def witness(channel: str) -> Witness:
    """The witness of an approval given now. `channel` is `console` or `terminal`."""
    return Witness(tty=terminal_name(), processes=ancestors(os.getpid()), user=user_name(), channel=channel)


def terminal_name() -> str:
    """The device of the terminal in use, `/dev/tty` where only the controlling one is known."""
    for stream in (0, 1, 2):
        try:
            return os.ttyname(stream)
        except OSError:
            continue
    return "/dev/tty"


def ancestors(pid: int) -> tuple[str, ...]:
    """`name(pid)` of our process and those above it, ours first; only pids where there is no `/proc`."""
    found: list[str] = []
    while pid > 0 and len(found) < MOST_PROCESSES:
        name, parent = _process(pid)
        found.append(f"{name}({pid})")
        pid = parent
    return tuple(found)


def user_name() -> str:
    """The operating system's name for who runs this, not what the environment claims."""
    if sys.platform == "win32":
        return os.getlogin()
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _process(pid: int) -> tuple[str, int]:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes().decode("utf-8", "replace")
    except OSError:
        return "?", os.getppid() if pid == os.getpid() else 0
    name, _, rest = stat.partition("(")[2].rpartition(")")
    return name, int(rest.split()[1])
