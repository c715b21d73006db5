"""The place where a run keeps the folders of its tests: memory where there is room for them, else the disk."""

import os
import shutil
from pathlib import Path

IN_MEMORY = Path("/dev/shm")
NAME = "PYTEST_DEBUG_TEMPROOT"
"""Says another place, `/tmp` for the disk."""
ROOM = 4 << 30
"""Bytes that must be free, a multiple of what a run needs."""


def has_room(place: Path) -> bool:
    """Tells whether the folders of a run may stand there: written to, and programs started from."""
    if not os.access(place, os.W_OK | os.X_OK):
        return False
    return not os.statvfs(place).f_flag & os.ST_NOEXEC and shutil.disk_usage(place).free >= ROOM


def choose() -> None:
    """Chooses memory where nothing else was said: waiting for a disk took most of the time, and a third of the work."""
    if has_room(IN_MEMORY):
        os.environ.setdefault(NAME, str(IN_MEMORY))
