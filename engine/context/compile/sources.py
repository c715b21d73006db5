"""Finds the files of the slots that do not depend on the message, by the layouts that a workspace has (§6.2, G3)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, timedelta
from typing import Final

from engine.context.compile.note_text import NoteText
from engine.context.compile.pieces import PromptPiece
from engine.context.compile.slots import PromptSlot
from engine.context.platforms.platform import SessionKind
from engine.workspace.layout import IDENTITY_FILES, MEMORY_MD_PATHS, TIER_FOLDERS, is_archived
from engine.workspace.values import MemoryTier

IDENTITY: Final[Mapping[SessionKind, tuple[str, ...]]] = {
    SessionKind.MAIN: IDENTITY_FILES,
    SessionKind.SHARED: IDENTITY_FILES,
    SessionKind.CRON: IDENTITY_FILES,
    SessionKind.SUBAGENT: ("AGENTS.md", "TOOLS.md"),
}
"""Identity files by the kind of session, as OpenClaw gives them out."""
_IDENTITY_FOLDER = "knowledge/identity/"
_ROOT = "memory/ROOT.md"
_MIRROR = "<!-- memdeck:root:start"
_SHARDS = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
_PROJECTS = "knowledge/projects/_active.md"
_PRIVATE = (*MEMORY_MD_PATHS, _ROOT)
MIRRORED = "MEMORY.md mirrors it"
OTHER_SESSIONS = "only a main session sees it"

TextOf = Callable[[str], NoteText | str]
"""Gives the text of a note, or the reason why there is none."""


def prefix_pieces(
    paths: Collection[str], text_of: TextOf, today: date, session: SessionKind
) -> tuple[PromptPiece, ...]:
    """The pieces of identity, memory, projects and journal, in the order of the prompt."""
    found = (*_identity(paths, session), *_memory(paths), *_projects(paths), *_journal(paths, today))
    return tuple(_piece(slot, path, text_of, session, found) for slot, path in found)


def refusal(path: str, session: SessionKind) -> str:
    """The reason why a file may not come into the prompt at all; empty where it may (decisions D4, D52)."""
    if is_archived(path):
        return "the archive is not compiled"
    if session is not SessionKind.MAIN and is_private(path):
        return OTHER_SESSIONS
    return ""


def is_private(path: str) -> bool:
    """Tells whether a file is MEMORY.md or what is copied into it or from it (decisions D4, D41)."""
    return path in _PRIVATE or path.startswith(_SHARDS)


def _piece(
    slot: PromptSlot, path: str, text_of: TextOf, session: SessionKind, found: Collection[tuple[PromptSlot, str]]
) -> PromptPiece:
    refused = refusal(path, session)
    read: NoteText | str = refused or text_of(path)
    if path == _ROOT and not refused and _mirrored(text_of, found):
        read = MIRRORED
    if isinstance(read, str):
        return PromptPiece(slot=slot, label=path, path=path, refused=read)
    return PromptPiece(slot=slot, label=path, path=path, text=read.text, trust=read.trust, flags=read.flags)


def _mirrored(text_of: TextOf, found: Collection[tuple[PromptSlot, str]]) -> bool:
    texts = (text_of(path) for _, path in found if path in MEMORY_MD_PATHS)
    return any(isinstance(text, NoteText) and _MIRROR in text.text for text in texts)


def _identity(paths: Collection[str], session: SessionKind) -> Iterator[tuple[PromptSlot, str]]:
    for name in IDENTITY[session]:
        for path in (f"{_IDENTITY_FOLDER}{name}", name):
            if path in paths:
                yield PromptSlot.IDENTITY, path
                break


def _memory(paths: Collection[str]) -> Iterator[tuple[PromptSlot, str]]:
    first = next((path for path in MEMORY_MD_PATHS if path in paths), None)
    if first is not None:
        yield PromptSlot.MEMORY, first
    if _ROOT in paths:
        yield PromptSlot.MEMORY, _ROOT
    for path in sorted(path for path in paths if path.startswith(_SHARDS) and "/" not in path[len(_SHARDS) :]):
        yield PromptSlot.MEMORY, path


def _projects(paths: Collection[str]) -> Iterator[tuple[PromptSlot, str]]:
    if _PROJECTS in paths:
        yield PromptSlot.PROJECTS, _PROJECTS


def _journal(paths: Collection[str], today: date) -> Iterator[tuple[PromptSlot, str]]:
    """Today and yesterday in the workspace's zone, from the first layout that has the day."""
    for day in (today, today - timedelta(days=1)):
        layouts = (f"knowledge/journal/{day}.md", f"DailyLogs/{day}.md", f"memory/{day}.md")
        path = next((path for path in layouts if path in paths), None)
        if path is not None:
            yield PromptSlot.JOURNAL, path
