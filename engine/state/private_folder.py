"""Holds the state folder to the policy's rules: the operator's own, writable by nobody else, no link (G23)."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.errors import Refused
from engine.state.private_files import OPEN_TO_OTHERS, make_durable


def private_chain(top: Path, folder: Path) -> Iterator[str]:
    """Makes or checks every folder from `top` down to `folder`, mode 0700; yields each that had to be closed. `Refused`
    where one is a link, belongs to another user, or could be written by one. `top` itself is a real path."""
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
    """Checks what lies in a folder of the state, one level deep; yields each entry that had to be closed."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if not entry.name.endswith(".new"))
    for name in names:
        yield from private_place(folder / name, make=False)


def private_place(place: Path, *, make: bool = True) -> Iterator[str]:
    """Checks one folder or file, making a folder that is missing; yields it with its mode where it was too open. One
    that others may only read is closed to them. One that they may write is refused: nobody knows what they wrote."""
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
    """Identifies what a path leads to, by device and inode; None for nothing."""
    try:
        facts = place.stat()
    except (OSError, ValueError):
        return None
    return facts.st_dev, facts.st_ino


def refuse_replaceable(place: Path) -> None:
    """`Refused` where another user could put something else in the place of a folder."""
    parent = place.parent
    facts = parent.stat()
    # With the sticky bit, as `/tmp` has it, only the owner of an entry can rename it.
    if not facts.st_mode & stat.S_ISVTX:
        refuse_writable(parent, facts)


def refuse_foreign(path: Path, file: os.stat_result) -> None:
    """`Refused` where another user than the operator or root may write the file, or put another in its place. A group
    counts unless it is the operator's own. In a folder like `/tmp` nobody can replace the files of others."""
    refuse_writable(path, file)
    refuse_replaceable(path.resolve())


def refuse_writable(path: Path, facts: os.stat_result) -> None:
    """`Refused` where another user than the operator or root owns it or may write it."""
    if facts.st_uid not in (os.geteuid(), 0):
        hint = f"chown {os.geteuid()} {path}"
        raise Refused(f"it belongs to another user ({facts.st_uid})", where=str(path), hint=hint)
    if facts.st_mode & stat.S_IWOTH or (facts.st_mode & stat.S_IWGRP and facts.st_gid not in (os.getegid(), 0)):
        raise Refused("other users may write it", where=str(path), hint=f"chmod go-w {path}")
