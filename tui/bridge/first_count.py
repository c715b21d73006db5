"""Counts the notes of a large workspace before the engine is there, which takes a moment to be loaded."""

from pathlib import Path

from engine.errors import MemdeckError
from engine.workspace.values import Progress, Tick

MANY = 1_000
"""Notes from which on their number is worth a line; fewer are read before anybody could read it."""


def count(workspace: Path, tick: Tick) -> None:
    """Tells `tick` how many notes have been found so far, from `MANY` on; ends early where that raises `Cancelled`. A
    workspace that cannot be listed is left to the engine, which says why."""
    from engine.workspace.paths import WorkspaceRoot
    from engine.workspace.walk import Walk

    def pulse(found: int) -> None:
        if found >= MANY:
            tick(Progress("counting the notes", found))

    try:
        with WorkspaceRoot.open(workspace) as root:
            Walk(pulse).walk(root)
    except MemdeckError:
        return
