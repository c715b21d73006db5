"""Calls to the system that stores of every kind share: a whole write, and whether a process is alive."""

import os
from contextlib import suppress
from pathlib import Path


def write_all(fd: int, data: bytes) -> None:
    """Writes every byte, however short the single writes are. An error of the system names the file where it can."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError as error:
        with suppress(OSError):  # a full disk says nothing of where; only Linux tells a descriptor's name
            error.filename = str(Path(f"/proc/self/fd/{fd}").readlink())
        raise


def is_running(pid: int) -> bool:
    """Tells whether there is a process of that number, whoever owns it."""
    try:
        # Signal 0 is not sent: only whether it could be is told.
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
