"""Defines the question to the gate, and its possible answers (autopoiesis §5.2)."""

from typing import Protocol

import msgspec

from engine.topics.topic import Topic

MESSAGE_LENGTH = 500
"""Characters of the message that the gate reads."""
DESCRIPTION_LENGTH = 200
"""Characters of message and description that the gate gets to see (§5.2)."""


class GateQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Should this topic become active for this message? With the evidence that a rule can decide by."""

    message: str
    topic: Topic
    tier1: bool
    score: float
    """Tier 2's figure for the topic, on the table's scale."""
    rivals: float = 0.0
    """The mean figure of the three best other topics, candidates or not."""
    best: bool = True
    """True if no other candidate scores higher."""
    event: bool = False
    """A webhook or a schedule: nothing was guessed."""


class GateVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """Yes or no, in whose name, and at which cost in US dollars."""

    yes: bool
    by: str
    reason: str = ""
    cost_usd: float = 0.0


class GateFailed(Exception):
    """The gate could not answer; `str` says why in half a sentence. The topic stays inactive (decision D19)."""


class TopicGate(Protocol):
    """Answers questions."""

    name: str
    keeps: bool
    """True if an answer depends on message and topic alone, so that it may be kept (decision D19)."""

    def ask(self, question: GateQuestion) -> GateVerdict:
        """Raises `GateFailed`."""
        ...
