"""Topics for the front ends: what listens, what was decided and judged, live and in replays (autopoiesis §4, §5)."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import Damaged, MemdeckError, Refused, UsageError
from engine.services.message_stream import MessageStream
from engine.services.wiring import Wiring
from engine.sessions.decisions import SessionDecider
from engine.sessions.feed import Begin, Feed
from engine.sessions.folder import CONVERSATIONS, SessionFileInfo, SessionFolder
from engine.sessions.follows import Follows, FollowStore
from engine.sessions.live_topics import LiveTopics, MatcherOf
from engine.sessions.messages import LineProblem, SessionMessage
from engine.sessions.monitor import Monitor
from engine.sessions.read_marks import ReadMarkStore
from engine.sessions.session import Session, read_session
from engine.state.database import StateDatabase
from engine.topics.activation import Activations
from engine.topics.decision_log import DecisionLog, LogEntry, Useful, UsefulnessJudgement
from engine.topics.matcher import Matching
from engine.topics.topic import TopicSet
from engine.workspace.dates import zone_of
from engine.workspace.values import Progress, Tick

MOST_REPLAYED = 5_000
"""Messages of one session that a replay plays, the last ones."""


class TopicService:
    """Everything about topics that a front end asks. Writes in the operator's state folder alone."""

    def __init__(self, parts: Wiring, matcher_of: MatcherOf) -> None:
        self._parts = parts
        self._matcher_of = matcher_of
        self._lock = threading.RLock()
        self._live = self._new_live()
        self._log = self._new_log()

    # ── topics ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def topics(self) -> TopicSet:
        """The topics that can be read now, and what is wrong with the others."""
        with self._lock:
            self._live.refresh(self._parts.real_clock())
            return self._live.set

    def matcher(self) -> Matching:
        """Gives the matcher for the topics as they are now."""
        with self._lock:
            self.topics()
            return self._live.matcher

    # ── the log ────────────────────────────────────────────────────────────────────────────────────────────────────

    def recent(self, most: int) -> tuple[LogEntry, ...]:
        """The newest decisions, oldest first."""
        with self._lock:
            return tuple(entry for _, entry in self._log.last(most))

    def judgements(self) -> tuple[UsefulnessJudgement, ...]:
        """The judgement that counts of each message and topic."""
        with self._lock:
            return self._log.judgements()

    def judge(self, entry: LogEntry, topic: str, useful: Useful) -> UsefulnessJudgement:
        """Sets `was_useful`. A message of a replay that was never logged comes into the log with it."""
        with self._lock:
            self._log.add([entry])
            return self._log.judge(entry.key, topic, useful, self._parts.real_clock())

    def log_entries(self, entries: Sequence[LogEntry]) -> None:
        """Keeps what a hook or an event had decided. Passed over as `Table.keep` does: what was asked goes on."""
        with self._lock, suppress(Damaged, Refused):
            self._log.add(entries)

    def stream(self, *, apart: bool = False) -> MessageStream:
        """For messages and events that another program hands over. `apart`: each message stands alone."""
        return MessageStream(self._new_live(), self.log_entries, self._size_of, apart=apart)

    # ── sessions ───────────────────────────────────────────────────────────────────────────────────────────────────

    def monitor(
        self,
        places: Sequence[Path] = (),
        *,
        begin: Begin = Begin.LAST,
        consumer: str = "console",
        remember: bool = True,
    ) -> Monitor:
        """A monitor of the workspace's transcripts and of these files or folders; the caller closes it.

        Each `consumer` remembers for itself how far it read. It has its own log and topics: it may run in any thread.
        """
        own = SessionFolder(self._parts.root, CONVERSATIONS)
        return self._monitor((own, *map(SessionFolder.open, places)), begin, consumer, remember=remember)

    def monitor_only(
        self, places: Sequence[Path], *, begin: Begin = Begin.LAST, consumer: str = "watch", remember: bool = True
    ) -> Monitor:
        """A monitor of these places alone."""
        return self._monitor(tuple(map(SessionFolder.open, places)), begin, consumer, remember=remember)

    def followed(self) -> Follows:
        """Lists what the console follows besides the workspace's own transcripts."""
        return self._followed.now()

    def follow(self, path: Path) -> Follows:
        """Follows an absolute path from now on, also after a restart; `UsageError` where it cannot be."""
        with self._lock, _own_errors("what is followed"):
            self._followed.add(path)
            return self._followed.now()

    def unfollow(self, path: Path) -> Follows:
        """Lets go of a path; `UsageError` where it was not followed."""
        with self._lock, _own_errors("what is followed"):
            self._followed.forget(path)
            return self._followed.now()

    def sessions(self) -> tuple[SessionFileInfo, ...]:
        """The workspace's transcripts and the files of what is followed besides them, the newest first."""
        found = _infos(SessionFolder(self._parts.root, CONVERSATIONS))
        for path in self._followed.now().there:
            place = SessionFolder.open(path)
            try:
                found += _infos(place)
            finally:
                place.close()
        return tuple(sorted(found, key=lambda one: one.modified, reverse=True))

    def replay(self, source: str, tick: Tick | None = None) -> tuple[LogEntry, ...]:
        """Decides a past session's messages by the topics as they are now. Nothing of it is logged.

        `source` is a transcript of the workspace, or the path of any session file.
        """
        with self._lock:
            messages = self._session(source).messages[-MOST_REPLAYED:]
            entries: list[LogEntry] = []
            for done, entry in enumerate(self._decided(messages)):
                if tick is not None and done % 20 == 0:
                    tick(Progress("messages", done, len(messages)))
                entries.append(entry)
            return tuple(entries)

    def read_sessions(
        self, paths: Sequence[Path] = ()
    ) -> Iterator[tuple[tuple[LogEntry, ...], dict[LineProblem, int]]]:
        """Session file after session file, whole and in the order of their names, decided and logged.

        Of the workspace where no path is named. With each comes what was skipped in it.
        """
        places = tuple(map(SessionFolder.open, paths)) or (SessionFolder(self._parts.root, CONVERSATIONS),)
        try:
            for place in places:
                for file in sorted(place.list().files, key=lambda file: file.path):
                    session = read_session(place, file.path)
                    entries = tuple(self._decided(session.messages))
                    self.log_entries(entries)
                    yield entries, session.skipped
        finally:
            for place in places:
                place.close()

    def close(self) -> None:
        self._log.close()

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _decided(self, messages: Sequence[SessionMessage]) -> Iterator[LogEntry]:
        """Decides the messages of one session, each at the time it was said."""
        self._live.refresh(self._parts.real_clock())
        hearing, now = SessionDecider(self._live, Activations(self._size_of)), self._parts.now()
        for heard in messages:
            now = heard.message.time or now
            yield hearing.decide(heard, now)

    def _session(self, source: str) -> Session:
        if source.startswith(f"{CONVERSATIONS}/"):
            return read_session(SessionFolder(self._parts.root, CONVERSATIONS), source)
        place = self._place_of(source)
        try:
            path = place.only or source.removeprefix(place.label)
            if not path or path == source:
                raise UsageError("a folder cannot be replayed", where=source, hint="name one session file")
            return read_session(place, path)
        finally:
            place.close()

    def _place_of(self, source: str) -> SessionFolder:
        """The folder that is followed and has the session, or the session file by itself."""
        for path in self._followed.now().there:
            place = SessionFolder.open(path)
            if not place.only and source.startswith(place.label):
                return place
            place.close()
        return SessionFolder.open(Path(source))

    def _monitor(self, places: Sequence[SessionFolder], begin: Begin, consumer: str, *, remember: bool) -> Monitor:
        store = ReadMarkStore(self._parts.database, consumer) if remember else None
        return Monitor(
            Feed(places, store, begin),
            self._new_live(),
            self._new_log(),
            size_of=self._size_of,
            zone=zone_of(self._parts.policy.zone),
        )

    @property
    def _followed(self) -> FollowStore:
        return FollowStore(self._parts.database)

    def _new_log(self) -> DecisionLog:
        database = self._parts.database
        return DecisionLog(StateDatabase(database.folder, read_only=database.read_only))

    def _new_live(self) -> LiveTopics:
        return LiveTopics(self._parts.root, self._matcher_of)

    def _size_of(self, path: str) -> int | None:
        try:
            facts = self._parts.root.lstat(path)
        except MemdeckError:
            return None
        return facts.st_size if facts is not None else None


def _infos(place: SessionFolder) -> list[SessionFileInfo]:
    return [
        SessionFileInfo(place.source(file.path), file.size, datetime.fromtimestamp(file.modified / 1e9, UTC))
        for file in place.list().files
    ]


@contextmanager
def _own_errors(what: str = "the log of decisions") -> Iterator[None]:
    """Has what the disk refuses come out as an error of ours."""
    try:
        yield
    except OSError as error:
        where = str(error.filename or "")
        raise MemdeckError(f"{what}: {error.strerror or error}", where=where) from error
