"""Lets go of held files a day later: their bytes are in the store by then, and nobody has them open any more."""

import fcntl
import os
from contextlib import suppress
from datetime import datetime

from engine.errors import MemdeckError
from engine.plans.apply.context import ApplyContext
from engine.plans.apply.folders import OpenFolders
from engine.plans.operation import Held
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import MAX_KEPT


def let_go(ctx: ApplyContext, ground: OpenFolders, now: datetime) -> None:
    """Removes held files whose time is over. Those with late bytes, or still open somewhere, stay held. What goes wrong
    here waits for the next time: `check` tells of damaged records."""
    with suppress(OSError, MemdeckError):
        for operation_id, held in ctx.held.entries().items():
            over = [file for file in held if file.until <= now and _settled(ctx, file)]
            if not over:
                continue
            ctx.displaced.flush()
            for file in over:
                ground.drop_held(file.place)
            left = tuple(file for file in held if file not in over)
            if left:
                ctx.held.record(operation_id, left)
            else:
                ctx.held.forget(operation_id)
        ground.sync()
        ground.tidy()


def _settled(ctx: ApplyContext, held: Held) -> bool:
    """Tells whether the store has all that the held file has, and will stay so; a file that is gone is settled too."""
    try:
        fd = os.open(held.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    with os.fdopen(fd, "rb") as file:
        if _open_elsewhere(fd):
            return False
        # Read after the test: with nobody else's descriptor left, what is read is what stays.
        data = file.read(MAX_KEPT + 1)
    if sha256_hex(data) != held.sha256:
        return False
    ctx.displaced.put(data)
    return True


def _open_elsewhere(fd: int) -> bool:
    """Tells whether another process has the file open: the kernel then refuses a lease. False where it knows none."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
