"""Reads changed files into the cache, and dates undated ones by git. Holds the result of a scan as one value, into
which the next small change is merged without reading the rest."""

import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import TypeVar

from msgspec.structs import replace

from engine.errors import Refused
from engine.text.safe_text import visible_line
from engine.workspace.cache import CacheEntry, FactsCache, signature
from engine.workspace.layout import find_capabilities
from engine.workspace.paths import FileMissing, WorkspaceRoot, os_reason
from engine.workspace.unscanned import Clock, FactsReader, read_still, settled_at
from engine.workspace.values import Capability, DateSource, FileDate, FileFacts, Progress, Skipped, Tick
from engine.workspace.walk import Walk

Found = TypeVar("Found")


class WorkspaceListing:
    """The notes sorted by path, skipped files with reasons, and folders. Immutable."""

    def __init__(self, files: Mapping[str, FileFacts], skipped: Mapping[str, str], folders: frozenset[str]) -> None:
        self._files = dict(files)
        self.files: Mapping[str, FileFacts] = MappingProxyType(self._files)
        self._skipped = skipped
        self.folders = folders

    @classmethod
    def of(
        cls, files: Mapping[str, FileFacts], skipped: Mapping[str, str], folders: Iterable[str]
    ) -> "WorkspaceListing":
        """Makes a listing from unsorted files."""
        return cls(_in_order(files), skipped, frozenset(folders))

    @cached_property
    def skipped(self) -> tuple[Skipped, ...]:
        """The skipped files, sorted, with names made safe to show."""
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
        """Returns this listing with everything at or below the paths `looked_at` replaced by what is there now."""
        gone = set(looked_at)
        trees = gone & self.folders
        kept = _without(self._files, gone, trees, files) | dict(files)
        if any(path not in self._files for path in files):
            kept = _in_order(kept)
        kept_folders = frozenset(_without(dict.fromkeys(self.folders), gone, trees, ())) if trees else self.folders
        left = _without(self._skipped, gone, trees, ()) | dict(skipped)
        return WorkspaceListing(kept, left, kept_folders.union(folders))


def _in_order(files: Mapping[str, FileFacts]) -> dict[str, FileFacts]:
    """Sorts files by path. Sorting pairs takes twenty times as long, since each is an object to manage."""
    return {path: files[path] for path in sorted(files)}


def _without(
    found: Mapping[str, Found], gone: set[str], trees: set[str], still_there: Container[str]
) -> dict[str, Found]:
    """Returns a copy without the paths in `gone` or below a folder in `trees`, except those `still_there`."""
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


GitDates = Callable[[Sequence[str]], Mapping[str, date]]

TICK_EVERY = 50  # files between two reports of progress
SETTLE_NS = 50_000_000  # the longest a scan waits for files written a moment ago to become old enough to be relied on
GIT_LOG = ".git/logs/HEAD"


