"""Answers of the gate that are kept: bounded, the ones not used longest go first (decision D19)."""

from collections import OrderedDict
from threading import Lock

from engine.text.canonical_json import sha256_hex
from engine.topics.gate.question import GateVerdict
from engine.topics.topic import Topic

MOST = 4_096
"""Verdicts that are kept; the one used longest ago goes first (decision D19)."""

Key = tuple[str, str, str, str]


class GateCache:
    """Keyed by the gate, sha256 of the message, the topic, and the topic's content hash. Any thread may ask."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[Key, GateVerdict] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @staticmethod
    def key(gate: str, message: str, topic: Topic) -> Key:
        """The whole message counts, though the gate sees its beginning alone."""
        return gate, sha256_hex(message.encode("utf-8", "surrogatepass")), topic.id, topic.sha256

    def get(self, key: Key) -> GateVerdict | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: Key, verdict: GateVerdict) -> None:
        with self._lock:
            self._kept[key] = verdict
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
