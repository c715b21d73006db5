"""Messages, decisions and topics made by hand, for what shows them."""

from datetime import UTC, datetime, timedelta

import msgspec

from engine.topics.activation import Active, PulledIn, Woken
from engine.topics.decision import Decision, Funnel, GateAnswer, GateRule, MatchResult, Score, TriggerEvidence
from engine.topics.decision_log import LogEntry
from engine.topics.output_hints import HintOutcome, SteeringResult
from engine.topics.topic import PatternTrigger, Priority, Topic, TopicProblem, TopicSet

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
