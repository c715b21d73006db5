"""Watchers whose sessions, topics and log are in memory; a monitor gives what a test hands it."""

import queue
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.sessions.feed import Batch
from engine.sessions.folder import SessionFileInfo
from engine.sessions.follows import Follows
from engine.sessions.monitor import MonitorStep
from engine.topics.activation import Active, PulledIn, Woken
from engine.topics.decision import Decision, Funnel, GateAnswer, GateRule, MatchResult, Score, TriggerEvidence
from engine.topics.decision_log import LogEntry, Useful, UsefulnessJudgement
from engine.topics.rates import MessageRate, Tally, tally_of
from engine.topics.steering import HintOutcome, SteeringResult
from engine.topics.topic import Priority, Topic, TopicProblem, TopicSet
from engine.topics.trigger import PatternTrigger
from engine.workspace.values import Progress

NOW = datetime(2026, 3, 15, 18, 46, 2, tzinfo=UTC)


def review(**more: object) -> Decision:
    """The decision of the specification's own example (autopoiesis §10.2)."""
    evidence = TriggerEvidence(
        trigger="pattern", what="PR|pull request|review", line=4, start=8, end=14, found="review"
    )
    values = {
        "topic": "github-pr-review",
        "rule": GateRule.HIGH_SURE,
        "gate": GateAnswer.NONE,
        "activated": True,
        "tier1": True,
        "score": 0.34,
        "evidence": (evidence,),
        "scores": (Score(scorer="tfidf", raw=0.281, calibrated=0.34),),
        **more,
    }
    return Decision(**values)  # type: ignore[arg-type]


def active(topic: str, at: datetime = NOW, session: str = "ses_1") -> Active:
    return Active(
        topic=topic,
        session=session,
        rule="high-sure",
        priority=Priority.HIGH,
        since=at,
        until=at + timedelta(minutes=12),
        limit=4096,
        files=(PulledIn(f"topics/{topic}.md", 820), PulledIn("knowledge/procedures/code-review.md", 1126)),
    )


def said(number: int, text: str, *decisions: Decision, role: str = "user", **more: object) -> LogEntry:
    """A message, a few seconds after the one before."""
    at = NOW + timedelta(seconds=7 * number)
    woke = tuple(one.topic for one in decisions if one.activated)
    funnel = Funnel(
        topics=12,
        tier1=len(decisions),
        tier2=len(decisions),
        gated=sum(one.gate is not GateAnswer.NONE for one in decisions),
        active=len(woke),
        tier1_ms=0.08,
        tier2_ms=0.31,
    )
    result = MatchResult(
        id=f"k{number}",
        candidates=tuple(one.topic for one in decisions),
        decisions=decisions,
        active=woke,
        funnel=funnel,
    )
    values = {
        "session": "ses_1",
        "source": "raw/conversations/2026/03/15/1845-ses_1-review.md",
        "line": 8 + number,
        "said_at": at,
        "woken": Woken(tuple(active(topic, at) for topic in woke)),
        **more,
    }
    return LogEntry(key=f"k{number}", at=at, role=role, text=text, result=result, **values)  # type: ignore[arg-type]


def conversation() -> tuple[LogEntry, ...]:
    """A user, an agent, two topics, a drop, a hint, and something injected."""
    mail = review(topic="email-triage", rule=GateRule.MEDIUM_GATE, gate=GateAnswer.YES, score=0.22, gate_by="offline")
    mail = msgspec.structs.replace(mail, evidence=(), reason="it asks about a mail", latency_ms=0.4)
    dropped = review(topic="deployment", rule=GateRule.MEDIUM_DROP, activated=False, score=0.11, evidence=())
    hint = SteeringResult("code-quality", "Use Python 3 syntax.", HintOutcome.GIVEN)
    return (
        said(0, "can you review the PR that just came in?", review()),
        said(1, "I'll open it now and look at the tests first.", role="agent"),
        said(2, "and the invoice mail?\nit went to production", mail, dropped),
        said(3, "print 'done'", role="agent", steered=(hint,)),
        said(4, "<system-reminder>…</system-reminder>", injected=True),
    )


