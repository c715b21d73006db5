"""Lists a workspace: notes with signatures, folders, and skipped files with reasons."""

import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from engine.errors import Refused
from engine.workspace import layout, paths
from engine.workspace.cache import Signature, signature
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.transcript_root import TranscriptRoot
from engine.workspace.wreckage import left_reason

MAX_DEPTH = 64  # folders in folders that are entered; each level holds one descriptor
_TOO_DEEP = f"nested more than {MAX_DEPTH} folders deep"

_PULSE_ENTRIES = 1_000  # entries of one folder between two looks at whether somebody cancels

Pulse = Callable[[int], None]  # called now and then with the number of notes found so far; may raise `Cancelled`
Sharing = Callable[[str, Signature], tuple[str, Signature]]
"""Returns equal existing objects for a path and signature, so that memory holds them once."""


class DirectoryEntry(Protocol):
    """The members of `os.DirEntry` that a listing needs."""

    @property
    def name(self) -> str: ...
    def is_dir(self, *, follow_symlinks: bool = True) -> bool: ...
    def is_symlink(self) -> bool: ...
    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result: ...


class NamedEntry:
    """A single name, with the interface of `os.DirEntry`."""

    def __init__(self, name: str, facts: os.stat_result) -> None:
        self.name = name
        self._facts = facts

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self._facts.st_mode)

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self._facts.st_mode)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self._facts


class Walk:
    """The result of a walk. Only the paths of `files` are checked; others are as the system returns them."""

    def __init__(self, pulse: Pulse | None = None, shared: Sharing | None = None) -> None:
        self.files: dict[str, Signature] = {}
        self.skipped: dict[str, str] = {}
        self.folders: set[str] = set()
        self._pulse = pulse
        self._shared = shared
        self._outside: TranscriptRoot | None = None

    def walk(self, root: paths.WorkspaceRoot, start: str = "") -> None:
        """Lists everything below the folder `start`; raises `Missing` or `Refused` if it is none."""
        deepest = MAX_DEPTH - (start.count("/") + 1 if start else 0)
        if deepest < 0:
            self.skipped[start] = _TOO_DEEP
            return
        # A stack, not recursion: its depth is that of open descriptors, and names cannot exhaust Python's.
        stack: list[_Level] = []
        self._outside = root.transcripts
        try:
            self._enter_outside(stack, start)
            if start != CONVERSATIONS or self._outside is None:
                self._descend(stack, root.open_folder(start), start)
            while stack:
                level = stack[-1]
                if not level.waiting:
                    os.close(stack.pop().fd)
                    continue
                path = level.prefix + (name := level.waiting.pop())
                if len(stack) > deepest:
                    self.skipped[path] = _TOO_DEEP
                # By the descriptor above it: a folder that is exchanged for a link on the way leads nowhere else.
                elif (fd := self._enter(level.fd, name, path)) is not None:
                    self._descend(stack, fd, path)
        finally:
            for level in stack:
                os.close(level.fd)

    def _descend(self, stack: list["_Level"], fd: int, path: str) -> None:
        level = _Level(fd, f"{path}/" if path else "", [])
        stack.append(level)
        self._list(level, path)

    def _enter_outside(self, stack: list["_Level"], start: str) -> None:
        """Lists the transcripts outside the workspace in place of its own folder (D32)."""
        if self._outside is None or (start and not f"{CONVERSATIONS}/".startswith(f"{start}/")):
            return
        self.folders.update(CONVERSATIONS.split("/")[:1])
        try:
            self._descend(stack, self._outside.start(), CONVERSATIONS)
        except Refused as refusal:
            self.skipped[CONVERSATIONS] = refusal.message

    def add(self, folder: str, entry: DirectoryEntry) -> bool:
        """Sorts one entry of `folder` in; returns True for a folder to enter."""
        name = entry.name
        path = f"{folder}/{name}" if folder else name
        # By its name first: one stat tells kind and size, where asking for a folder would be a second.
        if layout.is_note(name):
            self._add_note(path, entry)
            return False
        if entry.is_dir(follow_symlinks=False):
            return self._add_folder(folder, path, name)
        if (reason := self._worth_a_word(folder, path, entry)) is not None:
            self.skipped[path] = reason
        return False

    def _add_note(self, path: str, entry: DirectoryEntry) -> None:
        try:
            facts = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as error:
            self.skipped[path] = paths.os_reason(error)
            return
        if stat.S_ISDIR(facts.st_mode):
            reason: str | None = "a folder with the name of a note; nothing in it is read"
        else:
            reason = paths.name_problem(entry.name) or paths.kind_problem(facts.st_mode)
        if reason is None and facts.st_size > paths.MAX_FILE:
            reason = paths.too_large(paths.MAX_FILE)
        if reason is None:
            mark = signature(facts)
            if self._shared is not None:
                path, mark = self._shared(path, mark)
            self.files[path] = mark
        else:
            self.skipped[path] = reason

    def _add_folder(self, folder: str, path: str, name: str) -> bool:
        if layout.is_closed_folder(name):
            return False
        if path == CONVERSATIONS and self._outside is not None:
            return False  # what is outside is read in its place
        if (problem := paths.name_problem(name)) is not None:
            self.skipped[path] = problem
            return False
        # It is entered all the same, so that its notes are found by search and are no part of the tier (decision A17).
        if layout.is_tier_folder(folder) and not layout.is_tier_folder(path):
            self.skipped[path] = "a folder; only files directly in the memory tier count"
        return True

    def _worth_a_word(self, folder: str, path: str, entry: DirectoryEntry) -> str | None:
        name = entry.name
        if layout.is_quiet(name):
            return None
        if entry.is_symlink() and not name.startswith("."):
            return "a link; links are not followed"
        if ".md" in name[-8:].casefold() and (reason := left_reason(name)):
            return reason
        if path == layout.MEMORY or path in layout.TIER_FOLDERS.values():
            return "not a folder"
        if not layout.is_tier_folder(folder):
            return None
        return "a hidden file" if name.startswith(".") else "not a *.md file"

    def _enter(self, folder: int, name: str, path: str) -> int | None:
        try:
            return paths.open_folder_at(folder, name)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.folders.add(path)
            self.skipped[path] = paths.os_reason(error)
        except Refused as refusal:
            self.skipped[path] = refusal.message
        return None

    def _list(self, level: "_Level", path: str) -> None:
        self.folders.add(path)
        try:
            with os.scandir(level.fd) as entries:
                level.waiting.extend(entry.name for entry in self._counted(entries) if self.add(path, entry))
        except OSError as error:
            self.skipped[path] = paths.os_reason(error)
        if self._pulse is not None:
            self._pulse(len(self.files))

    def _counted(self, entries: Iterator["os.DirEntry[str]"]) -> Iterator["os.DirEntry[str]"]:
        """Reports the number of notes so far, also within a large folder, so that a cancel takes effect."""
        for number, entry in enumerate(entries, 1):
            if self._pulse is not None and not number % _PULSE_ENTRIES:
                self._pulse(len(self.files))
            yield entry


class _Level(NamedTuple):
    """An opened folder on the way down, and its subfolders still to be entered."""

    fd: int
    prefix: str
    waiting: list[str]
