"""Checks all bytes from outside: where they may go and what they may contain (decision G27). Shared knowledge, reviews
of two folders, memory stores and agents' proposals pass here; imports choose their places and mask secrets themselves.
Refused text is named with its reason; accepted text is flagged and has the lowest trust."""

from collections.abc import Collection, Iterable
from functools import cache

from engine.errors import Refused
from engine.text.pattern_file import pattern_file
from engine.text.secrets.detector import find_secrets, redact
from engine.workspace.layout import is_closed_folder, is_note, is_raw_log, lies_in, tier_of
from engine.workspace.paths import relative_path
from engine.workspace.values import MemoryTier

LONGEST_PATH, LONGEST_NAME = 1_000, 255  # bytes of a path, and of each name in it
_MADE = ("memory/daily/", "memory/weekly/", "memory/monthly/")
_KEPT = (MemoryTier.EPISODIC, MemoryTier.SEMANTIC, MemoryTier.ARCHIVE)
_PRIVATE = frozenset({"private", "secrets"})
"""Folder names, at any depth, that an agent's program may never read."""


def incoming(path: str, added: str, private: Iterable[str] = ()) -> str:
    """Returns why a text may not be written to a path, or "". `added`: its new lines; `private`: `git.private`."""
    return place_problem(path, private) or text_problem(added)


def is_served(path: str, private: Iterable[str]) -> bool:
    """Tells whether an agent's program may read a path: not private, hidden, outside, or with a secret in its name."""
    *folders, name = path.split("/")
    try:
        inside = relative_path(path) == path
    except Refused:
        return False
    closed = any(is_closed_folder(folder) or folder.casefold() in _PRIVATE for folder in folders)
    return inside and is_note(name) and not closed and not lies_in(path, private) and redact(path) == path


def place_problem(path: str, private: Iterable[str] = ()) -> str:
    """Returns why nothing from outside may be written to a path; empty if it may."""
    found = path.casefold()  # some disks find a file by its name in any case
    if is_instructions(path):
        return "agents load this file as instructions by themselves: only you write it"
    if not is_served(path, private):
        return "not a note that can come from outside"
    if len(path.encode()) > LONGEST_PATH or any(len(name.encode()) > LONGEST_NAME for name in path.split("/")):
        return "its path is too long for a disk"
    if is_raw_log(found) or found.startswith("raw/"):
        return "raw logs and transcripts are never changed"
    if found.startswith(_MADE) or found == "memory/root.md":
        return "memdeck makes this file from others"
    if tier_of(found) in _KEPT:
        return "memdeck writes this memory from working notes: a note under memory/working/ may come in"
    return ""


def text_problem(text: str) -> str:
    """Returns why a text may not enter; empty if it may."""
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        return "it is not text"
    return "it holds a secret" if find_secrets(text) else ""


def is_instructions(path: str) -> bool:
    """Tells whether some tool loads a file of this name or folder as instructions."""
    names, folders = _instructions()
    *above, name = path.casefold().split("/")
    return name in names or not folders.isdisjoint(above)


def added_lines(old: str, new: str) -> str:
    """Returns the lines of `new` that `old` does not have."""
    known: Collection[str] = frozenset(old.splitlines())
    return "\n".join(line for line in new.splitlines() if line not in known)


@cache
def _instructions() -> tuple[frozenset[str], frozenset[str]]:
    """Reads the names of instruction files and of their folders, in lower case."""
    tools = pattern_file(__package__, "instruction_files.toml").values()
    names = frozenset(name.casefold() for tool in tools for name in tool["files"])
    return names, frozenset(name.casefold() for tool in tools for name in tool["folders"])