def topics() -> TopicSet:
    def topic(name: str, priority: Priority) -> Topic:
        trigger = PatternTrigger(match="PR|pull request|review", line=4)
        return Topic(
            id=name,
            path=f"topics/{name}.md",
            sha256="0" * 64,
            title=name.title(),
            description=f"What {name} is about.",
            instructions=f"# {name}\n\nDo it well.",
            priority=priority,
            triggers=(trigger,),
        )

    bad = TopicProblem(topic="broken", path="topics/broken.md", line=5, message="bad pattern `(`: missing )")
    names = (("code-quality", Priority.LOW), ("deployment", Priority.MEDIUM), ("github-pr-review", Priority.HIGH))
    return TopicSet(topics=tuple(topic(*one) for one in names), problems=(bad,))


class FakeMonitor:
    """Gives what was put into its queue, a reading a step."""

    def __init__(self, waiting: "queue.SimpleQueue[tuple[LogEntry, ...]]", owner: "FakeWatchers") -> None:
        self._waiting = waiting
        self._owner = owner
        self._today = Tally()

    def step(self, now: datetime, most: int = 200, breathe: Callable[[], object] = bool) -> MonitorStep:
        breathe()
        if self._owner.breaks is not None:
            raise self._owner.breaks
        try:
            fresh = self._waiting.get_nowait()
        except queue.Empty:
            fresh = ()
        for entry in fresh:
            self._today += tally_of(entry.result, entry.steered, injected=entry.injected)
        woken = {one.topic: one for entry in fresh for one in entry.woken.active}
        self._owner.active.update(woken)
        batch = Batch(heard=(), sessions=2, files=5, lag=self._owner.lag)
        return MonitorStep(
            fresh=fresh,
            active=tuple(self._owner.active.values()),
            today=self._today,
            pace=MessageRate(14, 0.4, 1.2),
            feed=batch,
            topics=self._owner.set,
            problems=self._owner.problems,
        )

    def close(self) -> None:
        self._owner.closed += 1


class FakeWatchers:
    """`say` lets a message be heard; `judged` keeps what the operator said."""

    def __init__(self, recent: Sequence[LogEntry] = (), known: TopicSet | None = None) -> None:
        self.set = known if known is not None else topics()
        self.judged: list[UsefulnessJudgement] = []
        self.refuses: MemdeckError | None = None
        self.breaks: MemdeckError | None = None
        """What a monitor ends with at its next step."""
        self.problems: tuple[str, ...] = ()
        self.active: dict[str, Active] = {}
        self.lag = timedelta(0)
        self.places: list[tuple[Path, ...]] = []
        self.known: list[Path] = []
        self.closed = 0
        self._recent = tuple(recent)
        self._waiting: queue.SimpleQueue[tuple[LogEntry, ...]] = queue.SimpleQueue()

    def say(self, *entries: LogEntry) -> None:
        self._waiting.put(entries)

    def topics(self) -> TopicSet:
        return self.set

    def monitor(self, places: Sequence[Path] = ()) -> FakeMonitor:
        self.places.append(tuple(places))
        return FakeMonitor(self._waiting, self)

    def recent(self, most: int) -> tuple[LogEntry, ...]:
        return self._recent[-most:]

    def judgements(self) -> tuple[UsefulnessJudgement, ...]:
        return tuple(self.judged)

    def judge(self, entry: LogEntry, topic: str, useful: Useful) -> UsefulnessJudgement:
        if self.refuses is not None:
            raise self.refuses
        self.judged.append(UsefulnessJudgement(entry.key, topic, useful, NOW))
        return self.judged[-1]

    def sessions(self) -> tuple[SessionFileInfo, ...]:
        return (SessionFileInfo("raw/conversations/2026/03/15/1845-ses_1-review.md", 4200, NOW),)

    def followed(self) -> Follows:
        there = tuple(path for path in self.known if path.exists())
        return Follows(there, tuple(path for path in self.known if path not in there))

    def follow(self, path: Path) -> Follows:
        if not path.exists():
            raise UsageError("there is nothing here to follow", where=str(path))
        self.known.append(path)
        return self.followed()

    def unfollow(self, path: Path) -> Follows:
        self.known.remove(path)
        return self.followed()

    def replay(self, source: str, tick: Callable[[Progress], None] | None = None) -> tuple[LogEntry, ...]:
        """An hour between two messages, so that a replay waits as long as it ever does."""
        said = enumerate(conversation())
        return tuple(msgspec.structs.replace(one, said_at=NOW + timedelta(hours=hour)) for hour, one in said)
