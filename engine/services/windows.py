"""The context windows of followed sessions, for the front ends (decisions B1, B23)."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, TypeVar

from engine.errors import UsageError
from engine.services.file_answers import FileAnswers
from engine.services.open_workspace import OpenWorkspace
from engine.sessions.folder import ListedFile, SessionFolder, listed_once
from engine.sessions.follows import FollowStore
from engine.sessions.window.session_window import SessionWindow, WindowFile, foremost, usable_window
from engine.sessions.window.token_timeline import WindowBand, WindowTimeline
from engine.workspace.layout import CONVERSATIONS

T = TypeVar("T")
LIVE = timedelta(hours=24)  # a session whose file did not change for longer fills no window
MOST = 20  # sessions whose windows are followed at once, those that changed last


class WindowService:
    """Reads what is new in followed sessions' files. Caches the first reading of a file, which takes 0.3 s."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened
        self._lock = threading.Lock()
        self._places: dict[str, SessionFolder] = {}
        self._files: dict[tuple[str, int, int], WindowFile] = {}  # by source, device and inode
        self._learnt: dict[tuple[str, str], int] = {}
        """The tokens at which a tool and model last compacted (decision B25)."""

    def sessions(self) -> tuple[SessionWindow, ...]:
        """Gives the windows of the workspace's open transcripts and the followed sessions, latest change first."""
        with self._lock:
            now = self._opened.real_clock()
            listed = sorted(self._listed(), key=lambda one: one[1].modified, reverse=True)
            live = [one for one in listed if now - one[1].written <= LIVE][:MOST]
            self._let_go({_key(place, file) for place, file in live})
            found = [self._window(place, file, now) for place, file in live]
            self._first_looks.write([place.source(file.path) for place, file in live])
            return tuple(window for window in found if window is not None)

    def session(self, name: str) -> SessionWindow:
        """Gives the window with this source, or whose name begins or ends so; `UsageError` for none or several."""
        windows = self.sessions()
        found = [window for window in windows if name in (window.source, window.session)]
        found = found or [one for one in windows if one.session.endswith(name) or one.session.startswith(name)]
        if len(found) != 1:
            known = ", ".join(window.session for window in windows) or "none; `memdeck topics follow PATH` follows one"
            what = "several followed sessions read so" if found else "no followed session of that name"
            raise UsageError(what, where=name, hint=f"there are: {known}")
        return found[0]

    def gauge(self) -> dict[str, Any]:
        """Gives the figures of the session nearest to its limit, as in `status` (CLI.md §JSON)."""
        windows = self.sessions()
        if (first := foremost(windows, self._opened.real_clock())) is None:
            default = self._opened.policy.context.window_tokens
            return {"tokens": 0, "limit": default, "band": WindowBand.UNKNOWN.value, "sessions": len(windows)}
        ahead = first.forecast
        return {
            "tokens": first.tokens,
            "limit": first.limit,
            "band": first.band.value,
            "sessions": len(windows),
            "session": first.session,
            "model": first.timeline.model,
            "estimated": first.timeline.estimated,
            "next": {"band": ahead.band.value, "tokens": ahead.tokens, "turns": ahead.turns} if ahead else None,
        }

    def with_file(self, source: str, use: Callable[[SessionFolder, str], T]) -> T:
        """Calls `use` with a followed session's file; `UsageError` where it is not followed or gone."""
        with self._lock:
            for place, file in self._listed():
                if place.source(file.path) == source:
                    return use(place, file.path)
        raise UsageError("this session is not followed", where=source, hint="memdeck topics follow PATH")

    def sign(self) -> tuple[int, int]:
        """Gives a sign that changes when a session got an answer, was compacted, or is new."""
        timelines = [window.timeline for window in self.sessions()]
        return sum(one.tokens for one in timelines), sum(len(one.turns) + len(one.compactions) for one in timelines)

    def close(self) -> None:
        with self._lock:
            self._let_go(set())
            for place in self._places.values():
                place.close()
            self._places.clear()

    # ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _listed(self) -> Iterator[tuple[SessionFolder, ListedFile]]:
        own = SessionFolder(self._opened.root, CONVERSATIONS)
        followed = {str(path): path for path in FollowStore(self._opened.database).now().there}
        for name in [name for name in self._places if name not in followed]:
            self._places.pop(name).close()
        for name, path in followed.items():
            if name not in self._places:
                self._places[name] = SessionFolder.open(path)
        yield from listed_once((own, *self._places.values()))

    def _window(self, place: SessionFolder, file: ListedFile, now: datetime) -> SessionWindow | None:
        key, source, state = _key(place, file), place.source(file.path), f"{file.inode} {file.size} {file.modified}"
        known = self._first_looks.found(source, state) if key not in self._files else None
        if known is None:
            if is_first := key not in self._files:
                self._files[key] = WindowFile(place.root, file.path, self._opened.counter)
            known = self._files[key].look(now), self._files[key].ended
            if is_first:
                self._first_looks.keep(source, state, known)
        timeline, ended = known
        if ended or not (timeline.turns or timeline.compactions):
            return None
        policy = self._opened.policy.context
        kind = timeline.tool, timeline.model
        self._learnt[kind] = timeline.compacted_at or self._learnt.get(kind, 0)
        limit = usable_window(timeline, policy.model_windows, policy.window_tokens, self._learnt[kind])
        return SessionWindow(source=source, modified=file.written, limit=limit, timeline=timeline)

    @cached_property
    def _first_looks(self) -> FileAnswers[tuple[WindowTimeline, bool]]:
        """The cached readings, each with a mark if its session ended. Raise the number when readings change."""
        return FileAnswers(self._opened, "windows", f"1 {self._opened.counter.name}", tuple[WindowTimeline, bool])

    def _let_go(self, kept: set[tuple[str, int, int]]) -> None:
        for key in [key for key in self._files if key not in kept]:
            self._files.pop(key).close()


def _key(place: SessionFolder, file: ListedFile) -> tuple[str, int, int]:
    return place.source(file.path), file.device, file.inode
