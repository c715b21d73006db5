"""Defines the question to a gate and its answers, and caches answers (autopoiesis §5.2)."""

from collections import OrderedDict
from threading import Lock
from typing import Protocol

import msgspec

from engine.text.canonical_json import sha256_hex
from engine.topics.topic import Topic

MESSAGE_LENGTH = 500  # characters of the message that the gate reads
DESCRIPTION_LENGTH = 200  # characters of message and description that the gate gets to see (§5.2)


class GateQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The question whether this topic should become active for this message, with evidence for rules."""

    message: str
    topic: Topic
    tier1: bool
    score: float  # tier 2's figure for the topic, on the table's scale
    rivals: float = 0.0  # the mean figure of the three best other topics, candidates or not
    best: bool = True  # true if no other candidate scores higher
    event: bool = False  # a webhook or a schedule: nothing was guessed


class GateVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A gate's answer: yes or no, the gate's name, and the cost in US dollars."""

    yes: bool
    by: str
    reason: str = ""
    cost_usd: float = 0.0


class GateFailed(Exception):
    """The gate could not answer. The topic stays inactive (decision D19)."""


class TopicGate(Protocol):
    """Answers questions."""

    name: str
    keeps: bool  # true if an answer depends on message and topic alone, so that it may be kept (decision D19)

    def ask(self, question: GateQuestion) -> GateVerdict:
        """Raises `GateFailed`."""
        ...


MOST = 4_096  # verdicts that are kept; the one used longest ago goes first (decision D19)

Key = tuple[str, str, str, str]


class GateCache:
    """Answers by gate, message hash, topic and topic hash; safe for any thread."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[Key, GateVerdict] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @staticmethod
    def key(gate: str, message: str, topic: Topic) -> Key:
        """Returns the key; uses the whole message, though the gate reads only its beginning."""
        return gate, sha256_hex(message.encode("utf-8", "surrogatepass")), topic.id, topic.sha256

    def get(self, key: Key) -> GateVerdict | None:
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Key, verdict: GateVerdict) -> None:
        with self._lock:
            self._kept[key] = verdict
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
