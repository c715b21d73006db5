"""The one gate for bytes from outside: where they may go in a workspace, and what they may hold (decision G27). Shared
knowledge, a review of two folders, a memory store and an agent's proposal all pass here; an import chooses its own
places and takes secrets out. What the gate holds back is named with its reason; what passes is flagged and shown as any
change, with the lowest trust."""

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
"""Names of folders of which nothing is given to an agent's program, at any depth."""


def incoming(path: str, added: str, private: Iterable[str] = ()) -> str:
    """Gives the reason why a text may not come in at a path; empty where it may. `added` are the lines that are new
    here. `private`: folders that the policy's `git.private` names."""
    return place_problem(path, private) or text_problem(added)


def is_served(path: str, private: Iterable[str]) -> bool:
    """Tells whether an agent's program may read a path: no private folder, no hidden one, no name that leaves. A name
    that holds a secret is not given away either."""
    *folders, name = path.split("/")
    try:
        inside = relative_path(path) == path
    except Refused:
        return False
    closed = any(is_closed_folder(one) or one.casefold() in _PRIVATE for one in folders)
    return inside and is_note(name) and not closed and not lies_in(path, private) and redact(path) == path


def place_problem(path: str, private: Iterable[str] = ()) -> str:
    """Gives the reason why nothing from outside is written to a path; empty where it may be."""
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
    """Gives the reason why a text may not come in; empty where it may."""
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        return "it is not text"
    return "it holds a secret" if find_secrets(text) else ""


def is_instructions(path: str) -> bool:
    """Tells whether a tool loads a file of this path as instructions, wherever it lies."""
    names, folders = _instructions()
    *above, name = path.casefold().split("/")
    return name in names or not folders.isdisjoint(above)


def added_lines(old: str, new: str) -> str:
    """Gives the lines of a text that another has not."""
    known: Collection[str] = frozenset(old.splitlines())
    return "\n".join(line for line in new.splitlines() if line not in known)


@cache
def _instructions() -> tuple[frozenset[str], frozenset[str]]:
    """Reads the names of instruction files and of the folders that hold them, in lower case."""
    tools = pattern_file(__package__, "instruction_files.toml").values()
    names = frozenset(name.casefold() for tool in tools for name in tool["files"])
    return names, frozenset(name.casefold() for tool in tools for name in tool["folders"])
