"""Defines the paths and limits of MEMORY.md, of which an agent loads the first 200 lines (decisions C18, D23)."""

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
