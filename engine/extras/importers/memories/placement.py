"""Recognises the workspace's memories, and finds the place of each new one by its type (decisions D43, C21)."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from engine.extraction.named_notes import project_of
from engine.extras.importers.memories.memory import MARK, ImportedMemory, MemoryType, memory_id
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.plans.trust_label import UNTRUSTED_MARK
from engine.text.frontmatter import read_frontmatter
from engine.text.safe_text import visible_line
from engine.workspace.foreign_text import is_instructions
from engine.workspace.layout import ARCHIVES, MEMORY_MD_PATHS, TIER_FOLDERS, is_raw_log
from engine.workspace.snapshot import FreeNames, Snapshot

_FOLDERS = ("knowledge/", "memory/", *ARCHIVES)
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_OWN = re.compile(r"<!--(?=\s*(?:[ix]:|memdeck))")
"""The beginning of our own marks. In imported words it is made ineffective."""
_LONGEST = 80  # characters of a section's heading, and of a file's name, that come from the import
LABEL = "".join(f"{key}: {value}\n" for key, value in UNTRUSTED_MARK.items())
"""The frontmatter line that marks an import as untrusted."""
_LONGEST_SOURCE = 160  # characters of a memory's place in the mark that names its source


class KnownMemories:
    """The memories of a workspace by id: those `there`, and those `imported` by applied plans, there or not."""

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

    def earlier(self, memory: ImportedMemory, tool: str) -> str:
        """The note with an earlier version of this whole file; empty if there is none."""
        return self._notes.get(source_of(memory, tool), "") if memory.whole else ""

    def _look(self, path: str, text: str) -> None:
        marks = list(MARK.finditer(text))
        self.there.update(mark[1] for mark in marks)
        self.there.update(memory_id(words) for words in (text, *(entry.text for entry in memory_entries(path, text))))
        if marks and marks[-1].end() == len(text.rstrip()):
            self._notes.setdefault(marks[-1][0].partition(" from ")[2].removesuffix(" -->"), path)


def source_of(memory: ImportedMemory, tool: str) -> str:
    """The source of a memory for its mark, unable to end the comment around it."""
    return f"{tool} {visible_line(memory.where).replace('--', '- -').replace('>', '')[:_LONGEST_SOURCE]}"


def keys_of(memory: ImportedMemory, tool: str) -> Iterable[str]:
    """The keys of a memory. A whole note also has its source, which stays the same when its words change."""
    return (memory.id, source_of(memory, tool)) if memory.whole else (memory.id,)


class Place(NamedTuple):
    """The file and section for a row; for a new file also its head and title."""

    path: str
    section: str
    head: str
    title: str


class Placement:
    """Gives each memory its place in one workspace, and each new note an unused name."""

    def __init__(self, snapshot: Snapshot, tool: str) -> None:
        self._files: Collection[str] = snapshot.files
        self._names, self._tool = FreeNames(snapshot), tool
        self._rows: dict[str, str] = {}

    def row_place(self, memory: ImportedMemory) -> Place:
        """The place of an entry. Entries about the person and the agent's conduct are kept for ever (D43)."""
        match memory.type:
            case MemoryType.USER:
                place = Place("knowledge/identity/USER.md", "## Preferences", "type: identity\nrole: user\n", "User")
            case MemoryType.FEEDBACK:
                place = Place("knowledge/identity/AGENTS.md", "## Feedback", "type: identity\nrole: rules\n", "Agents")
            case _:
                section = " ".join(_harmless(memory.section).split())[:_LONGEST] or "Facts"
                path = f"knowledge/reference/{self._tool}.md"
                place = Place(path, f"## {section}", "type: reference\n", f"Memory of {self._tool}")
        return place._replace(path=self._open(place.path))

    def note_path(self, memory: ImportedMemory) -> str:
        """The path of a whole note: daily notes beside the raw logs, those of a known project in its folder."""
        if memory.type is MemoryType.LOG:
            folder = self._logs()
            path = f"{folder}/{memory.stem}.md"
            return self._names.free_path(f"{folder}/{memory.stem}-{self._tool}.md" if path in self._files else path)
        project = project_of(f"{memory.stem} {memory.text}", self._files) if memory.type is MemoryType.PROJECT else ""
        folder = f"knowledge/projects/{project}" if project else "knowledge/reference"
        slug = re.sub(r"[^\w.-]+", "-", memory.stem.casefold())[:_LONGEST].strip("-.")
        if is_instructions(f"{folder}/{slug}.md"):
            slug += "-memory"  # else an agent would load it by itself (decision G27)
        return self._names.free(folder, slug or "memory")

    def _open(self, path: str) -> str:
        """The file at that path, or another if its name belongs to something that is not a note."""
        if path not in self._rows:
            self._rows[path] = path if path in self._files else self._names.free_path(path)
        return self._rows[path]

    def _logs(self) -> str:
        """Working memory in a workspace with tiers but no raw logs; otherwise the folder of raw logs."""
        tiers = tuple(f"{folder}/" for folder in TIER_FOLDERS.values())
        has_tiers = any(path.startswith(tiers) for path in self._files)
        return "memory/working" if has_tiers and not any(map(is_raw_log, self._files)) else "memory"


def row_text(memory: ImportedMemory, tool: str) -> str:
    """The unchanged words of an entry, with a mark that names the source (decision A15)."""
    text, said = _harmless(memory.text), mark(memory, tool)
    if "\n" in text:
        return f"\n{said}\n{text}"
    day = f"{memory.day.isoformat()}: " if memory.day is not None and memory.day.isoformat() not in text else ""
    return f"{text if _ITEM.match(text) else f'- {day}{text}'} {said}"


def note_text(memory: ImportedMemory, tool: str) -> str:
    """The unchanged note, with the lowest trust in its frontmatter (decision G27), and the mark below."""
    text = labelled(_harmless(memory.text))
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}\n{mark(memory, tool)}\n"


def labelled(text: str) -> str:
    """The text with the label in its frontmatter, instead of its own statement of trust."""
    front = read_frontmatter(text.encode("utf-8", "replace"))
    if not front.end or front.problem:
        return f"---\n{LABEL}---\n\n{text}"
    first, rest = text.split("\n", 1)
    head, body = (rest.split("\n")[: front.body_line - 2], rest.split("\n")[front.body_line - 2 :])
    return "\n".join((first, LABEL.rstrip("\n"), *(line for line in head if not line.startswith("trust:")), *body))


def mark(memory: ImportedMemory, tool: str) -> str:
    """`<!-- i:ID from TOOL PATH:LINE -->`."""
    return f"<!-- i:{memory.id} from {source_of(memory, tool)} -->"


def _harmless(text: str) -> str:
    return _OWN.sub("<! --", text)
