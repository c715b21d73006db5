"""Finds the files of the slots that do not depend on the message, by the layouts that a workspace has (§6.2, G3)."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from engine.context.compile.note_text import NoteText
from engine.context.compile.pieces import PromptPiece
from engine.context.compile.prompt import PromptSlot
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

TextOf = Callable[[str], NoteText | str]  # gives the text of a note, or the reason why there is none


def prefix_pieces(
    paths: Collection[str], text_of: TextOf, today: date, session: SessionKind
) -> tuple[PromptPiece, ...]:
    """The pieces of identity, memory, projects and journal, in the order of the prompt."""
    found = tuple(_places(paths, today, session))
    texts = (text_of(path) for _, path in found if path in MEMORY_MD_PATHS)
    mirrored = _ROOT in paths and any(isinstance(text, NoteText) and _MIRROR in text.text for text in texts)
    return tuple(
        file_piece(slot, path, refusal(path, session) or (mirrored and path == _ROOT and MIRRORED) or text_of(path))
        for slot, path in found
    )


def file_piece(slot: PromptSlot, path: str, text: NoteText | str) -> PromptPiece:
    """The piece of a file's text, or of the reason why there is none."""
    if isinstance(text, str):
        return PromptPiece(slot=slot, label=path, path=path, refused=text)
    return PromptPiece(slot=slot, label=path, path=path, text=text.text, trust=text.trust, flags=text.flags)


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


def _places(paths: Collection[str], today: date, session: SessionKind) -> Iterator[tuple[PromptSlot, str]]:
    """Each slot with its files; of several layouts of one file the first that the workspace has."""
    shards = sorted(path for path in paths if path.startswith(_SHARDS) and "/" not in path[len(_SHARDS) :])
    layouts: tuple[tuple[PromptSlot, Sequence[str]], ...] = (
        *((PromptSlot.IDENTITY, (f"{_IDENTITY_FOLDER}{name}", name)) for name in IDENTITY[session]),
        *((PromptSlot.MEMORY, places) for places in (MEMORY_MD_PATHS, (_ROOT,), *((path,) for path in shards))),
        (PromptSlot.PROJECTS, (_PROJECTS,)),
        # Today and yesterday in the workspace's zone.
        *(
            (PromptSlot.JOURNAL, (f"knowledge/journal/{day}.md", f"DailyLogs/{day}.md", f"memory/{day}.md"))
            for day in (today, today - timedelta(days=1))
        ),
    )
    for slot, places in layouts:
        if path := next((path for path in places if path in paths), ""):
            yield slot, path
