"""The place in the archive of each file, and the place that an archived one comes back to (decisions A8, D26)."""

import re
from datetime import date
from posixpath import splitext

from engine.workspace.layout import ARCHIVE, TIER_FOLDERS
from engine.workspace.values import MemoryTier

KNOWLEDGE, COLD = "knowledge/", "archive/"
_TIERS = tuple(TIER_FOLDERS[tier] + "/" for tier in (MemoryTier.WORKING, MemoryTier.EPISODIC))
_DATED = re.compile(r"-archived-\d{4}-\d{2}-\d{2}(?:-\d+)?$")


def archive_place(path: str, today: date) -> str:
    """The path that a file goes to, that of a memory tier to `memory/archive/`; empty for what has no archive."""
    if path.startswith(KNOWLEDGE):
        return COLD + path.removeprefix(KNOWLEDGE)
    if path.startswith(_TIERS):
        return f"{ARCHIVE}/{splitext(path.rpartition('/')[2])[0]}-archived-{today.isoformat()}.md"
    return ""


def former_place(path: str) -> str:
    """The path that an archived file comes back to; a note of a memory tier becomes a working one again."""
    if path.startswith(COLD):
        return KNOWLEDGE + path.removeprefix(COLD)
    if path.startswith(ARCHIVE + "/"):
        stem = _DATED.sub("", splitext(path.rpartition("/")[2])[0])
        return f"{TIER_FOLDERS[MemoryTier.WORKING]}/{stem}.md"
    return ""
