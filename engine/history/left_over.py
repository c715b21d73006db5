"""Clears what gits of ours left that were killed, each by the intent that was written before it began (D22)."""

from pathlib import Path

from engine.errors import MemdeckError
from engine.history.exploration_start import settle_exploration
from engine.history.git import Git
from engine.history.locks import Begun, dead_intents
from engine.history.refs import clear_ref_lock, common_folder
from engine.history.repository import Repository
from engine.text.safe_text import visible_line


def clear_left_over(repository: Repository, git: Git, scratch: Path) -> tuple[str, ...]:
    """Clears what can be cleared now; tells of each ref what was done, or what is in the way. `git` is the one with
    which refs are written."""
    told, common = [], ""
    for begun in dead_intents(scratch):
        name = visible_line(begun.intent.ref)
        common = common or str(common_folder(git))
        if begun.intent.git != common:
            begun.done()  # that repository is gone or another's
            continue
        try:
            held = _settled(repository, git, begun)
        except (MemdeckError, OSError) as error:
            held = error.line() if isinstance(error, MemdeckError) else str(error)
        told.append(f"{name}, which stays cut off: {held}" if held else f"{name}, which was cut off")
    return tuple(told)


def left_over(scratch: Path) -> tuple[str, ...]:
    """Gives the refs whose making was cut off."""
    return tuple(visible_line(begun.intent.ref) for begun in dead_intents(scratch))


def _settled(repository: Repository, git: Git, begun: Begun) -> str:
    if begun.intent.folder:
        return settle_exploration(repository, begun)
    held = clear_ref_lock(git, begun)
    if not held:
        begun.done()
    return held
