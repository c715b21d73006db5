"""Reports changes in a workspace without following links. Watches each folder separately: a recursive watch would
follow links and include thousands of folders in `.git` and package managers. Polls where the system cannot watch."""

import stat
import threading
import time
from collections.abc import Iterator

from engine.errors import MemdeckError
from engine.workspace import layout
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.walk import Sharing, Walk

DEBOUNCE_MS = 50  # milliseconds for which changes are gathered at most
STEP_MS = 20  # milliseconds without a change after which those gathered are given
STOP_MS = 200  # the longest it takes to notice that watching is to stop
POLL_SECONDS = 1.0  # seconds between two looks where no file events come; a large workspace is looked at less often
_WATCHED_ENDINGS = (".md", ".yaml", ".yml", ".json")

State = dict[str, object]
"""The paths that a listing saw: a file's signature, the reason why it was skipped, or None for a folder."""


class Watcher:
    """Watches a workspace, from the listing `baseline` on. `degraded_reason`: why changes are found by listing."""

    def __init__(self, root: WorkspaceRoot, baseline: Walk | None = None, shared: Sharing | None = None) -> None:
        self.degraded_reason: str | None = None
        self._root = root
        self._shared = shared
        self._prefix = root.identity.path.rstrip("/") + "/"
        self._outside = f"{root.transcripts.path}/" if root.transcripts is not None else ""
        self._pause = POLL_SECONDS
        self._folders: frozenset[str] = frozenset()
        self._state: State = {}
        if baseline is None:
            self._differences()
        else:
            self._remember(baseline)

    def batches(self, stop: threading.Event) -> Iterator[tuple[str, ...]]:
        """Yields paths of made, changed or removed files and folders until `stop`; `("",)` if there is no workspace."""
        try:
            while not stop.is_set() and self.degraded_reason is None:
                yield from self._told(stop)
            while not stop.wait(self._pause):
                yield from self._found()
        except MemdeckError:
            yield ("",)

    def _told(self, stop: threading.Event) -> Iterator[tuple[str, ...]]:
        """Yields the system's reports about the known folders; returns when the folders to watch change."""
        watched, fresh = self._folders, True
        for events in self._events(stop):
            changed = {path for path in map(self._relative, events) if self._matters(path)}
            moved = any(map(self._is_folder, changed))
            if fresh:
                # Between the listing and the first event something may have changed untold.
                changed |= self._differences()
                moved, fresh = moved or self._folders != watched, False
            if changed:
                yield tuple(sorted(changed))
            if moved:
                break
        if not stop.is_set():
            yield from self._found()

    def _events(self, stop: threading.Event) -> Iterator[list[str]]:
        """Yields the absolute paths of each group of events; an empty group at the start and every `STOP_MS`."""
        from watchfiles import watch

        try:
            for events in watch(
                *map(self._root.place, sorted(self._folders)),
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                stop_event=stop,
                rust_timeout=STOP_MS,
                yield_on_timeout=True,
                recursive=False,
                force_polling=False,
                ignore_permission_denied=True,
            ):
                yield [path for _, path in events]
        except FileNotFoundError:
            return
        except (OSError, RuntimeError) as error:
            # A name that is not UTF-8 ends the watch, and no more than that: it is found by listing, then it goes on.
            if "decode path" not in str(error):
                reason = str(error).partition(" about ")[0]
                self.degraded_reason = f"changes are looked for every {POLL_SECONDS:g} s: {reason}"

    def _found(self) -> Iterator[tuple[str, ...]]:
        started = time.monotonic()
        changed = self._differences()
        # Listing takes a twentieth of the time at most, however large the workspace is.
        self._pause = max(POLL_SECONDS, 20 * (time.monotonic() - started))
        if changed:
            yield tuple(sorted(changed))

    def _differences(self) -> set[str]:
        """Lists the workspace and returns the paths that differ from the last listing."""
        self._root.verify()
        listing = Walk(shared=self._shared)
        listing.walk(self._root)
        before = self._state
        self._remember(listing)
        return {path for path, _ in before.items() ^ self._state.items()}

    def _remember(self, listing: Walk) -> None:
        self._folders = frozenset(listing.folders)
        self._state = {**dict.fromkeys(listing.folders), **listing.skipped, **listing.files}

    def _relative(self, path: str) -> str:
        if self._outside and path.startswith(self._outside):
            return f"{layout.CONVERSATIONS}/{path[len(self._outside) :]}"
        return path[len(self._prefix) :] if path.startswith(self._prefix) else ""

    def _matters(self, path: str) -> bool:
        """Tells whether a scan might see a change at `path`: a note, a setting, a folder, a tier folder's file."""
        folder, _, name = path.rpartition("/")
        if not name or layout.is_quiet(name):
            return False
        return name.endswith(_WATCHED_ENDINGS) or layout.is_tier_folder(folder) or self._is_folder(path)

    def _is_folder(self, path: str) -> bool:
        if path in self._folders:
            return True
        try:
            facts = self._root.lstat(path)
        except MemdeckError:
            return False
        is_closed = layout.is_closed_folder(path.rpartition("/")[2])
        return facts is not None and stat.S_ISDIR(facts.st_mode) and not is_closed
