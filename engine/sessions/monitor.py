"""Runs the live monitor: reads sessions, decides their messages, logs and shows them (autopoiesis §4.1)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Protocol

import msgspec

from engine.errors import MemdeckError, Refused
from engine.sessions.feed import Batch, Feed
from engine.sessions.messages import SessionMessage
from engine.topics.activation import Activations, Active
from engine.topics.decision_log import DecisionLog, LogEntry
from engine.topics.matcher import Matching
from engine.topics.messages import CronEvent
from engine.topics.output_hints import Steering
from engine.topics.patterns.sentiment import Moods
from engine.topics.pipeline import event_entry, session_of, watched
from engine.topics.rates import MessageRate, Pacer, Tally, tally_of
from engine.topics.topic import Topic, TopicSet


class TopicsInForce(Protocol):
    """The topics in force with their matcher; `refresh` rebuilds them after a file changed."""

    @property
    def set(self) -> TopicSet: ...
    @property
    def topics(self) -> Mapping[str, Topic]: ...
    @property
    def matcher(self) -> Matching: ...
    def refresh(self, now: datetime) -> bool: ...


class SessionDecider:
    """Decides the messages of sessions, live or in a replay."""

    def __init__(self, live: TopicsInForce, activations: Activations, steering: Steering | None = None) -> None:
        self._live = live
        self._activations = activations
        self._steering = steering or Steering()
        self._moods = Moods()

    def decide(self, heard: SessionMessage, now: datetime) -> LogEntry:
        """Decides one message, as if said at `now`."""
        message = heard.message
        mood = self._moods.of(message.session)
        entry = watched(
            msgspec.structs.replace(message, mood=mood),
            self._live.matcher,
            self._steering,
            self._activations,
            self._live.topics,
            now,
            role=heard.role.value,
            source=heard.source,
            line=heard.line,
            left_out=heard.left_out,
        )
        self._moods.go_on(message.session, mood, entry.result.mood)
        return entry


SAVE_EVERY = timedelta(seconds=5)  # the interval at which the read marks are saved
FOREIGN_EVERY = timedelta(seconds=1)  # the interval at which the log is asked for what other programs put into it
CRON_EVERY = timedelta(seconds=20)  # the time between two looks at schedules, which are due by the minute
MOST_UNLOGGED = 10_000  # entries that wait for a disk that refuses; beyond that the oldest are given up, and it is said


class MonitorStep(msgspec.Struct, frozen=True, kw_only=True):
    """The complete result of one step; only the messages need earlier steps."""

    fresh: tuple[LogEntry, ...] = ()  # entries that came into the log: by this monitor, and by other programs
    decided: tuple[LogEntry, ...] = ()  # entries that this monitor decided, whether it was in the log before or not
    active: tuple[Active, ...] = ()
    today: Tally = Tally()
    pace: MessageRate = MessageRate()
    feed: Batch = Batch()
    topics: TopicSet = TopicSet()
    problems: tuple[str, ...] = ()  # problems, for the operator


class Monitor:
    """The live monitor of one console or command. Times are passed in."""

    def __init__(
        self,
        feed: Feed,
        live: TopicsInForce,
        log: DecisionLog,
        *,
        size_of: Callable[[str], int | None],
        zone: tzinfo,
        steering: Steering | None = None,
    ) -> None:
        self._feed = feed
        self._live = live
        self._log = log
        self._zone = zone
        self._activations = Activations(size_of)
        self._hearing = SessionDecider(live, self._activations, steering)
        self._pacer = Pacer()
        self._unlogged: list[LogEntry] = []
        self._own: set[int] = set()
        self._number = -1
        self._today = Tally()
        self._day = ""
        self._saved_at: datetime | None = None
        self._foreign_at: datetime | None = None
        self._cron_at: datetime | None = None
        self._problems: dict[str, str] = {}

    def step(self, now: datetime, most: int = 200, breathe: Callable[[], object] = bool) -> MonitorStep:
        """Reads, decides and logs at most `most` new messages; no file makes it raise. `breathe`: called in between."""
        if self._number < 0:
            self._begin(now)
        self._live.refresh(now)
        batch = self._feed.poll(now, most)
        entries = []
        for heard in batch.heard:
            breathe()
            entries.append(self._hearing.decide(heard, now))
            self._pacer.add(entries[-1].result, now)
        entries += self._cron(now)
        breathe()
        fresh = (*self._foreign(now), *self._keep(entries, now))
        if self._saved_at is None or not self._saved_at - SAVE_EVERY <= now < self._saved_at:
            self.save()
            self._saved_at = now + SAVE_EVERY
        return MonitorStep(
            fresh=fresh,
            decided=tuple(entries),
            active=self._activations.active(now),
            today=self._today,
            pace=self._pacer.pace(now),
            feed=batch,
            topics=self._live.set,
            problems=tuple(self._problems.values()),
        )

    def save(self) -> None:
        """Stores how far files were read, once everything read is logged."""
        # Marks never run ahead of the log: what is in neither would be lost.
        if self._unlogged:
            return
        try:
            self._feed.save()
            self._problems.pop("marks", None)
        except (OSError, MemdeckError) as error:
            self._problems["marks"] = f"how far sessions were read cannot be kept: {error}"

    def close(self) -> None:
        self.save()
        self._feed.close()
        self._log.close()

    # ── one message ────────────────────────────────────────────────────────────────────────────────────────────────

    def _cron(self, now: datetime) -> list[LogEntry]:
        """Decides schedules that fell due, every `CRON_EVERY`."""
        if self._cron_at is None:
            self._cron_at = now
        if now - self._cron_at < CRON_EVERY:
            return []
        event = CronEvent(id=f"cron@{now.isoformat()}", since=self._cron_at, until=now)
        self._cron_at = now
        result = self._live.matcher.event(event, now)
        if not result.decisions:
            return []
        woken = self._activations.take(session_of(event), result, self._live.topics, now)
        return [event_entry(event, result, woken, now)]

    # ── the log ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, now: datetime) -> None:
        """Restores active topics and the day's counts from the log."""
        self._number = 0
        self._number = self._log.newest()
        self._activations.restore((active for _, entry in self._log.last(500) for active in entry.woken.active), now)
        if self._log.problem:
            self._problems["log"] = f"decisions cannot be read: {self._log.problem}"
        self._new_day(now)

    def _keep(self, entries: Sequence[LogEntry], now: datetime) -> tuple[LogEntry, ...]:
        """Logs entries; returns the new ones. They wait if the disk fails."""
        if f"{now.astimezone(self._zone):%Y-%m-%d}" != self._day:
            self._new_day(now)
        self._unlogged += entries
        try:
            added = self._log.add(self._unlogged)
        except Refused:  # --read-only: what is heard is shown, and none of it is kept
            self._unlogged, fresh = [], tuple(entries)
        except MemdeckError as error:
            self._problems["log"] = f"decisions are not kept: {error}"
            if len(self._unlogged) > MOST_UNLOGGED:
                # The oldest go: memory is not to fill up while a disk is full.
                del self._unlogged[:-MOST_UNLOGGED]
            fresh = tuple(entries)
        else:
            self._problems.pop("log", None)
            self._unlogged = []
            self._own |= {number for number, _ in added}
            known = {entry.key for entry in entries}
            # Those that waited were shown when they came.
            fresh = tuple(entry for _, entry in added if entry.key in known)
        for entry in fresh:
            self._today += tally_of(entry.result, entry.steered, injected=entry.injected)
        return fresh

    def _foreign(self, now: datetime) -> tuple[LogEntry, ...]:
        """Reads entries that other programs logged since the last look: hooks, events, another console."""
        if self._foreign_at is not None and self._foreign_at <= now < self._foreign_at + FOREIGN_EVERY:
            return ()
        self._foreign_at = now
        if not (newest := self._log.newest()):
            return ()
        found = self._log.added(self._number, self._own, 500) if newest > self._number else ()
        self._own.clear()
        # A log that `recover` made anew, or another that was imported, begins with lower numbers.
        self._number = max(newest, *(number for number, _ in found)) if found else newest
        fresh = tuple(entry for _, entry in found)
        for entry in fresh:
            self._today += tally_of(entry.result, entry.steered, injected=entry.injected)
            self._activations.restore(entry.woken.active, now)
        return fresh

    def _new_day(self, now: datetime) -> None:
        local = now.astimezone(self._zone)
        self._day = f"{local:%Y-%m-%d}"
        self._today = self._log.tally(local.replace(hour=0, minute=0, second=0, microsecond=0))
