"""Keeps snapshots of the workspace up to date, opening only files that changed since the last scan."""

import threading
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import Refused
from engine.text.safe_text import visible_line
from engine.text.tokens import TokenCounter
from engine.workspace.cache import CacheKey, FactsCache
from engine.workspace.changed_files import ChangedFiles, GitDates, WorkspaceListing
from engine.workspace.dates import zone_of
from engine.workspace.file_events import Watcher
from engine.workspace.layout import is_closed_folder
from engine.workspace.paths import FileMissing, WorkspaceRoot, relative_path
from engine.workspace.snapshot import Snapshot
from engine.workspace.unscanned import Clock, FactsReader
from engine.workspace.values import Progress, Skipped, Tick
from engine.workspace.walk import NamedEntry, Walk
from engine.workspace.wreckage import SyncCopy, Wreckage


class Scanner:
    """Scans one workspace repeatedly; safe for several threads, which wait for each other. `git_dates` returns
    first-commit dates, asked only for undated files. `clock`: the file system's clock in nanoseconds."""

    def __init__(
        self,
        root: WorkspaceRoot,
        *,
        cache_file: Path,
        counter: TokenCounter,
        zone: str,
        git_dates: GitDates | None = None,
        clock: Clock = time.time_ns,
    ) -> None:
        self.root = root
        self._tokenizer = counter.name
        self._zone = zone
        self._lock = threading.Lock()
        self._cache = FactsCache(cache_file, CacheKey(counter.name, zone))
        facts = FactsReader(counter, zone_of(zone), self._cache.tokens)
        self._changed = ChangedFiles(root, self._cache, facts, git_dates, clock)
        self._wreckage = Wreckage(root.read)
        self._picture: WorkspaceListing | None = None
        self._listing: Walk | None = None

    @property
    def cache_problem(self) -> str | None:
        """Says why the cache could not be stored for the next start; else None."""
        return self._cache.problem

    @property
    def sync_copies(self) -> tuple[SyncCopy, ...]:
        """The copies made by sync tools that the last scan found, with their originals."""
        return self._wreckage.found

    def watcher(self) -> Watcher:
        """Returns a watcher, which also reports changes since the last full scan."""
        return Watcher(self.root, self._listing, self._cache.shared)

    def scan(self, now: datetime, *, tick: Tick | None = None) -> Snapshot:
        """Scans the whole workspace, opening only new or changed files. `tick` may raise `Cancelled`; what was read by
        then is kept. Raises `Damaged` if the workspace is gone."""
        with self._lock:
            return self._scan(now, tick)

    def refresh(self, paths: Sequence[str], now: datetime) -> Snapshot:
        """Rescans only these files or folders, which may be new or gone. `""` means the whole workspace."""
        with self._lock:
            # A name that no path of ours can have says only that something changed.
            if self._picture is None or not all(map(_is_usable, paths)):
                return self._scan(now, None)
            self.root.verify()
            looked_at = _shallowest_new(paths, self._picture.folders)
            listing = Walk()
            for path in looked_at:
                self._look(path, listing)
            # Git is not asked here: a refresh follows each write of the agent, and must be quick.
            self._changed.leave_undated(self._changed.read(listing))
            files = self._changed.usable(listing)
            self._picture = self._picture.changed(looked_at, files, listing.skipped, listing.folders)
            return self._snapshot(now, self._picture)

    def written(self, until: datetime) -> datetime | None:
        """Returns the last time, at most `until`, when a note was written, as of the last full scan; else None."""
        marks = (mark[1] / 1e9 for mark in (self._listing.files if self._listing is not None else {}).values())
        newest = max((at for at in marks if at <= until.timestamp()), default=None)
        return datetime.fromtimestamp(newest, UTC) if newest is not None else None

    def save(self) -> None:
        """Stores the cache for the next start."""
        with self._lock:
            self._cache.save()

    def _scan(self, now: datetime, tick: Tick | None) -> Snapshot:
        self.root.verify()
        pulse = None if tick is None else lambda count: tick(Progress("listing", count))
        self._cache.load()
        listing = Walk(pulse, self._cache.shared)
        listing.walk(self.root)
        try:
            read = self._changed.read(listing, tick)
            # Before dates are asked for, as a second reading may find one in the file.
            self._changed.settle(read, listing)
            self._cache.keep_only(listing.files)
            self._changed.date(listing, [path for path in read if path in listing.files])
        finally:
            self._cache.save()
        self._listing = listing
        self._picture = WorkspaceListing.of(self._changed.usable(listing), listing.skipped, listing.folders)
        return self._snapshot(now, self._picture)

    def _look(self, path: str, listing: Walk) -> None:
        folder, _, name = path.rpartition("/")
        try:
            facts = self.root.lstat(path)
        except Refused:  # a folder on the way cannot be entered: it has its own reason
            return
        if facts is None or not listing.add(folder, NamedEntry(name, facts)):
            return
        try:
            listing.walk(self.root, path)
        except FileMissing:
            return
        except Refused as problem:
            listing.folders.add(path)
            listing.skipped[path] = problem.message

    def _snapshot(self, now: datetime, picture: WorkspaceListing) -> Snapshot:
        files, skipped = picture.files, picture.skipped
        if left := self._wreckage.reasons(files):
            files = {path: facts for path, facts in files.items() if path not in left}
            named = (Skipped(visible_line(path), reason) for path, reason in left.items())
            skipped = tuple(sorted((*skipped, *named), key=lambda item: item.path))
        return Snapshot(
            workspace=self.root.identity,
            taken_at=now,
            zone=self._zone,
            tokenizer=self._tokenizer,
            capabilities=picture.capabilities,
            files=files,
            skipped=skipped,
            reader=self.root.read,
        )


def _is_usable(path: str) -> bool:
    try:
        return bool(relative_path(path))
    except Refused:
        return False


def _shallowest_new(paths: Iterable[str], known: frozenset[str]) -> set[str]:
    """Returns the paths to scan for these changes: the topmost new folder, else the path; skips closed folders."""
    look: set[str] = set()
    for path in paths:
        end = path.find("/")
        while end > 0 and path[:end] in known:
            end = path.find("/", end + 1)
        first = path if end < 0 else path[:end]
        if end < 0 or not is_closed_folder(first.rpartition("/")[2]):
            look.add(first)
    return look
