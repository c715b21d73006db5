"""Finds what stands where a plan would write and can never be written: a link, or something that is no file (A9)."""

import stat

from engine.errors import MemdeckError
from engine.plans.plan import Move, Plan
from engine.workspace.paths import WorkspaceRoot


def plan_obstacle(root: WorkspaceRoot, plan: Plan) -> str:
    """Says which place of a plan no apply could ever write, and what to do; empty where all can be written."""
    paths = (path for change in plan.changes for path in (change.path, change.to if isinstance(change, Move) else ""))
    return next(filter(None, (obstacle(root, path) for path in dict.fromkeys(filter(None, paths)))), "")


def obstacle(root: WorkspaceRoot, path: str, *, is_folder: bool = False) -> str:
    """`memory/ROOT.md is a link; remove it, then plan again`; empty where a file (or folder) may stand at `path`."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        place = "/".join(parts[:depth])
        kind = _in_the_way(root, place, is_folder=is_folder or depth < len(parts))
        if kind:
            return f"{place} is {kind}; remove it, then plan again"
    return ""


def _in_the_way(root: WorkspaceRoot, place: str, *, is_folder: bool) -> str:
    try:
        facts = root.lstat(place)
    except MemdeckError:
        return ""  # the way to it is no folder any more, which the apply finds
    if facts is None:
        return ""
    if stat.S_ISLNK(facts.st_mode):
        return "a link"
    if is_folder:
        return "" if stat.S_ISDIR(facts.st_mode) else "no folder"
    if stat.S_ISDIR(facts.st_mode):
        return "a folder"
    return "" if stat.S_ISREG(facts.st_mode) else "no regular file"
