"""Topics for the front ends: what listens, what was decided and judged, live and in replays (autopoiesis §4, §5)."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engine.errors import Damaged, MemdeckError, Refused
from engine.services.open_workspace import OpenWorkspace
from engine.services.part import made_parts, part
from engine.state.database import StateDatabase

if TYPE_CHECKING:
    from engine.services.message_stream import MessageStream
    from engine.sessions.live_topics import LiveTopics, MatcherOf
    from engine.topics.decision import MatchResult
    from engine.topics.decision_log import DecisionLog, LogEntry, Useful, UsefulnessJudgement
    from engine.topics.matcher import Matching
    from engine.topics.messages import Message
    from engine.topics.patterns.tier1 import TopicPatterns
    from engine.topics.topic import TopicSet


class TopicService:
    """Everything about topics that a front end asks. Writes in the operator's state folder alone."""

    def __init__(self, opened: OpenWorkspace, matcher_of: "MatcherOf | None" = None) -> None:
        """Models are loaded when they are first asked for: `status` needs none."""
        self._opened, self._given = opened, matcher_of
        self._named: TopicPatterns | None = None
        self._lock, self.opening = threading.RLock(), threading.RLock()

    @part
    def _matcher_of(self) -> "MatcherOf":
        from engine.services.matchers import MatcherFactory

        return self._given or MatcherFactory(self._opened).matcher

    @part
    def _live(self) -> "LiveTopics":
        return self.new_live()

    @part
    def _log(self) -> "DecisionLog":
        return self.new_log()

    def current(self) -> "TopicSet":
        """Gives the topics that can be read now, and what is wrong with the others."""
        with self._lock:
            self._live.refresh(self._opened.real_clock())
            return self._live.set

    def matcher(self) -> "Matching":
        """Gives the matcher for the topics as they are now."""
        with self._lock:
            self.current()
            return self._live.matcher

    def named(self, message: "Message") -> "MatchResult":
        """The topics whose triggers a message has, unscored: scoring a thousand topics loads their vectors, 0.5 s."""
        from engine.topics.decision import MatchResult
        from engine.topics.patterns.tier1 import TopicPatterns

        self._named = TopicPatterns([topic for topic in self.current().topics if topic.enabled], self._named)
        return MatchResult(id=message.id, active=tuple(self._named.match(message).evidence))

    def recent(self, most: int) -> "tuple[LogEntry, ...]":
        """Gives the newest decisions, oldest first. `MemdeckError` where they cannot be read: that is no empty log."""
        with self._lock:
            entries = tuple(entry for _, entry in self._log.last(most))
            if not entries and self._log.problem:
                where = str(self._log.database.file)
                raise MemdeckError(self._log.problem, where=where, hint="memdeck check looks at it")
            return entries

    def judgements(self) -> "tuple[UsefulnessJudgement, ...]":
        """Gives the judgement that counts of each message and topic."""
        with self._lock:
            return self._log.judgements()

    def judge(self, entry: "LogEntry", topic: str, useful: "Useful") -> "UsefulnessJudgement":
        """Sets `was_useful`. A message of a replay that was never logged comes into the log with it."""
        with self._lock:
            self._log.add([entry])
            return self._log.judge(entry.key, topic, useful, self._opened.real_clock())

    def log_entries(self, entries: "Sequence[LogEntry]") -> None:
        """Keeps what a hook or an event had decided. Passed over as `Table.keep` does: what was asked goes on."""
        with self._lock, suppress(Damaged, Refused):
            self._log.add(entries)

    def stream(self, *, apart: bool = False) -> "MessageStream":
        """For messages and events that another program hands over. `apart`: each message stands alone."""
        from engine.services.message_stream import MessageStream

        return MessageStream(self.new_live(), self.log_entries, self._opened.size_of, apart=apart)

    def apart(self, opened: OpenWorkspace) -> "TopicService":
        """Topics of another state of the same workspace; what the gate answered already is not asked again."""
        return TopicService(opened, self._matcher_of)

    def close(self) -> None:
        for log in made_parts(self, "_log"):
            log.close()

    def new_log(self) -> "DecisionLog":
        """Gives a log that whoever writes in a thread of its own closes for itself."""
        database = self._opened.database
        from engine.topics.decision_log import DecisionLog

        return DecisionLog(StateDatabase(database.folder, read_only=database.read_only))

    def new_live(self) -> "LiveTopics":
        """Topics that whoever follows messages in a thread of its own refreshes for itself."""
        from engine.sessions.live_topics import LiveTopics

        cache = None if self._opened.database.read_only else self._opened.state.topics
        return LiveTopics(self._opened.root, self._matcher_of, cache)
