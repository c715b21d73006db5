"""Writes the files of the state folder: whole, synced to disk, and readable by the operator alone."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.errors import Damaged, Refused
from engine.workspace.system_calls import beside, fsync_folder, is_running, write_all

Hook = Callable[[str], None]
"""Is called with the name of the next step; may raise `OSError` or end the process."""

_hooks: list[Hook] = []
"""Hooks of tests, otherwise empty. Only code in this process can add one."""


def step(name: str) -> None:
    """Tells the hooks that the step `name`, which writes, comes next."""
    for hook in _hooks:
        hook(name)


@contextmanager
def hooked(hook: Hook) -> Iterator[None]:
    """Calls `hook` before every step in the block."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.remove(hook)


T = TypeVar("T")

OPEN_TO_OTHERS = 0o077  # the mode bits of group and others (decision G23)


def make_durable(folder: Path) -> None:
    for place in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        place.mkdir(mode=0o700, exist_ok=True)
        fsync_folder(place.parent)


def make_private(folder: Path) -> None:
    """Makes a folder and its parents with mode 0700; a folder that others may only read is closed to them. One that
    others may write stays as it is, because opening the state refuses it."""
    make_durable(folder)
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & OPEN_TO_OTHERS and not mode & (stat.S_IWGRP | stat.S_IWOTH):
        folder.chmod(0o700)


def write_private(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replaces a file as a whole; file and folder are synced to disk."""
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
    """Yields the temporary files in a state folder whose process has ended."""
    for file in folder.glob(".*.new"):
        pid = file.name.removesuffix(".new").rpartition(".")[2].partition("-")[0]
        # A process that lives may still be writing it.
        if pid.isdigit() and not is_running(int(pid)):
            yield file


def read_record(file: Path, kind: type[T], what: str, hint: str = "") -> T | None:
    """Reads a record; None where there is none. `Damaged`, with `what` as its name, where it cannot be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damaged(f"{what}: {error}", where=str(file), hint=hint) from error


def known_record(file: Path, kind: type[T]) -> T | None:
    """Reads a record that can be made again; None where it is missing or cannot be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def remove_private(path: Path) -> None:
    """Removes a state file that is no longer needed; it may be gone already."""
    step("state-remove")
    path.unlink(missing_ok=True)
    step("state-folder-fsync")
    fsync_folder(path.parent)


def private_chain(top: Path, folder: Path) -> Iterator[str]:
    """Makes or checks the folders from `top` down to `folder`, mode 0700; yields each that was open to others.
    `Refused` where one is a link, belongs to another user, or could be written by one."""
    if not top.is_dir():
        make_durable(top.parent)
    else:
        refuse_replaceable(top)
    place = top
    # From the top down: a folder is safe only if nobody can exchange the one above it.
    for name in ("", *folder.relative_to(top).parts):
        place = place / name
        yield from private_place(place)


def private_content(folder: Path) -> Iterator[str]:
    """Checks the entries of a state folder, one level deep; yields each that was open to others."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if not entry.name.endswith(".new"))
    for name in names:
        yield from private_place(folder / name, make=False)


def private_place(place: Path, *, make: bool = True) -> Iterator[str]:
    """Checks a folder or file; yields it, with its mode if others could read it. `Refused` where others may write."""
    if make:
        with suppress(FileExistsError):  # a link that leads nowhere
            make_durable(place)
    try:
        facts = place.lstat()
    except FileNotFoundError:  # a temporary file of another process, renamed meanwhile
        return
    if stat.S_ISLNK(facts.st_mode):
        raise Refused("memdeck's state may hold no link", where=str(place), hint="remove it, then try again")
    if not stat.S_ISDIR(facts.st_mode) and make:
        raise NotADirectoryError(20, "Not a directory", str(place))
    refuse_writable(place, facts)
    if stat.S_IMODE(facts.st_mode) & OPEN_TO_OTHERS:
        place.chmod(0o700 if stat.S_ISDIR(facts.st_mode) else 0o600)
        yield f"{place} ({stat.S_IMODE(facts.st_mode):04o})"


def inode_at(place: Path) -> tuple[int, int] | None:
    """Gives the device and inode of a path, links followed; None where there is nothing."""
    try:
        facts = place.stat()
    except (OSError, ValueError):
        return None
    return facts.st_dev, facts.st_ino


def refuse_replaceable(place: Path) -> None:
    """Raises `Refused` where another user could replace the folder."""
    parent = place.parent
    facts = parent.stat()
    # With the sticky bit, as `/tmp` has it, only the owner of an entry can rename it.
    if not facts.st_mode & stat.S_ISVTX:
        refuse_writable(parent, facts)


def refuse_foreign(path: Path, file: os.stat_result) -> None:
    """Raises `Refused` where another user than root or the operator may write the file or replace it. A group counts
    unless it is the operator's own; in a sticky folder like `/tmp` nobody can replace others' files."""
    refuse_writable(path, file)
    refuse_replaceable(path.resolve())


def refuse_writable(path: Path, facts: os.stat_result) -> None:
    """Raises `Refused` where another user than root or the operator owns it or may write it."""
    if facts.st_uid not in (os.geteuid(), 0):
        hint = f"chown {os.geteuid()} {path}"
        raise Refused(f"it belongs to another user ({facts.st_uid})", where=str(path), hint=hint)
    if facts.st_mode & stat.S_IWOTH or (facts.st_mode & stat.S_IWGRP and facts.st_gid not in (os.getegid(), 0)):
        raise Refused("other users may write it", where=str(path), hint=f"chmod go-w {path}")
