"""Refuses files of the operator that somebody else may write: an agent under another user must not (decision G12)."""

import os
import stat
from pathlib import Path

from engine.errors import Refused


def refuse_foreign(path: Path, file: os.stat_result) -> None:
    """`Refused` where another user than the operator or root may write the file, or put another in its place.

    A group counts unless it is the operator's own. In a folder like `/tmp` nobody can replace the files of others.
    """
    refuse_writable(path, file)
    folder = path.resolve().parent
    facts = folder.stat()
    if not facts.st_mode & stat.S_ISVTX:
        refuse_writable(folder, facts)


def refuse_writable(path: Path, facts: os.stat_result) -> None:
    """`Refused` where another user than the operator or root owns it or may write it."""
    if facts.st_uid not in (os.geteuid(), 0):
        hint = f"chown {os.geteuid()} {path}"
        raise Refused(f"it belongs to another user ({facts.st_uid})", where=str(path), hint=hint)
    if facts.st_mode & stat.S_IWOTH or (facts.st_mode & stat.S_IWGRP and facts.st_gid not in (os.getegid(), 0)):
        raise Refused("other users may write it", where=str(path), hint=f"chmod go-w {path}")
