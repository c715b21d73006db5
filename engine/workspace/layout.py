"""Defines the paths of a workspace, tells which are guarded, and finds its capabilities (decision G3)."""

import re
from collections.abc import Callable, Iterable

from engine.workspace.values import Capability, MemoryTier

META_PATH = "memory/.memory-compactor-meta.json"
"""The file in which other compactor tools look for the time of the last semantic write (decision A12)."""
MEMORY = "memory"
ARCHIVE = "memory/archive"
TIER_FOLDERS: dict[MemoryTier, str] = {tier: f"memory/{tier.value}" for tier in MemoryTier}
SEMANTIC_INDEX = "memory/semantic/_index.md"  # one line a shard, ours (decision A32): no shard itself
CONVERSATIONS = "raw/conversations"  # the folder of a workspace's transcripts (autopoiesis §2.1, decision D32)
IDENTITY_FILES = ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md")
"""Files that say who the agent and its operator are, at the root or in `knowledge/identity/` (autopoiesis §2.2)."""
TEMPORARY_PREFIX = ".memdeck-"  # names of files that an apply is still writing

ARCHIVES = ("archive/", ARCHIVE + "/")
"""The folders of what was archived: of knowledge, and of memory tiers (decision D26)."""
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
"""The folders whose files are encrypted in git unless the policy says otherwise: private knowledge, and its archive."""


def lies_in(path: str, folders: Iterable[str]) -> bool:
    """Tells whether a path is one of the folders or lies below one, in whatever case some disks would find it."""
    asked = path.casefold()
    return any(asked == folder or asked.startswith(f"{folder}/") for folder in map(str.casefold, folders))


def is_note(name: str) -> bool:
    """Tells whether a name is one that `*.md` matches: hidden files are not."""
    return name.endswith(".md") and not name.startswith(".")


def is_closed_folder(name: str) -> bool:
    """Folders that hold no memory and are never entered: hidden ones, and those of package managers."""
    return name.startswith(".") or name in _CLOSED_FOLDERS


def is_quiet(name: str) -> bool:
    """Names that stand in a tier's folder without being worth a word: placeholders and files being written."""
    return name in _QUIET_NAMES or name.startswith(TEMPORARY_PREFIX)


def tier_of(path: str) -> MemoryTier | None:
    """The memory tier a path lies in, at any depth."""
    return next((tier for tier, folder in TIER_FOLDERS.items() if path.startswith(folder + "/")), None)


def is_tier_folder(folder: str) -> bool:
    """Tells whether everything in `folder` that is no note is worth naming (decision A17)."""
    return folder in TIER_FOLDERS.values() or folder.startswith(ARCHIVE + "/")


def is_archived(path: str) -> bool:
    """Tells whether a path lies in an archive: found by search with a mark, and never compiled (decision D52)."""
    return path.startswith(ARCHIVES)


def is_raw_log(path: str) -> bool:
    """`memory/YYYY-MM-DD*.md`, the raw logs of the tree (tree, decision C21)."""
    return path.count("/") == 1 and _RAW_LOG.fullmatch(path) is not None


_TELLING = ("MEMORY.md", "topics/", "memory/")
"""Paths that say what a workspace can do begin with one of these: most of very many are looked at no further."""


def find_capabilities(has_folder: Callable[[str], bool], paths: Iterable[str]) -> frozenset[Capability]:
    """Finds the capabilities of a workspace, from its folders and the paths of its notes (decision G3)."""
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
    """Tells whether a path is semantic memory, identity, MEMORY.md, or a file at the top, which agents load. Case makes
    no difference: some disks find a file by its name in any case."""
    return "/" not in path or path.casefold().startswith(_FOLDERS) or is_memory_md(path)


MEMORY_MD_PATHS = ("knowledge/memory/MEMORY.md", "MEMORY.md")
"""The first that exists counts; no planner makes one (decision C18)."""

MEMORY_MD_LINES = (("warning", 180), ("full", 200), ("over", 220))
"""Lines above which MEMORY.md is in a band. Above `full` nothing may make it grow: what follows is not loaded."""
MEMORY_MD_CAP = dict(MEMORY_MD_LINES)["full"]


def is_memory_md(path: str) -> bool:
    """Tells whether a path is one of MEMORY.md, in whatever case some disks would find it."""
    return path.casefold() in {one.casefold() for one in MEMORY_MD_PATHS}


def memory_md_band(lines: int) -> str:
    """Gives the band of MEMORY.md: `ok`, or the last of its limits that is passed, as `CLI.md` names them."""
    return next((band for band, most in reversed(MEMORY_MD_LINES) if lines > most), "ok")
