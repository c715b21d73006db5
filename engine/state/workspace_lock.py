"""The lock of a workspace: of several memdecks one at a time changes it."""

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import Refused
from engine.state.folder import StateFolder
from engine.workspace.system_calls import write_all

_RETRY_SECONDS = 0.05  # seconds between two tries: `flock` itself can wait only without end


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """The process that holds the lock; `boot` and `started` (clock ticks since boot) tell a reused process id apart."""

    pid: int
    boot: str
    started: str
    host: str
    since: datetime
    purpose: str


@contextmanager
def hold(state: StateFolder, *, now: datetime, purpose: str, wait: float = 2.0) -> Iterator[None]:
    """Holds the workspace's lock; `Refused` names its owner after `wait` seconds. The lock ends with its process."""
    # The file stays when the lock is free: whoever removed it could leave two owners, each with a file of that name.
    fd = os.open(state.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        _acquire(fd, state, wait)
        with suppress(OSError):  # on a full disk nobody is named, and recovering can go on
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
            pid, host = os.getpid(), socket.gethostname()
            this = Owner(pid=pid, boot=_boot_id(), started=_start_of(pid), host=host, since=now, purpose=purpose)
            write_all(fd, msgspec.json.encode(this))
        try:
            yield
        finally:
            os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def owner(state: StateFolder) -> Owner | None:
    """Gives the process that holds the lock right now; None where it is free."""
    try:
        fd = os.open(state.lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        # Shared: two who ask at the same time do not take each other for the owner.
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return read_owner(state)
    finally:
        os.close(fd)
    return None


def read_owner(state: StateFolder) -> Owner | None:
    """Reads the process in the lock file, running or not; None if there is none."""
    try:
        return msgspec.json.decode(state.lock.read_bytes(), type=Owner)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def is_alive(who: Owner) -> bool:
    """Tells whether this very process is still running on this machine."""
    return who.boot == _boot_id() and who.started == _start_of(who.pid) != ""


def _acquire(fd: int, state: StateFolder, wait: float) -> None:
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise busy(read_owner(state)) from None
            time.sleep(_RETRY_SECONDS)


def busy(who: Owner | None) -> Refused:
    """Gives the error that names the process that holds the lock, if it is known."""
    if who is None:
        return Refused("another memdeck is changing this workspace", hint="wait until it is done")
    message = f"{who.purpose} is running: process {who.pid} on {who.host} since {who.since.isoformat()}"
    return Refused(message, hint="wait until it is done")


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _start_of(pid: int) -> str:
    """Gives the process's start in clock ticks since boot; empty where it has ended or cannot be read."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    # The name in brackets may hold blanks and brackets itself; behind the last one the 20th field is the start.
    return stat.rpartition(")")[2].split()[19]
