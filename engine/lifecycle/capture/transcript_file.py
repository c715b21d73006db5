"""Writes the folder of conversations for capture: by folder descriptors, without following links."""

import os

from engine.errors import Damaged
from engine.plans.apply.filesystem import FolderEntry, drop, make_folder, rename_noreplace, stage, sync
from engine.state.private_files import step
from engine.workspace.layout import CONVERSATIONS, TEMPORARY_PREFIX
from engine.workspace.paths import FileMissing, WorkspaceRoot, open_folder_at
from engine.workspace.system_calls import write_all

MOST = 1 << 30  # bytes of a transcript that is read back
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NAMES = 100  # names that are tried for a transcript beside others of the same minute and session


class TranscriptFile:
    """The transcript of an open session. It only grows, and is renamed once."""

    def __init__(self, root: WorkspaceRoot, path: str) -> None:
        self.path = path
        self._root = root
        self._folder, _, self._name = path.rpartition("/")

    def bring_to(self, data: bytes) -> bytes | None:
        """Makes the file these bytes, by appending if possible; gives its bytes before, None for the same ones."""
        _make_folders(self._root, self._folder)
        present = read_or_none(self._root, self.path)
        with self._root.folder(self._folder) as folder:
            fresh = FolderEntry(folder, f"{TEMPORARY_PREFIX}{self._name}")
            drop(fresh)
            # The usual case, also after a crash: a part of it is there, and only the rest is added.
            if present is not None and data.startswith(present):
                self.append(data[len(present) :])
                return None if present == data else present
            stage(fresh, data, None, folder)
            if present is None:
                rename_noreplace(fresh, FolderEntry(folder, self._name))
            else:
                step("capture-restore")
                os.replace(fresh.name, self._name, src_dir_fd=folder, dst_dir_fd=folder)
            sync(folder)
        return present or b""

    def append(self, data: bytes) -> None:
        """Appends bytes, without a sync, because the journal has the events."""
        if not data:
            return
        step("capture-append")
        with self._root.folder(self._folder) as folder:
            fd = os.open(self._name, _APPEND, dir_fd=folder)
            try:
                write_all(fd, data)
            finally:
                os.close(fd)

    def close_as(self, path: str, data: bytes) -> str:
        """Writes the final transcript under a free name and removes the open one; gives its path. May run twice."""
        for number in range(1, _NAMES):
            to = path if number == 1 else f"{path.removesuffix('.md')}-{number}.md"
            if self._put(to, data):
                break
        else:
            raise Damaged("a hundred transcripts of this name are there", where=path, hint="look after the folder")
        with self._root.folder(self._folder) as folder:
            # Only once the final one is on disk: a crash between them leaves both, and the next call the same two.
            drop(FolderEntry(folder, self._name))
            sync(folder)
        return to

    def _put(self, path: str, data: bytes) -> bool:
        if (present := read_or_none(self._root, path)) is not None:
            return present == data
        _make_folders(self._root, self._folder)
        with self._root.folder(self._folder) as folder:
            fresh, name = FolderEntry(folder, f"{TEMPORARY_PREFIX}{self._name}"), path.rpartition("/")[2]
            drop(fresh)
            stage(fresh, data, None, folder)
            try:
                rename_noreplace(fresh, FolderEntry(folder, name))
            except FileExistsError:
                drop(fresh)
                return False
            sync(folder)
        return True


def read_or_none(root: WorkspaceRoot, path: str) -> bytes | None:
    """Gives the bytes of a transcript; None where there is none."""
    try:
        return root.read(path, MOST)
    except FileMissing:
        return None


def _make_folders(root: WorkspaceRoot, path: str) -> None:
    parts = path.split("/")
    # Outside the workspace the root of the transcripts itself is the operator's, and never made here.
    there = CONVERSATIONS.count("/") + 1 if root.is_outside(path) else 0
    for depth, name in list(enumerate(parts))[there:]:
        with root.folder("/".join(parts[:depth])) as folder:
            make_folder(folder, name)
            os.close(open_folder_at(folder, name))
