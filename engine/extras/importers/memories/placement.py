"""Knows the memories of a workspace, and the place of each new one by its type (decisions D43, C21)."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from engine.extraction.named_notes import project_of
from engine.extras.importers.memories.memory import MARK, ImportedMemory, MemoryType, memory_id
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.plans.trust import UNTRUSTED_MARK
from engine.text.frontmatter import read_frontmatter
from engine.text.safe_text import visible_line
from engine.workspace.foreign_text import is_instructions
from engine.workspace.layout import ARCHIVES, MEMORY_MD_PATHS, TIER_FOLDERS, is_raw_log
from engine.workspace.snapshot import FreeNames, Snapshot

_FOLDERS = ("knowledge/", "memory/", *ARCHIVES)
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_OWN = re.compile(r"<!--(?=\s*(?:[ix]:|memdeck))")
"""The beginning of a mark of ours: one in imported words claims nothing."""
_LONGEST = 80  # characters of a section's heading, and of a file's name, that come from the import
LABEL = "".join(f"{key}: {value}\n" for key, value in UNTRUSTED_MARK.items())
"""The line of a frontmatter that says that nobody vouches for what was imported."""
_LONGEST_SOURCE = 160  # characters of a memory's place in the mark that names its source


class KnownMemories:
    """The memories of a workspace by the ids of their words: those `there`, imported or not; the `imported` ones of
    applied imports, there or not."""

    def __init__(self, snapshot: Snapshot, imported: Collection[str]) -> None:
        self.there: set[str] = set()
        self._notes: dict[str, str] = {}
        self.imported = frozenset(imported)
        for path in snapshot.files:
            if path in MEMORY_MD_PATHS or "/" not in path or path.startswith(_FOLDERS):
                self._look(path, snapshot.content(path).decode("utf-8", "replace"))

    @property
    def keys(self) -> frozenset[str]:
        """The keys of what is there, for an export: ids of words, and sources of whole notes."""
        return frozenset((*self.there, *self._notes))

    def earlier(self, one: ImportedMemory, tool: str) -> str:
        """The note that holds an earlier state of this whole file; empty where none does."""
        return self._notes.get(source_of(one, tool), "") if one.whole else ""

    def _look(self, path: str, text: str) -> None:
        marks = list(MARK.finditer(text))
        self.there.update(mark[1] for mark in marks)
        self.there.update(memory_id(words) for words in (text, *(one.text for one in memory_entries(path, text))))
        if marks and marks[-1].end() == len(text.rstrip()):
            self._notes.setdefault(marks[-1][0].partition(" from ")[2].removesuffix(" -->"), path)


def source_of(one: ImportedMemory, tool: str) -> str:
    """The source of a memory as its mark names it; it cannot end the comment that it stands in."""
    return f"{tool} {visible_line(one.where).replace('--', '- -').replace('>', '')[:_LONGEST_SOURCE]}"


def keys_of(one: ImportedMemory, tool: str) -> Iterable[str]:
    """The keys of a memory: of a whole note also its source, by which it is known once its words have changed."""
    return (one.id, source_of(one, tool)) if one.whole else (one.id,)


class Place(NamedTuple):
    """A file and the section of it that a row goes to; the head and the title of the file where it is new."""

    path: str
    section: str
    head: str
    title: str


class Placement:
    """Gives each memory its place in one workspace, and each new note a name that nobody has."""

    def __init__(self, snapshot: Snapshot, tool: str) -> None:
        self._files: Collection[str] = snapshot.files
        self._names, self._tool = FreeNames(snapshot), tool
        self._rows: dict[str, str] = {}

    def row_place(self, one: ImportedMemory) -> Place:
        """The place of an entry: what is of the person and of the agent's conduct is kept for ever (D43)."""
        match one.type:
            case MemoryType.USER:
                place = Place("knowledge/identity/USER.md", "## Preferences", "type: identity\nrole: user\n", "User")
            case MemoryType.FEEDBACK:
                place = Place("knowledge/identity/AGENTS.md", "## Feedback", "type: identity\nrole: rules\n", "Agents")
            case _:
                section = " ".join(_harmless(one.section).split())[:_LONGEST] or "Facts"
                path = f"knowledge/reference/{self._tool}.md"
                place = Place(path, f"## {section}", "type: reference\n", f"Memory of {self._tool}")
        return place._replace(path=self._open(place.path))

    def note_path(self, one: ImportedMemory) -> str:
        """The path of a whole note: of a day beside the raw logs, of a known project in its folder."""
        if one.type is MemoryType.LOG:
            folder = self._logs()
            path = f"{folder}/{one.stem}.md"
            return self._names.free_path(f"{folder}/{one.stem}-{self._tool}.md" if path in self._files else path)
        project = project_of(f"{one.stem} {one.text}", self._files) if one.type is MemoryType.PROJECT else ""
        folder = f"knowledge/projects/{project}" if project else "knowledge/reference"
        slug = re.sub(r"[^\w.-]+", "-", one.stem.casefold())[:_LONGEST].strip("-.")
        if is_instructions(f"{folder}/{slug}.md"):
            slug += "-memory"  # else an agent would load it by itself (decision G27)
        return self._names.free(folder, slug or "memory")

    def _open(self, path: str) -> str:
        """The file of that path, or where something that is no note has its name, another."""
        if path not in self._rows:
            self._rows[path] = path if path in self._files else self._names.free_path(path)
        return self._rows[path]

    def _logs(self) -> str:
        """Working memory where the workspace has its tiers and no raw logs; else the folder of these."""
        tiers = tuple(f"{folder}/" for folder in TIER_FOLDERS.values())
        has_tiers = any(path.startswith(tiers) for path in self._files)
        return "memory/working" if has_tiers and not any(map(is_raw_log, self._files)) else "memory"


def row_text(one: ImportedMemory, tool: str) -> str:
    """The words of an entry as they were, with a mark that names the source (decision A15)."""
    text, said = _harmless(one.text), mark(one, tool)
    if "\n" in text:
        return f"\n{said}\n{text}"
    day = f"{one.day.isoformat()}: " if one.day is not None and one.day.isoformat() not in text else ""
    return f"{text if _ITEM.match(text) else f'- {day}{text}'} {said}"


def note_text(one: ImportedMemory, tool: str) -> str:
    """All of a note as it was, with the lowest trust in its frontmatter (decision G27), and below it the mark."""
    text = labelled(_harmless(one.text))
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}\n{mark(one, tool)}\n"


def labelled(text: str) -> str:
    """The text with the label in its frontmatter, in the place of what it says of its own trust."""
    front = read_frontmatter(text.encode("utf-8", "replace"))
    if not front.end or front.problem:
        return f"---\n{LABEL}---\n\n{text}"
    first, rest = text.split("\n", 1)
    head, body = (rest.split("\n")[: front.body_line - 2], rest.split("\n")[front.body_line - 2 :])
    return "\n".join((first, LABEL.rstrip("\n"), *(line for line in head if not line.startswith("trust:")), *body))


def mark(one: ImportedMemory, tool: str) -> str:
    """`<!-- i:ID from TOOL PATH:LINE -->`."""
    return f"<!-- i:{one.id} from {source_of(one, tool)} -->"


def _harmless(text: str) -> str:
    return _OWN.sub("<! --", text)
