"""Sessions for the front ends: followed live, replayed, and read whole (autopoiesis §4, §5)."""

import threading
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.services.part import part
from engine.services.topics import TopicService
from engine.sessions.folder import SessionFileInfo, SessionFolder, listed_once
from engine.sessions.follows import Follows, FollowStore, ReadMarkStore, session_places
from engine.sessions.written_files import FileEdit, edits_in, file_edits
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.values import Tick, steps

if TYPE_CHECKING:
    from engine.sessions.feed import Begin
    from engine.sessions.live_topics import LiveTopics
    from engine.sessions.messages import LineProblem, SessionMessage
    from engine.sessions.monitor import Monitor
    from engine.sessions.session_file import Session
    from engine.topics.decision_log import LogEntry

MOST_REPLAYED = 5_000  # messages of one session that a replay plays, the last ones
_LATEST = 5  # session files that are looked at for the last day that had messages
_RECALLED = 100  # messages of that day that are decided, the last ones
_MESSAGES = 20  # messages between two reports: one takes some milliseconds


class SessionService:
    """Reads the workspace's sessions and the followed ones. Writes only in the operator's state folder."""

    def __init__(self, opened: OpenWorkspace, topics: TopicService) -> None:
        self._opened, self._topics = opened, topics
        self._lock, self.opening = threading.RLock(), threading.RLock()

    @part
    def _live(self) -> "LiveTopics":
        return self._topics.new_live()

    def monitor(
        self,
        places: Sequence[Path] = (),
        *,
        begin: "Begin | None" = None,
        consumer: str = "console",
        remember: bool = True,
        alone: bool = False,
    ) -> "Monitor":
        """Makes a monitor of the workspace's transcripts and these paths, with `alone` only of these; the caller
        closes it. Each `consumer` remembers its position. It may run in any thread."""
        from engine.sessions.feed import Begin, Feed
        from engine.sessions.monitor import Monitor

        own = () if alone else (SessionFolder(self._opened.root, CONVERSATIONS),)
        store = ReadMarkStore(self._opened.database, consumer) if remember else None
        # Its own log and topics, since it may run in another thread.
        return Monitor(
            Feed((*own, *map(SessionFolder.open, places)), store, begin or Begin.LAST),
            self._topics.new_live(),
            self._topics.new_log(),
            size_of=self._opened.size_of,
            zone=self._opened.policy.time_zone,
        )

    def followed(self) -> Follows:
        """Gives what the console follows beside the workspace's transcripts."""
        return self._followed.now()

    def follow(self, path: Path) -> Follows:
        """Follows an absolute path, also after a restart; `UsageError` where that is impossible."""
        with self._lock, disk_errors("what is followed"):
            self._followed.add(path)
            return self._followed.now()

    def unfollow(self, path: Path) -> Follows:
        """Stops following a path; `UsageError` where it was not followed."""
        with self._lock, disk_errors("what is followed"):
            self._followed.forget(path)
            return self._followed.now()

    def files(self) -> tuple[SessionFileInfo, ...]:
        """Gives the workspace's transcripts and the followed files, newest first."""
        with session_places(self._opened.root, self._opened.database) as places:
            listed = listed_once(places)
            infos = [SessionFileInfo(place.source(file.path), file.size, file.written) for place, file in listed]
        return tuple(sorted(infos, key=lambda info: info.modified, reverse=True))

    def edits_of(self, names: Collection[str], session: str = "") -> tuple[FileEdit, ...]:
        """Gives the tool calls that wrote one of these files, by time, of one session or all."""
        with session_places(self._opened.root, self._opened.database) as places:
            return edits_in(places, session, names) if session else file_edits(places, names)

    def messages(self, source: str) -> "tuple[SessionMessage, ...]":
        """Gives a session's messages in order; `source` as in `files`, or any session file's path."""
        with self._lock:
            return self._session(source).messages

    def replay(self, source: str, tick: Tick | None = None) -> "tuple[LogEntry, ...]":
        """Decides a session's messages by the present topics, without logging; `source` as for `messages`."""
        with self._lock:
            return tuple(self._decided(self._session(source).messages[-MOST_REPLAYED:], tick))

    def last_day(self) -> "tuple[LogEntry, ...]":
        """Decides the last messages of the last day with any, as a replay does."""
        with self._lock:
            read = [message for file in self.files()[:_LATEST] for message in self._session(file.source).messages]
            said = sorted((time, n) for n, one in enumerate(read) if (time := one.message.time) is not None)
            day = [read[n] for time, n in said if time.date() == said[-1][0].date()]
            return tuple(self._decided(day[-_RECALLED:]))

    def read_all(self, paths: Sequence[Path] = ()) -> "Iterator[tuple[tuple[LogEntry, ...], dict[LineProblem, int]]]":
        """Decides and logs all messages of files, by default the workspace's; yields entries and skipped lines."""
        from engine.sessions.session_file import read_session

        places = tuple(map(SessionFolder.open, paths)) or (SessionFolder(self._opened.root, CONVERSATIONS),)
        try:
            for place in places:
                for file in sorted(place.list().files, key=lambda file: file.path):
                    session = read_session(place, file.path)
                    entries = tuple(self._decided(session.messages))
                    self._topics.log_entries(entries)
                    yield entries, session.skipped
        finally:
            for place in places:
                place.close()

    def _decided(self, messages: "Sequence[SessionMessage]", tick: Tick | None = None) -> "Iterator[LogEntry]":
        from engine.sessions.monitor import SessionDecider
        from engine.topics.activation import Activations

        self._live.refresh(self._opened.real_clock())
        hearing, now = SessionDecider(self._live, Activations(self._opened.size_of)), self._opened.now()
        for heard in steps(messages, "deciding messages", tick, _MESSAGES):
            # At the time it was said, so that cooldowns run as they did.
            now = heard.message.time or now
            yield hearing.decide(heard, now)

    def _session(self, source: str) -> "Session":
        from engine.sessions.session_file import read_session

        if source.startswith(f"{CONVERSATIONS}/"):
            return read_session(SessionFolder(self._opened.root, CONVERSATIONS), source)
        place = self._place_of(source)
        try:
            path = place.only or source.removeprefix(place.label)
            if not path or path == source:
                raise UsageError("a folder cannot be replayed", where=source, hint="name one session file")
            return read_session(place, path)
        finally:
            place.close()

    def _place_of(self, source: str) -> SessionFolder:
        """Gives the followed folder of a session, or the session file alone."""
        for path in self._followed.now().there:
            place = SessionFolder.open(path)
            if not place.only and source.startswith(place.label):
                return place
            place.close()
        return SessionFolder.open(Path(source))

    @property
    def _followed(self) -> FollowStore:
        return FollowStore(self._opened.database)
