"""Writes the files of the state folder: whole, on disk when it returns, and readable by the operator alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.errors import Damaged
from engine.state.failpoints import step
from engine.workspace.system_calls import beside, fsync_folder, is_running, write_all

T = TypeVar("T")

OPEN_TO_OTHERS = 0o077  # the mode bits of group and others (decision G23)


def make_durable(folder: Path) -> None:
    """Makes a folder with its parents, mode 0700; the name of each is on disk when this returns."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
        fsync_folder(place.parent)


def make_private(folder: Path) -> None:
    """A folder only its owner may enter, made with its parents; one that others may read is closed to them. One that
    others may write is left as it is: opening the state refuses it, and says so."""
    make_durable(folder)
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & OPEN_TO_OTHERS and not mode & (stat.S_IWGRP | stat.S_IWOTH):
        folder.chmod(0o700)


def write_private(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replaces a file as a whole: on disk, file and folder, when this returns."""
    step("state-write")
    with beside(path) as fresh:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(fd, mode)
            write_all(fd, data)
            step("state-fsync")
            os.fsync(fd)
        finally:
            os.close(fd)
        step("state-replace")
        fresh.replace(path)
    step("state-folder-fsync")
    fsync_folder(path.parent)


def leftovers(folder: Path) -> Iterator[Path]:
    """Temporary files in a state folder whose process is gone."""
    for file in folder.glob(".*.new"):
        pid = file.name.removesuffix(".new").rpartition(".")[2].partition("-")[0]
        # A process that lives may still be writing it.
        if pid.isdigit() and not is_running(int(pid)):
            yield file


def read_record(file: Path, kind: type[T], what: str, hint: str = "") -> T | None:
    """Reads a record; None where there is none, `Damaged` where it cannot be read: `what` names it."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damaged(f"{what}: {error}", where=str(file), hint=hint) from error


def known_record(file: Path, kind: type[T]) -> T | None:
    """Reads a record that is made anew where it is lost; None for one that is not there or cannot be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def remove_private(path: Path) -> None:
    """Removes a state file that has done its work; already gone is fine."""
    step("state-remove")
    path.unlink(missing_ok=True)
    step("state-folder-fsync")
    fsync_folder(path.parent)
