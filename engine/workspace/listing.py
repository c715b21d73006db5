"""Holds what a scan found, as one value that the next small change is worked into without looking at the rest."""

from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

from engine.text.safe_text import visible_line
from engine.workspace.layout import find_capabilities
from engine.workspace.values import Capability, FileFacts, Skipped

Found = TypeVar("Found")


class WorkspaceListing:
    """The notes by path in order, what was skipped and why, and the folders. Never changed once made."""

    def __init__(self, files: Mapping[str, FileFacts], skipped: Mapping[str, str], folders: frozenset[str]) -> None:
        self._files = dict(files)
        self.files: Mapping[str, FileFacts] = MappingProxyType(self._files)
        self._skipped = skipped
        self.folders = folders

    @classmethod
    def of(
        cls, files: Mapping[str, FileFacts], skipped: Mapping[str, str], folders: Iterable[str]
    ) -> "WorkspaceListing":
        """A picture from what was found in any order."""
        return cls(_in_order(files), skipped, frozenset(folders))

    @cached_property
    def skipped(self) -> tuple[Skipped, ...]:
        """Lists what was left alone, sorted; names are made safe to show, since some of them are no text at all."""
        return tuple(Skipped(visible_line(path), reason) for path, reason in sorted(self._skipped.items()))

    @cached_property
    def capabilities(self) -> frozenset[Capability]:
        return find_capabilities(self.folders.__contains__, self.files)

    def changed(
        self,
        looked_at: Iterable[str],
        files: Mapping[str, FileFacts],
        skipped: Mapping[str, str],
        folders: Iterable[str],
    ) -> "WorkspaceListing":
        """This picture with all that lies at or below the paths `looked_at` replaced by what was found there now."""
        gone = set(looked_at)
        trees = gone & self.folders
        kept = _without(self._files, gone, trees, files) | dict(files)
        if any(path not in self._files for path in files):
            kept = _in_order(kept)
        kept_folders = frozenset(_without(dict.fromkeys(self.folders), gone, trees, ())) if trees else self.folders
        return WorkspaceListing(
            kept, _without(self._skipped, gone, trees, ()) | dict(skipped), kept_folders.union(folders)
        )


def _in_order(files: Mapping[str, FileFacts]) -> dict[str, FileFacts]:
    """By path. The paths alone are sorted: pairs take twenty times as long, since each is an object to look after."""
    return {path: files[path] for path in sorted(files)}


def _without(
    found: Mapping[str, Found], gone: set[str], trees: set[str], still_there: Container[str]
) -> dict[str, Found]:
    """A copy without what is in `gone` or below a folder in `trees`; what is still there keeps its place."""
    if trees:
        return {
            path: value
            for path, value in found.items()
            if path in still_there or (path not in gone and not _is_below(path, trees))
        }
    kept = dict(found)
    for path in gone:
        if path not in still_there:
            kept.pop(path, None)
    return kept


def _is_below(path: str, trees: set[str]) -> bool:
    slash = path.rfind("/")
    while slash > 0:
        if path[:slash] in trees:
            return True
        slash = path.rfind("/", 0, slash)
    return False
