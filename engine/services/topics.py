"""Topics for the front ends: the topics, decisions and judgements, live and in replays (autopoiesis §4, §5)."""

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
    """Everything about topics for a front end. Writes only in the operator's state folder."""

    def __init__(self, opened: OpenWorkspace, matcher_of: "MatcherOf | None" = None) -> None:
        """Takes `matcher_of`, by default one that loads models when first used, since `status` needs none."""
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
        """Gives the readable topics, and the problems of the others."""
        with self._lock:
            self._live.refresh(self._opened.real_clock())
            return self._live.set

    def matcher(self) -> "Matching":
        with self._lock:
            self.current()
            return self._live.matcher

    def named(self, message: "Message") -> "MatchResult":
        """Gives the topics whose triggers match, unscored: to score a thousand loads their vectors, 0.5 s."""
        from engine.topics.decision import MatchResult
        from engine.topics.patterns.tier1 import TopicPatterns

        self._named = TopicPatterns([topic for topic in self.current().topics if topic.enabled], self._named)
        return MatchResult(id=message.id, active=tuple(self._named.match(message).evidence))

    def recent(self, most: int) -> "tuple[LogEntry, ...]":
        """Gives the newest decisions, oldest first; `MemdeckError` where the log cannot be read."""
        with self._lock:
            entries = tuple(entry for _, entry in self._log.last(most))
            if not entries and self._log.problem:
                where = str(self._log.database.file)
                raise MemdeckError(self._log.problem, where=where, hint="memdeck check looks at it")
            return entries

    def judgements(self) -> "tuple[UsefulnessJudgement, ...]":
        """Gives the valid judgement of each message and topic."""
        with self._lock:
            return self._log.judgements()

    def judge(self, entry: "LogEntry", topic: str, useful: "Useful") -> "UsefulnessJudgement":
        """Records whether a decision was useful; adds a replayed message to the log."""
        with self._lock:
            self._log.add([entry])
            return self._log.judge(entry.key, topic, useful, self._opened.real_clock())

    def log_entries(self, entries: "Sequence[LogEntry]") -> None:
        """Logs the decisions on a hook's messages or events; ignores a read-only or damaged state."""
        with self._lock, suppress(Damaged, Refused):
            self._log.add(entries)

    def stream(self, *, apart: bool = False) -> "MessageStream":
        """Makes a stream for messages and events of another program. `apart`: decides each alone."""
        from engine.services.message_stream import MessageStream

        return MessageStream(self.new_live(), self.log_entries, self._opened.size_of, apart=apart)

    def apart(self, opened: OpenWorkspace) -> "TopicService":
        """Gives the topics in another state of the same workspace, with the gate's answers shared."""
        return TopicService(opened, self._matcher_of)

    def close(self) -> None:
        for log in made_parts(self, "_log"):
            log.close()

    def new_log(self) -> "DecisionLog":
        """Makes a log for another thread, which closes it."""
        database = self._opened.database
        from engine.topics.decision_log import DecisionLog

        return DecisionLog(StateDatabase(database.folder, read_only=database.read_only))

    def new_live(self) -> "LiveTopics":
        """Makes live topics for another thread, which refreshes them."""
        from engine.sessions.live_topics import LiveTopics

        cache = None if self._opened.database.read_only else self._opened.state.topics
        return LiveTopics(self._opened.root, self._matcher_of, cache)
