"""Names the place of each file in the archive and the place to which it is restored (decisions A8, D26, D52), and
the files that are never archived, with reasons (B4, D7)."""

import re
from collections.abc import Mapping
from datetime import date
from posixpath import splitext

from engine.history.gitmodules import shared_name
from engine.text.document import split_lines
from engine.text.markdown import code_mask
from engine.workspace.layout import ARCHIVE, IDENTITY_FILES, MEMORY_MD_PATHS, TIER_FOLDERS
from engine.workspace.values import MemoryTier

IDENTITY_NAMES = frozenset({*IDENTITY_FILES, "CLAUDE.md"})
KEPT_TYPES = frozenset({"identity", "memory", "user", "feedback"})  # of notes that are never archived (D7)
KEPT_FOR_EVER = re.compile(r"\[(?:NEVER_PRUNE|REFERENCE)\]")
_PINNED = frozenset({"true", "yes", "on", "1"})  # the ways in which YAML writes true

Head = Mapping[str, str | list[str]]


def protection(path: str, head: Head, text: str) -> str:
    """Gives the reason why a file stays where it is; empty where nothing protects it."""
    name = path.rpartition("/")[2]
    if path.startswith("knowledge/identity/") or path in IDENTITY_NAMES:
        return "identity"
    if path in MEMORY_MD_PATHS:
        return "MEMORY.md"
    if shared_name(path):
        return "shared knowledge: memdeck share remove takes it out"
    if name.startswith("_"):
        return "an index that the agent loads"
    if is_pinned(head):
        return "pinned"
    said = (word for key in ("type", "metadata.type", "tags") for word in words_of(head, key))
    if kinds := {word.casefold() for word in said} & KEPT_TYPES:
        return f"it is of type {min(kinds)}"
    return "a line of it is marked as kept for ever" if is_kept_for_ever(text) else ""


def is_pinned(head: Head) -> bool:
    """Tells whether the frontmatter pins the file, by `pinned: true` or a tag."""
    pinned = {word.casefold() for word in words_of(head, "pinned")} & _PINNED
    return bool(pinned) or "pinned" in words_of(head, "tags")


def words_of(head: Head, key: str) -> tuple[str, ...]:
    """Gives the value of a key as words, whichever way YAML wrote them."""
    value = head.get(key, ())
    return tuple(re.findall(r"[\w-]+", value)) if isinstance(value, str) else tuple(value)


def is_kept_for_ever(text: str) -> bool:
    """Tells whether a line outside code bears `[NEVER_PRUNE]` or `[REFERENCE]` (decision B4)."""
    if KEPT_FOR_EVER.search(text) is None:
        return False
    lines = split_lines(text)
    return any(KEPT_FOR_EVER.search(line) for line, code in zip(lines, code_mask(lines), strict=True) if not code)


KNOWLEDGE, COLD = "knowledge/", "archive/"
_TIERS = tuple(TIER_FOLDERS[tier] + "/" for tier in (MemoryTier.WORKING, MemoryTier.EPISODIC))
_DATED = re.compile(r"-archived-\d{4}-\d{2}-\d{2}(?:-\d+)?$")


def archive_place(path: str, today: date) -> str:
    """Gives the path of a file in the archive, `memory/archive/` for memory tiers; empty where it has none."""
    if path.startswith(KNOWLEDGE):
        return COLD + path.removeprefix(KNOWLEDGE)
    if path.startswith(_TIERS):
        return f"{ARCHIVE}/{splitext(path.rpartition('/')[2])[0]}-archived-{today.isoformat()}.md"
    return ""


def former_place(path: str) -> str:
    """Gives the path to which an archived file is restored; a note of a memory tier becomes a working note."""
    if path.startswith(COLD):
        return KNOWLEDGE + path.removeprefix(COLD)
    if path.startswith(ARCHIVE + "/"):
        stem = _DATED.sub("", splitext(path.rpartition("/")[2])[0])
        return f"{TIER_FOLDERS[MemoryTier.WORKING]}/{stem}.md"
    return ""
