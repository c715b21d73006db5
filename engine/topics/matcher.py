"""The three tiers in a row: message in, decisions out (autopoiesis §4.1, §10.2)."""

from datetime import datetime
from typing import Protocol

from engine.topics.values import Event, MatchResult, Message


class Matching(Protocol):
    """What the monitor and the commands need of a matcher: no state but its topics and its gate's cache."""

    def match(self, message: Message, now: datetime) -> MatchResult:
        """What a message wakes. `now` stands in the decisions' log; it decides nothing. Never raises for any text."""
        ...

    def event(self, event: Event, now: datetime) -> MatchResult:
        """What a webhook or the passing of time wakes."""
        ...