class ChangedFiles:
    """Brings the cache up to date with a listing. Moves unreadable files to the listing's skipped ones."""

    def __init__(
        self, root: WorkspaceRoot, cache: FactsCache, facts: FactsReader, git_dates: GitDates | None, clock: Clock
    ) -> None:
        self._root = root
        self._cache = cache
        self._facts = facts
        self._git_dates = git_dates
        self._clock = clock

    def read(self, listing: Walk, tick: Tick | None = None) -> list[str]:
        """Reads every listed file that is new or changed; returns the paths that it could read."""
        changed = sorted(path for path, mark in listing.files.items() if self._cache.fresh(path, mark) is None)
        self._read_all(changed, listing, tick)
        return [path for path in changed if path in listing.files]

    def settle(self, read: Iterable[str], listing: Walk) -> None:
        """Reads files that were just written once more, after which any later write changes their stat."""
        now = self._clock()
        # A write in the same tick of the file system's clock leaves its times as they are.
        racy = (path for path in read if self._cache.entries[path].racy)
        waits = {path: settled_at(listing.files[path]) - now for path in racy}
        if soon := {path: wait for path, wait in waits.items() if wait <= SETTLE_NS}:
            time.sleep(max(0, *soon.values()) / 1e9)
            self._read_all(sorted(soon), listing, None)

    def date(self, listing: Walk, read: Sequence[str]) -> None:
        """Asks git for the first commit of undated files, each once per state of git's log."""
        if self._git_dates is None:
            return
        moved = self._git_log_moved()
        undated = [path for path in (listing.files if moved else read) if self._is_undated(path)]
        if undated:
            for path, day in self._git_dates(undated).items():
                entry = self._cache.entries[path]
                if entry.facts is not None:
                    dated = replace(entry.facts, date=FileDate(day, DateSource.GIT))
                    self._cache.put(path, replace(entry, facts=dated))

    def leave_undated(self, read: Sequence[str]) -> None:
        """Makes the next full scan ask git for every undated file, if one was read without asking."""
        if self._git_dates is not None and any(map(self._is_undated, read)):
            self._cache.note_history(None)

    def usable(self, listing: Walk) -> dict[str, FileFacts]:
        """Returns the facts of the listed notes; other files move to the skipped ones."""
        found: dict[str, FileFacts] = {}
        for path in listing.files:
            entry = self._cache.entries[path]
            if entry.facts is not None:
                found[path] = entry.facts
            else:
                listing.skipped[path] = entry.reason or "not readable"
        return found

    def _read_all(self, paths: Sequence[str], listing: Walk, tick: Tick | None) -> None:
        done = 0
        # By folders, each opened once: walking down to every file by itself costs a descriptor for each level.
        for folder, group in groupby(paths, key=lambda path: path.rpartition("/")[0]):
            together = list(group)
            try:
                with self._root.folder(folder) as fd:
                    for path in together:
                        if tick is not None and done % TICK_EVERY == 0:
                            tick(Progress("reading", done, len(paths)))
                        self._read_one(fd, path, listing)
                        done += 1
            except (FileMissing, Refused) as problem:  # the folder itself: `_read_one` handles what befalls a file
                for path in together:
                    _leave_out(path, listing, problem)
        if tick is not None and paths:
            tick(Progress("reading", done, len(paths)))

    def _read_one(self, folder: int, path: str, listing: Walk) -> None:
        try:
            reading = read_still(folder, path.rpartition("/")[2], self._clock)
        except (OSError, Refused) as problem:
            _leave_out(path, listing, problem)
            return
        entry = self._with_known_commit(self._facts.entry(path, reading), self._cache.entries.get(path))
        listing.files[path] = entry.signature
        self._cache.put(path, entry)

    @staticmethod
    def _with_known_commit(entry: CacheEntry, before: CacheEntry | None) -> CacheEntry:
        """Keeps the known date of a file's first commit, so that git is not asked again."""
        if entry.facts is None or before is None or before.facts is None:
            return entry
        # A date of its own goes before git's (decision G8).
        if entry.facts.date.source is DateSource.MTIME and before.facts.date.source is DateSource.GIT:
            return replace(entry, facts=replace(entry.facts, date=before.facts.date))
        return entry

    def _is_undated(self, path: str) -> bool:
        facts = self._cache.entries[path].facts
        return facts is not None and facts.date.source is DateSource.MTIME

    def _git_log_moved(self) -> bool:
        """Tells whether there may be new commits since undated files were looked up; True if unknown."""
        try:
            facts = self._root.lstat(GIT_LOG)
        except Refused:
            facts = None
        history = None if facts is None else signature(facts)
        moved = history is None or history != self._cache.history
        self._cache.note_history(history)
        return moved


def _leave_out(path: str, listing: Walk, problem: OSError | Refused | FileMissing) -> None:
    """Removes a file from the listing; records the reason unless the file is gone."""
    listing.files.pop(path, None)
    if isinstance(problem, OSError):
        if not isinstance(problem, FileNotFoundError):
            listing.skipped[path] = os_reason(problem)
    elif isinstance(problem, Refused):
        listing.skipped[path] = problem.message
