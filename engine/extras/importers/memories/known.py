"""Knows the memories of a workspace: by their marks, by their words, and those that a person took out of it."""

from collections.abc import Collection, Iterable

from engine.extras.importers.memories.memory import MARK, ImportedMemory, memory_id
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.text.safe_text import visible_line
from engine.workspace.layout import ARCHIVES, MEMORY_MD_PATHS
from engine.workspace.snapshot import Snapshot

_FOLDERS = ("knowledge/", "memory/", *ARCHIVES)
_LONGEST = 160  # characters of a memory's place in the mark that names its source


class KnownMemories:
    """The memories of a workspace by the ids of their words. `imported` are those of applied imports, there or not."""

    def __init__(self, snapshot: Snapshot, imported: Collection[str]) -> None:
        self._there: set[str] = set()
        self._notes: dict[str, str] = {}
        self._imported = frozenset(imported)
        for path in snapshot.files:
            if path in MEMORY_MD_PATHS or "/" not in path or path.startswith(_FOLDERS):
                self._look(path, snapshot.content(path).decode("utf-8", "replace"))

    @property
    def keys(self) -> frozenset[str]:
        """The keys of what is there, for an export: ids of words, and sources of whole notes."""
        return frozenset((*self._there, *self._notes))

    def is_there(self, one: ImportedMemory) -> bool:
        """Tells whether these words are in the workspace, imported or not."""
        return one.id in self._there

    def is_removed(self, one: ImportedMemory) -> bool:
        """Tells whether an applied import wrote them, and somebody took them out since."""
        return one.id in self._imported and one.id not in self._there

    def earlier(self, one: ImportedMemory, tool: str) -> str:
        """The note that holds an earlier state of this whole file; empty where none does."""
        return self._notes.get(source_of(one, tool), "") if one.whole else ""

    def _look(self, path: str, text: str) -> None:
        marks = list(MARK.finditer(text))
        self._there.update(mark[1] for mark in marks)
        self._there.update(memory_id(words) for words in (text, *(one.text for one in memory_entries(path, text))))
        if marks and marks[-1].end() == len(text.rstrip()):
            self._notes.setdefault(marks[-1][0].partition(" from ")[2].removesuffix(" -->"), path)


def source_of(one: ImportedMemory, tool: str) -> str:
    """The source of a memory as its mark names it; it cannot end the comment that it stands in."""
    return f"{tool} {visible_line(one.where).replace('--', '- -').replace('>', '')[:_LONGEST]}"


def keys_of(one: ImportedMemory, tool: str) -> Iterable[str]:
    """The keys of a memory: of a whole note also its source, by which it is known once its words have changed."""
    return (one.id, source_of(one, tool)) if one.whole else (one.id,)
