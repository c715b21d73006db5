"""A snapshot: an immutable picture of the workspace at one instant, which every planner reads."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cached_property

import msgspec

from engine.errors import Stale
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import SEMANTIC_INDEX
from engine.workspace.values import Capability, FileFacts, MemoryTier, Skipped, WorkspaceIdentity

_AFTER_SLASH = chr(ord("/") + 1)


FileReader = Callable[[str], bytes]
"""Gives the bytes of a workspace-relative path, following no link out of it; raises `MemdeckError` with the reason."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The content of the workspace at `taken_at`. `files` is sorted by path; contents are read, checked, on demand."""

    workspace: WorkspaceIdentity
    taken_at: datetime
    zone: str
    tokenizer: str
    capabilities: frozenset[Capability]
    files: Mapping[str, FileFacts]
    skipped: tuple[Skipped, ...]
    reader: FileReader

    def content(self, path: str) -> bytes:
        """The bytes of `path` as they were when the snapshot was taken; `Stale` if they changed since."""
        data = self.reader(path)
        if sha256_hex(data) != self.files[path].sha256:
            raise Stale("changed while the plan was being made", where=path, hint="plan again")
        return data

    def text(self, path: str) -> str:
        """The content of `path` as text, with U+FFFD for bytes that are not UTF-8."""
        return self.content(path).decode("utf-8", "replace")

    def tier(self, tier: MemoryTier) -> Iterator[FileFacts]:
        """The regular `*.md` files of a memory tier, sorted by path; subfolders included for the archive alone."""
        folder = f"memory/{tier.value}/"
        first, end = bisect_left(self._paths, folder), bisect_left(self._paths, f"memory/{tier.value}{_AFTER_SLASH}")
        for path in self._paths[first:end]:
            if tier is MemoryTier.ARCHIVE or ("/" not in path[len(folder) :] and path != SEMANTIC_INDEX):
                yield self.files[path]

    @cached_property
    def _paths(self) -> list[str]:
        """All paths in order, so that what lies in a folder is found without looking at the others."""
        return sorted(self.files)

    def skipped_under(self, folder: str) -> Iterator[Skipped]:
        """Lists what was left alone below `folder`."""
        return (item for item in self.skipped if item.path.startswith(folder + "/"))
