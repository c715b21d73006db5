"""Defines the paths of a workspace, tells which are guarded, and detects capabilities (decision G3)."""

import re
from collections.abc import Callable, Iterable

from engine.workspace.values import Capability, MemoryTier

META_PATH = "memory/.memory-compactor-meta.json"
"""The file in which other compactors store the time of the last semantic write (decision A12)."""
MEMORY = "memory"
ARCHIVE = "memory/archive"
TIER_FOLDERS: dict[MemoryTier, str] = {tier: f"memory/{tier.value}" for tier in MemoryTier}
SEMANTIC_INDEX = "memory/semantic/_index.md"  # one line a shard, ours (decision A32): no shard itself
CONVERSATIONS = "raw/conversations"  # the folder of a workspace's transcripts (autopoiesis §2.1, decision D32)
IDENTITY_FILES = ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md")
"""Files about the agent and its operator, at the root or in `knowledge/identity/` (autopoiesis §2.2)."""
TEMPORARY_PREFIX = ".memdeck-"  # names of files that an apply is still writing

ARCHIVES = ("archive/", ARCHIVE + "/")
"""The archive folders of knowledge and of memory tiers (decision D26)."""
_QUIET_NAMES = frozenset({".gitkeep", ".keep", ".gitignore", ".DS_Store"})
_CLOSED_FOLDERS = frozenset({"node_modules", "venv", "__pycache__"})
_RAW_LOG = re.compile(r"memory/[0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*\.md")

_BY_FOLDER: tuple[tuple[Capability, tuple[str, ...]], ...] = (
    (Capability.COMPACTOR, ("memory/working", "memory/episodic", "memory/semantic")),
    (Capability.TREE, ("memory/daily", "memory/weekly", "memory/monthly")),
    (Capability.WINDOW, ("DailyLogs",)),
    (Capability.AUTOPOIESIS, ("knowledge", CONVERSATIONS)),
)


PRIVATE = ("knowledge/private", "archive/private")
"""The folders encrypted in git unless the policy differs: private knowledge and its archive."""


def lies_in(path: str, folders: Iterable[str]) -> bool:
    """Tells whether a path is one of the folders or below one, ignoring case as some disks do."""
    asked = path.casefold()
    return any(asked == folder or asked.startswith(f"{folder}/") for folder in map(str.casefold, folders))


def is_note(name: str) -> bool:
    """Tells whether `*.md` matches a name; hidden files do not count."""
    return name.endswith(".md") and not name.startswith(".")


def is_closed_folder(name: str) -> bool:
    """Tells whether a folder is never entered: hidden ones, and those of package managers."""
    return name.startswith(".") or name in _CLOSED_FOLDERS


def is_quiet(name: str) -> bool:
    """Tells whether a name in a tier's folder is skipped without a remark: placeholders, temporary files."""
    return name in _QUIET_NAMES or name.startswith(TEMPORARY_PREFIX)


def tier_of(path: str) -> MemoryTier | None:
    """Returns the memory tier that a path is in, at any depth; else None."""
    return next((tier for tier, folder in TIER_FOLDERS.items() if path.startswith(folder + "/")), None)


def is_tier_folder(folder: str) -> bool:
    """Tells whether files in `folder` that are no notes are reported (decision A17)."""
    return folder in TIER_FOLDERS.values() or folder.startswith(ARCHIVE + "/")


def is_archived(path: str) -> bool:
    """Tells whether a path is in an archive: found by search with a mark, never compiled (decision D52)."""
    return path.startswith(ARCHIVES)


def is_raw_log(path: str) -> bool:
    """Tells whether a path is a raw log of the tree, `memory/YYYY-MM-DD*.md` (tree, decision C21)."""
    return path.count("/") == 1 and _RAW_LOG.fullmatch(path) is not None


_TELLING = ("MEMORY.md", "topics/", "memory/")
"""Beginnings of the paths that show a capability; others are skipped quickly."""


def find_capabilities(has_folder: Callable[[str], bool], paths: Iterable[str]) -> frozenset[Capability]:
    """Detects a workspace's capabilities from its folders and notes (decision G3)."""
    found = {capability for capability, folders in _BY_FOLDER if any(map(has_folder, folders))}
    for path in paths:
        if not path.startswith(_TELLING):
            continue
        if path == "MEMORY.md":
            found.add(Capability.WINDOW)
        elif path.startswith("topics/"):
            found.add(Capability.TOPICS)
        elif Capability.TREE not in found and (path == "memory/ROOT.md" or is_raw_log(path)):
            found.add(Capability.TREE)
    return frozenset(found)


_FOLDERS = ("memory/semantic/", "knowledge/identity/", "knowledge/memory/")


def is_guarded(path: str) -> bool:
    """Tells whether agents load a path: semantic memory, identity, MEMORY.md, a file at the root. Ignores case."""
    return "/" not in path or path.casefold().startswith(_FOLDERS) or is_memory_md(path)


MEMORY_MD_PATHS = ("knowledge/memory/MEMORY.md", "MEMORY.md")
"""The first existing one counts; no planner creates one (decision C18)."""

MEMORY_MD_LINES = (("warning", 180), ("full", 200), ("over", 220))
"""Lines above which MEMORY.md is in a band. Nothing may grow it above `full`: later lines are not loaded."""
MEMORY_MD_CAP = dict(MEMORY_MD_LINES)["full"]


def is_memory_md(path: str) -> bool:
    """Tells whether a path is a MEMORY.md, ignoring case as some disks do."""
    return path.casefold() in {known.casefold() for known in MEMORY_MD_PATHS}


def memory_md_band(lines: int) -> str:
    """Returns the band of MEMORY.md: `ok`, or the highest limit passed, named as in `CLI.md`."""
    return next((band for band, most in reversed(MEMORY_MD_LINES) if lines > most), "ok")
