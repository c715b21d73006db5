"""Sessions that are listened to: what was said, what it woke, and what keeps the monitor from listening."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from engine.errors import MemdeckError
from engine.sessions.follows import Follows
from engine.topics.decision import GateAnswer, GateRule, TriggerEvidence
from engine.topics.decision_log import LogEntry
from engine.topics.topic import TopicSet
from tests.talks import NOW, conversation, review, said
from tests.tui.heard import Heard
from tests.tui.hostile import hostile_strings


class Listening(Heard):
    """The engine that listens on a folder that goes with it."""

    def __init__(self, recent: Sequence[LogEntry] = (), known: TopicSet | None = None) -> None:
        self._kept = TemporaryDirectory(prefix="scene-")
        super().__init__(recent, known, Path(self._kept.name))


def listening(
    *heard: LogEntry, recent: Sequence[LogEntry] = (), lag: timedelta = timedelta(0), **feed: object
) -> Callable[[], Listening]:
    """An engine that hears messages as soon as it listens. `feed` is what else the feed says, `recent` the log."""

    def opened() -> Listening:
        engine = Listening(recent)
        engine.lag, engine.feed = lag, feed
        if heard:
            engine.say(*heard)
        return engine

    return opened


def monitor_breaks() -> Listening:
    engine = Listening()
    engine.breaks = MemdeckError("the transcripts cannot be read", where="raw", hint="check its permissions")
    return engine


def follows_a_file() -> Listening:
    engine = Listening()
    known = (Path("/home/ana/.claude/projects"), Path("/home/ana/agents/other/raw/conversations"))
    engine.stub.gives("sessions.followed", Follows(known, ()))
    return engine


def no_topics() -> Listening:
    return Listening(known=TopicSet(topics=(), problems=()))


def talk() -> tuple[LogEntry, ...]:
    """The conversation by hand, and after it what the gate refused and what a rule let through."""
    found = TriggerEvidence(trigger="keyword", what="deploy", line=6, start=7, end=13, found="deploy")
    refused = review(
        topic="deployment",
        rule=GateRule.MEDIUM_GATE,
        gate=GateAnswer.NO,
        activated=False,
        score=0.27,
        gate_by="claude-haiku",
        reason="It asks for a deploy to staging, which the topic excludes.",
        latency_ms=412.0,
        cost_usd=0.0004,
        evidence=(found,),
    )
    asked = (
        "can you look at the flaky login test again? it failed in CI twice since this morning, "
        "and I would like to know whether it is the clock or the fixture"
    )
    more = (
        said(5, asked, review(topic="code-quality", score=0.41)),
        said(6, "I ran it 20 times: 3 failures, all in test_token_expiry.", role="agent"),
        said(7, "please deploy to staging when it is green", refused),
        said(8, "thanks!"),
    )
    return (*conversation(), *more)


def hour() -> Sequence[LogEntry]:
    """A conversation of an hour: four talks one after the other, with pauses between them."""
    found: list[LogEntry] = []
    for number in range(4):
        for entry in conversation():
            at = entry.at - timedelta(minutes=14 * (3 - number)) + (entry.at - NOW) * 4
            key = f"{entry.key}-{number}"
            found.append(msgspec.structs.replace(entry, key=key, at=at, said_at=at))
    return sorted(found, key=lambda entry: entry.at)


def burst() -> tuple[LogEntry, ...]:
    """Three hundred messages at once."""
    return tuple(said(n, f"can you review change {n} that just came in?", review()) for n in range(300))


def hostile_talk() -> tuple[LogEntry, ...]:
    strings = [text.encode("utf-8", "replace").decode() for text in list(hostile_strings())[:50]]
    return tuple(said(n, text, review(topic=text[:40] if n % 3 == 0 else "x")) for n, text in enumerate(strings))
