"""Topics, messages and a matcher that wakes whichever topics a message names: `#email-triage`, `!python-2` corrects."""

import re
from datetime import UTC, datetime

from engine.topics.decision import Correction, Decision, Funnel, GateAnswer, GateRule, MatchResult, TriggerEvidence
from engine.topics.messages import CronEvent, Direction, Event, Message
from engine.topics.topic import Priority, Topic

NOON = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)


def topic(name: str, *, priority: Priority = Priority.HIGH, instructions: str = "", **more: object) -> Topic:
    values = {"description": name, "instructions": instructions or f"# {name}\n\nDo what {name} says.", **more}
    return Topic(id=name, path=f"topics/{name}.md", sha256="0" * 64, title=name, priority=priority, **values)  # type: ignore[arg-type]


def message(text: str, *, direction: Direction = Direction.INPUT, session: str = "s", **more: object) -> Message:
    return Message(id=f"{session}:{text}", text=text, direction=direction, session=session, **more)  # type: ignore[arg-type]


def decision(name: str, *, active: bool = True, rule: GateRule = GateRule.HIGH_SURE, **more: object) -> Decision:
    gate = GateAnswer.NONE
    base = {"gate": gate, "tier1": True, "score": 0.4, **more}
    return Decision(topic=name, rule=rule, activated=active, **base)  # type: ignore[arg-type]


def woke(*names: str, key: str = "m") -> MatchResult:
    """A message that activated these topics."""
    funnel = Funnel(topics=3, tier1=len(names), tier2=len(names), active=len(names), tier1_ms=0.1, tier2_ms=0.2)
    return MatchResult(id=key, candidates=names, decisions=tuple(map(decision, names)), active=names, funnel=funnel)


class NamingMatcher:
    """Implements `Matching`: the text itself says what matches."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.events: list[Event] = []

    def match(self, message: Message, now: datetime) -> MatchResult:
        self.seen.append(message.text)
        found = list(re.finditer(r"#([\w-]+)", message.text))
        names = tuple(dict.fromkeys(one[1] for one in found))
        evidence = {
            one[1]: TriggerEvidence(trigger="pattern", what="#", start=one.start(), end=one.end()) for one in found
        }
        hints = re.findall(r"!([\w-]+)", message.text)
        return MatchResult(
            id=message.id,
            candidates=names,
            scores=dict.fromkeys(names, 0.4),
            decisions=tuple(decision(name, evidence=(evidence[name],)) for name in names),
            active=names,
            corrections=tuple(Correction(hint, f"mind the rules of {hint}") for hint in hints),
            funnel=Funnel(topics=9, tier1=len(names), tier2=len(names), active=len(names), tier1_ms=0.1),
        )

    def event(self, event: Event, now: datetime) -> MatchResult:
        self.events.append(event)
        names = ("morning",) if isinstance(event, CronEvent) else ()
        return MatchResult(id=event.id, decisions=tuple(map(decision, names)), active=names)
